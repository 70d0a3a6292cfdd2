#!/usr/bin/env python3
"""Compares the summary of a run with the one on record: check.py PROGRAM SCENARIO GOLDEN.json [--update]."""
import json
import pathlib
import subprocess
import sys
import tempfile

program, scenario, golden = sys.argv[1:4]
with tempfile.TemporaryDirectory() as folder:
    out = subprocess.run([program, "run", scenario, "--json", "-o", f"{folder}/out.h5"],
                         check=True, capture_output=True, text=True).stdout
result = json.loads(out)
result = {key: value for key, value in result.items() if key not in ("file", "path", "output")}
if "--update" in sys.argv[4:]:
    pathlib.Path(golden).write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")
    sys.exit(0)
expected = json.loads(pathlib.Path(golden).read_text())
moved = [key for key in sorted(set(result) | set(expected)) if result.get(key) != expected.get(key)]
for key in moved:
    print(f"{key}: on record {expected.get(key)}, now {result.get(key)}")
if moved:
    sys.exit("results moved; if they should, run this again with --update and say why in the commit")
