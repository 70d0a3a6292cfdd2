#!/usr/bin/env python3
"""Measures speed and memory of the built program against their targets; writes build/bench.json and prints a table.

Seconds are processor time (user + system) of the whole process on one core, the least of three runs: what disturbs a
measurement only ever adds. The output file is written, the console output is not looked at.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACE = "data/traces/azure_2023/AzureLLMInferenceTrace_conv.csv"


class Usage:
    """Processor seconds and peak memory of one child process."""

    def __init__(self, command):
        with tempfile.TemporaryFile() as errors:
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode != 0:
                errors.seek(0)
                sys.exit(f"{' '.join(command)}\nended with {child.returncode}:\n{errors.read().decode()}")
        self.seconds = used.ru_utime + used.ru_stime
        self.peak_bytes = used.ru_maxrss * 1024


class Bench:
    def __init__(self, build, repeats, core):
        self.build, self.repeats = build, repeats
        self.pin = ["taskset", "-c", str(core)]
        self.results = []

    def add(self, name, value, unit, target=None, higher_is_better=False):
        self.results.append({"name": name, "value": value, "unit": unit, "target": target,
                             "higher_is_better": higher_is_better})
        print(row(self.results[-1]), flush=True)

    def run(self, scenario, *settings, repeats=None):
        """Least seconds and least peak memory of `ridgepoint run`."""
        with tempfile.TemporaryDirectory(dir=self.build) as folder:
            command = [*self.pin, str(self.build / "ridgepoint"), "run", str(ROOT / "scenarios" / scenario),
                       "-o", f"{folder}/out.h5"]
            for setting in settings:
                command += ["--set", setting]
            usages = [Usage(command) for _ in range(repeats or self.repeats)]
        return min(u.seconds for u in usages), min(u.peak_bytes for u in usages)

    def program(self, name, best):
        """A benchmark program prints {"value": number}; `best` is min or max over the repeats."""
        values = []
        for _ in range(self.repeats):
            done = subprocess.run([*self.pin, str(self.build / name)], check=True, capture_output=True, text=True)
            values.append(json.loads(done.stdout)["value"])
        return best(values)


def azure(bench):
    """The 19,366 requests: from the trace where it is at hand, else the look-alike."""
    shared = pathlib.Path(os.environ.get("RIDGEPOINT_SHARED", ROOT.parent / "shared"))
    trace = shared / TRACE
    if trace.exists():
        seconds, peak = bench.run("azure-conv.yaml", f"workload.streams.0.trace.path={trace}")
    else:
        print(f"(no {trace}: azure_conv is the synthetic look-alike)")
        seconds, peak = bench.run("quickstart.yaml")
    bench.add("azure_conv", seconds, "s", 0.5)
    bench.add("azure_conv_peak_memory", peak / 1e6, "MB", 150)
    return seconds


def volume(bench):
    for name, requests, target in (("requests_100k", 100_000, 2.5), ("requests_1m", 1_000_000, 25)):
        seconds, _ = bench.run("quickstart.yaml", f"workload.streams.0.num_requests={requests}")
        bench.add(name, seconds, "s", target)
    bench.add("requests_per_second", requests / seconds, "1/s", None, True)


def saturation(bench):
    for name, scenario in (("saturated_queue_100k", "saturated-queue.yaml"), ("saturated_kv_100k", "saturated-kv.yaml")):
        seconds, _ = bench.run(scenario, "workload.streams.0.num_requests=100000")
        bench.add(name, seconds, "s", 6)


def memory_growth(bench):
    """Arrivals a hundred times faster than they can be served: at the peak nearly every request is waiting. Both runs
    are long enough for batches, KV blocks and the output's chunks to have reached their full size."""
    few, many = 120_000, 240_000
    peaks = []
    for requests in (few, many):
        _, peak = bench.run("saturated-queue.yaml", f"workload.streams.0.num_requests={requests}",
                            "workload.streams.0.rate=20000 /s",
                            "workload.streams.0.output={type: fixed, value: 2}", repeats=1)
        peaks.append(peak)
    bench.add("memory_per_unfinished_request", (peaks[1] - peaks[0]) / (many - few), "B", 128)


def row(result):
    target = result["target"]
    met = ""
    if target is not None:
        good = result["value"] >= target if result["higher_is_better"] else result["value"] <= target
        met = "met" if good else "MISSED"
    return f"{result['name']:32} {result['value']:12.4g} {result['unit']:5} {'' if target is None else target:>8} {met}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="where the programs are")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build/bench.json")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    options = parser.parse_args()
    bench = Bench(options.build.resolve(), options.repeats, options.core)

    print(f"{'name':32} {'value':>12} {'unit':5} {'target':>8}")
    wakeups = bench.program("bench_wakeups", max)
    bench.add("simgrid_wakeups", wakeups, "1/s", None, True)
    seconds = azure(bench)
    # 0.5 s on a machine whose bare SimGrid passes 1.8 million wake-ups a second
    bench.add("azure_conv_in_wakeups", seconds * wakeups / 1e6, "M", 0.9)
    volume(bench)
    saturation(bench)
    memory_growth(bench)
    bench.add("decode_curve_lookup", bench.program("bench_decode_curve", min), "ns", 100)
    bench.add("trace_rows", bench.program("bench_trace_rows", max), "1/s", None, True)

    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(bench.results, indent=1) + "\n", encoding="utf-8")
    print(f"written to {options.output}")


if __name__ == "__main__":
    main()
