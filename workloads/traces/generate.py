#!/usr/bin/env python3
"""Writes the traces of this folder: synthetic, the same bytes every time."""
import math
import pathlib
import random

HERE = pathlib.Path(__file__).parent


def lognormal(rng, mean, std_dev, low, high):
    """A whole number of tokens; mean and std_dev are those of the variable itself."""
    variance = math.log1p((std_dev / mean) ** 2)
    value = math.exp(rng.gauss(math.log(mean) - variance / 2, math.sqrt(variance)))
    return min(max(round(value), low), high)


def chat(rng):
    yield "arrival_s,prompt_tokens,output_tokens"
    time = 0.0
    for _ in range(600):
        yield f"{time:.6f},{lognormal(rng, 1000, 900, 8, 8000)},{lognormal(rng, 200, 150, 1, 1000)}"
        time += rng.expovariate(2)


def sessions(rng):
    yield "arrival_s,prompt_tokens,output_tokens,session,think_s,prompt,output"
    starts = sorted(rng.uniform(0, 120) for _ in range(30))
    for number, start in enumerate(starts, 1):
        said = 0
        for turn in range([2, 3, 4, 5, 6][number % 5]):
            prompt = said + lognormal(rng, 200, 200, 8, 2000)
            output = lognormal(rng, 250, 150, 1, 1000)
            arrival, think = (f"{start:.3f}", "") if turn == 0 else ("", f"{rng.expovariate(1 / 15):.3f}")
            yield f"{arrival},{prompt},{output},user-{number},{think},{number}:0:{prompt},{number}:{prompt}"
            said = prompt + output


def shared_prefix(rng):
    yield "arrival_s,prompt_tokens,output_tokens,priority,prompt"
    time = 0.0
    for _ in range(200):
        content = rng.choices([1, 2, 3, 4], weights=[12, 6, 4, 3])[0]
        prompt = 1024 + lognormal(rng, 150, 100, 8, 1000)
        yield f"{time:.6f},{prompt},{lognormal(rng, 120, 80, 1, 500)},{rng.choice([0, 0, 0, 10])},{content}:0:1024"
        time += rng.expovariate(4)


for name, rows, seed in (("chat-small", chat, 1), ("sessions-small", sessions, 2), ("shared-prefix-small", shared_prefix, 3)):
    (HERE / f"{name}.csv").write_text("\n".join(rows(random.Random(seed))) + "\n")
