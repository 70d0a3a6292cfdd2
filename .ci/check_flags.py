"""Fails when a source file of ours is compiled without the project's warnings, or free to contract a*b+c."""
import json
import os
import shlex
import sys

REQUIRED = {"-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-ffp-contract=off"}

with open(sys.argv[1], encoding="utf-8") as file:
    commands = json.load(file)
bad = 0
for entry in commands:
    lacking = REQUIRED - set(shlex.split(entry["command"]))
    if lacking:
        bad += 1
        print(f"{os.path.relpath(entry['file'])}: compiled without {' '.join(sorted(lacking))}", file=sys.stderr)
print(f"{len(commands)} files compiled with warnings as errors" if not bad else f"{bad} files lack a flag")
sys.exit(1 if bad else 0)
