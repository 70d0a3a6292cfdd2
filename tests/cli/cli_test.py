"""Runs the program as a user does: help, exit codes, errors, files. Usage: cli_test.py PROGRAM [unittest arguments]"""
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())

SCENARIO = """\
name: small
seed: 7
cluster: {nodes: [{type: dgx-h100, count: 1}]}
deployments:
- {name: chat, model: llama-3.1-8b, replicas: 2, engine: {max_model_len: 4096}}
router: {policy: least_outstanding}
workload:
  streams:
  - {name: chat, deployment: chat, rate: 20 /s, num_requests: 60,
     input: {type: uniform, min: 10, max: 400}, output: {type: uniform, min: 1, max: 60}}
"""


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.scenario = self.write("small.yaml", SCENARIO)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def call(self, *arguments, code=0, limit=None):
        """limit: (resource, bytes) that the program may not exceed"""
        before = (lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))) if limit else None
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              preexec_fn=before)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def files(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.name != "small.yaml")


class Help(InFolder):
    def test_every_command_explains_itself(self):
        overview = self.call("--help").stdout
        for command in ("run", "check", "summary", "list", "schema", "trace"):
            self.assertIn(f"\n  {command} ", overview)
            text = self.call(command, "--help").stdout
            self.assertTrue(text.startswith(f"usage: ridgepoint {command}"), text)
            self.assertIn("--help", text)

    def test_what_the_help_of_a_command_names(self):
        kinds = ("gpus", "nodes", "fabrics", "models", "calibrations", "policies", "engine-versions", "trace-formats")
        for kind in kinds:
            self.assertIn(kind, self.call("--help").stdout)
            self.assertIn(kind, self.call("list", "--help").stdout)
        usage = self.call("trace", "--help").stdout.splitlines()[0]
        for option in ("--format", "-o", "--sort", "--keep-failed", "--limit"):
            self.assertIn(option, usage)
        self.assertIn("ridgepoint schema > scenario.schema.json\n", self.call("schema", "--help").stdout)

    def test_version_is_one_line(self):
        self.assertRegex(self.call("--version").stdout, r"^ridgepoint \d+\.\d+\.\d+\n$")

    def test_no_command_is_an_error_that_shows_the_commands(self):
        self.assertIn("COMMAND", self.call(code=2).stderr)


class Mistakes(InFolder):
    def refused(self, *arguments, says):
        done = self.call(*arguments, code=2)
        self.assertEqual(done.stdout, "")
        self.assertIn(says, done.stderr)
        self.assertEqual(self.files(), [], "nothing may be written")
        return done.stderr

    def test_unknown_names_get_the_nearest_one(self):
        self.refused("rum", "small.yaml", says="did you mean 'run'?")
        self.refused("run", "small.yaml", "--outptu", "a.h5", says="did you mean '--output'?")
        self.refused("list", "gpu", says="did you mean 'gpus'?")
        self.refused("trace", "convert", "a.csv", "--format", "burstgtp", "-o", "b.csv", says="did you mean 'burstgpt'?")

    def test_abbreviations_are_not_guessed(self):
        self.refused("run", "small.yaml", "--chec", says="did you mean '--check'?")

    def test_missing_and_superfluous_arguments(self):
        self.refused("run", says="SCENARIO.yaml is missing")
        self.refused("summary", "a", "b", says="too many arguments")
        self.refused("trace", "convert", "a.csv", "-o", "b.csv", says="--format is missing")
        self.refused("trace", "invert", "a.csv", says="convert")

    def test_a_mistake_in_a_scenario_names_file_line_and_column(self):
        bad = SCENARIO.replace("rate: 20 /s", "rate: 20").replace("replicas: 2", "replica: 2")
        (self.folder / "small.yaml").write_text(bad)
        stderr = self.refused("run", "small.yaml", says="did you mean `replicas`?")
        self.assertRegex(stderr, r"(?m)^small\.yaml:5:\d+: deployments\.0\.replica: ")
        self.assertRegex(stderr, r"(?m)^small\.yaml:9:\d+: workload\.streams\.0\.rate: ")

    def test_settings_are_checked_like_the_file(self):
        self.refused("run", "small.yaml", "--set", "router.policy=fastest", says="router.policy")
        self.refused("check", "small.yaml", "--seed", "-1", says="seed")

    def test_a_result_file_that_is_none(self):
        self.refused("summary", "nothing.h5", says="nothing.h5")
        self.refused("summary", "small.yaml", says="small.yaml")

    def test_a_trace_that_is_missing_leaves_no_folder_behind(self):
        (self.folder / "small.yaml").write_text(SCENARIO.replace(
            "rate: 20 /s, num_requests: 60,", "trace: {format: ridgepoint, path: gone.csv},").replace(
            "     input: {type: uniform, min: 10, max: 400}, output: {type: uniform, min: 1, max: 60}}", "    }"))
        self.refused("run", "small.yaml", "-o", "new/deep/out.h5", says="gone.csv")


class Run(InFolder):
    def test_summary_repeats_what_run_printed(self):
        run = self.call("run", "small.yaml", "-o", "out.h5")
        self.assertEqual(run.stderr, "")
        self.assertIn("\nResults: out.h5\n", run.stdout)
        self.assertEqual(run.stdout.count("Results:"), 1)
        text = self.call("summary", "out.h5").stdout
        self.assertTrue(run.stdout.startswith(text), text)
        self.assertRegex(text, r"Successful requests: +60 *\n")
        self.assertEqual(self.files(), ["out.h5"])

    def test_json_is_json_and_the_same_from_the_file(self):
        run = self.call("run", "small.yaml", "--json", "-o", "out.h5").stdout
        self.assertEqual(json.loads(run), json.loads(self.call("summary", "out.h5", "--json").stdout))

    def test_the_file_goes_where_the_option_then_the_scenario_then_the_name_says(self):
        self.call("run", "small.yaml")
        self.call("run", "small.yaml", "--set", "output=deep/er/scenario.h5")
        self.call("run", "small.yaml", "--set", "output=unused.h5", "-o", "option.h5")
        found = [f for f in self.files() if f.endswith(".h5")]
        self.assertEqual(found, ["deep/er/scenario.h5", "option.h5", "results/small.h5"])

    def test_bytes_depend_on_scenario_and_seed_alone(self):
        self.call("run", "small.yaml", "-o", "a.h5")
        self.call("run", "small.yaml", "-o", "elsewhere/b.h5", "--check", "--json")
        self.call("run", "small.yaml", "-o", "c.h5", "--set", "run.max_stride=1")
        self.call("run", "small.yaml", "-o", "d.h5", "--seed", "7")
        self.call("run", "small.yaml", "-o", "e.h5", "--seed", "8")
        a, *others = [(self.folder / f).read_bytes() for f in ("a.h5", "elsewhere/b.h5", "c.h5", "d.h5", "e.h5")]
        self.assertEqual([a == other for other in others], [True, True, True, False])

    def test_a_run_that_cannot_go_on_says_why_and_writes_nothing(self):
        # One request of max_model_len is let in by vLLM's start-up check, which forgets the null block: it needs
        # 256 blocks, and of 256 one is never used.
        done = self.call("run", "small.yaml", "--set", "deployments.0.engine.num_gpu_blocks_override=256",
                         "--set", "workload.streams.0.input={type: fixed, value: 4000}",
                         "--set", "workload.streams.0.output={type: fixed, value: 96}", code=3)
        self.assertIn("the run cannot go on", done.stderr)
        self.assertIn("needs 256 KV blocks at once, the pool has 255", done.stderr)
        self.assertEqual(self.files(), [])

    def test_an_interrupt_removes_what_was_begun(self):
        run = subprocess.Popen([PROGRAM, "run", "small.yaml", "--set", "workload.streams.0.num_requests=100000000",
                                "-o", "new/out.h5"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.kill)
        while not any("out.h5" in f for f in self.files()):
            self.assertIsNone(run.poll())
            time.sleep(0.01)
        time.sleep(0.2)  # well into the run
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        self.assertEqual(self.files(), [])

    def test_an_earlier_file_survives_a_failed_run(self):
        self.call("run", "small.yaml", "-o", "out.h5")
        earlier = (self.folder / "out.h5").read_bytes()
        self.call("run", "small.yaml", "--set", "workload.streams.0.input={type: empirical, file: gone.csv}",
                  "-o", "out.h5", code=2)
        self.assertEqual((self.folder / "out.h5").read_bytes(), earlier)


    def test_check_says_that_everything_is_accounted_for(self):
        for form in ((), ("--json",)):
            self.assertRegex(self.call("run", "small.yaml", "--check", *form).stderr, r"^check: .*accounted for\n$")

    def test_a_hangup_that_is_ignored_does_not_end_a_run(self):
        run = subprocess.Popen([PROGRAM, "run", "small.yaml", "--set", "workload.streams.0.num_requests=20000",
                                "-o", "out.h5"], cwd=self.folder, stdout=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.addCleanup(run.kill)
        while not self.files():
            time.sleep(0.01)
        run.send_signal(signal.SIGHUP)
        self.assertEqual(run.wait(timeout=60), 0)


class Outputs(InFolder):
    """What may be replaced by a run or a conversion, and what may not."""
    ROWS = "arrival_s,prompt_tokens,output_tokens\n"

    def setUp(self):
        super().setUp()
        self.write("t.csv", self.ROWS + "0,1,1\n")

    def both(self, output, says):
        for command in (("run", "small.yaml"), ("trace", "convert", "t.csv", "--format", "ridgepoint")):
            done = self.call(*command, "-o", output, code=2)
            self.assertIn(says, done.stderr)
            self.assertNotIn("internal", done.stderr)

    def test_only_a_regular_file_is_replaced(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "link").symlink_to("pipe")
        (self.folder / "dir").mkdir()
        (self.folder / "loose").symlink_to("nothing")
        before = self.files()
        for output, says in (("pipe", "is a pipe"), ("link", "is a pipe"), ("dir", "is a folder"), ("dir/", "is a folder"),
                             ("loose", "does not exist"), ("", "no path"), ("n" * 300, "name too long"),
                             ("new/" + "n" * 300 + "/a", "")):
            self.both(output, says)
            self.assertEqual(self.files(), before, output)
        self.assertTrue((self.folder / "pipe").is_fifo())

    def test_a_symbolic_link_stays_and_its_file_is_replaced(self):
        (self.folder / "dir").mkdir()
        for name, command in (("a.h5", ("run", "small.yaml")),
                              ("a.csv", ("trace", "convert", "t.csv", "--format", "ridgepoint"))):
            (self.folder / "dir" / name).touch()
            (self.folder / name).symlink_to("dir/" + name)
            self.call(*command, "-o", name)
            self.assertTrue((self.folder / name).is_symlink())
            self.assertGreater((self.folder / "dir" / name).stat().st_size, 0)

    def test_what_is_read_is_not_replaced(self):
        os.link(self.folder / "t.csv", self.folder / "same.csv")
        self.write("lengths.csv", "value\n5\n")
        self.write("base.yaml", SCENARIO)
        replay = SCENARIO.replace("rate: 20 /s, num_requests: 60,", "trace: {format: ridgepoint, path: t.csv},").replace(
            "     input: {type: uniform, min: 10, max: 400}, output: {type: uniform, min: 1, max: 60}}", "    }")
        self.write("replay.yaml", replay)
        lengths = ("--set", "workload.streams.0.input={type: empirical, file: lengths.csv}")
        before = {f: (self.folder / f).read_text() for f in self.files()}
        for arguments in (("run", "small.yaml", "-o", "./small.yaml"), ("run", "replay.yaml", "-o", "same.csv"),
                          ("run", "small.yaml", *lengths, "-o", "lengths.csv"),
                          ("trace", "convert", "t.csv", "--format", "ridgepoint", "-o", "same.csv")):
            self.assertIn("is read here", self.call(*arguments, code=2).stderr)
        self.assertIn("no result file", self.call("run", "small.yaml", "-o", "base.yaml", code=2).stderr)
        self.assertEqual({f: (self.folder / f).read_text() for f in self.files()}, before)
        self.assertEqual((self.folder / "small.yaml").read_text(), SCENARIO)

    def test_the_name_of_a_scenario_leads_nowhere_but_to_the_results(self):
        before = self.files()
        for name in ("../../x", "/abs/x", "n" * 300):
            done = self.call("run", "small.yaml", "--set", "name=" + name, code=2)
            self.assertNotIn("internal", done.stderr)
        self.assertIn("-o", self.call("run", "small.yaml", "--set", "name=a/b", code=2).stderr)
        self.assertEqual(self.files(), before)
        self.call("run", "small.yaml", "--set", "name=a/b", "-o", "out.h5")

    def test_a_working_directory_that_is_gone(self):
        for arguments in ((), ("-o", "out.h5")):
            done = subprocess.run(["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh", PROGRAM, "run",
                                   self.folder / "small.yaml", *arguments], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("working directory", done.stderr)

    def test_a_full_disk_ends_a_conversion_whatever_the_compression(self):
        # Short, so that a compressor writes all of it only when it is closed; long, so that it writes before.
        for rows in (400, 60000):
            self.write("t.csv", self.ROWS + "".join(f"{i},{i * 7919 % 10007},{i * 104729 % 997}\n" for i in range(rows)))
            for name in ("o.csv", "o.csv.gz", "o.csv.zst"):
                done = self.call("trace", "convert", "t.csv", "--format", "ridgepoint", "-o", name, code=2,
                                 limit=(resource.RLIMIT_FSIZE, 512))
                self.assertIn("File too large", done.stderr)
                self.assertEqual(self.files(), ["t.csv"])

    def test_a_file_that_cannot_be_read_to_its_end(self):
        done = self.call("trace", "convert", "/proc/self/mem", "--format", "ridgepoint", "-o", "o.csv", code=2)
        self.assertIn("/proc/self/mem: cannot be read: ", done.stderr)
        self.assertIn("cannot be opened", self.call(
            "trace", "convert", "n" * 300, "--format", "ridgepoint", "-o", "o.csv", code=2).stderr)
        self.assertEqual(self.files(), ["t.csv"])

    def test_memory_that_runs_out_is_no_fault_of_the_program(self):
        self.write("t.csv", self.ROWS + "".join(f"{i},1,1\n" for i in range(1000000)))
        enough = 32 << 20  # to start
        while subprocess.run([PROGRAM, "--version"], capture_output=True, preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_AS, (enough, enough))).returncode != 0:
            enough += 4 << 20
        done = self.call("trace", "convert", "t.csv", "--format", "ridgepoint", "--sort", "-o", "o.csv", code=3,
                         limit=(resource.RLIMIT_AS, enough + (24 << 20)))
        self.assertIn("out of memory", done.stderr)
        self.assertEqual(self.files(), ["t.csv"])

    def test_an_interrupt_removes_what_a_conversion_began(self):
        os.remove(self.folder / "t.csv")
        self.write("t.csv", self.ROWS + "".join(f"{400000 - i},1,1\n" for i in range(400000)))
        for end in (signal.SIGINT, signal.SIGTERM):
            run = subprocess.Popen([PROGRAM, "trace", "convert", "t.csv", "--format", "ridgepoint", "--sort", "-o", "o.csv.zst"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.addCleanup(run.kill)
            while len(self.files()) < 2:
                self.assertIsNone(run.poll())
                time.sleep(0.001)
            run.send_signal(end)
            run.communicate(timeout=60)
            self.assertEqual(run.returncode, 128 + end)
            self.assertEqual(self.files(), ["t.csv"])


class Check(InFolder):
    def test_derived_facts(self):
        text = self.call("check", "small.yaml").stdout
        for fact in ("8.030 billion", "16.06 GB", "128.0 KiB", "ridge point", "Decode intensity at batch 1",
                     "engine reserve", "KV blocks a replica"):
            self.assertIn(fact, text)
        for fact in ("vllm-0.19", "max_num_seqs 1024, max_num_batched_tokens 8192", "dtype bf16, weights bf16, KV cache",
                     "Calibration:", "90th percentile", "left over"):
            self.assertIn(fact, text)
        self.assertNotIn("active a token", text)  # of a dense model all are
        self.assertEqual(self.files(), [])

    def test_the_longest_request_is_the_models_own_where_the_cache_holds_more(self):
        text = self.call("check", "small.yaml").stdout
        self.assertIn("131072 tokens", text)
        self.assertIn("the model's own limit; the KV cache would hold", text)

    def test_json_agrees_with_hand_calculations(self):
        facts = json.loads(self.call("check", "small.yaml", "--json").stdout)
        chat = facts["deployments"][0]
        self.assertEqual(chat["parameters"], 8030261248)
        self.assertEqual(chat["weight_bytes_per_gpu"], 2 * 8030261248)
        self.assertEqual(chat["kv_bytes_per_token"], 2 * 32 * 8 * 128 * 2)
        self.assertLessEqual(chat["kv_blocks"] * chat["kv_block_bytes_per_gpu"], chat["kv_bytes_available"])
        # Each weight is read once and multiplied once: 2 FLOP for 2 bytes, and a little for the KV cache.
        self.assertAlmostEqual(chat["decode_intensity_flop_per_byte"], 1.0, delta=0.1)
        self.assertAlmostEqual(facts["gpus"][0]["ridge_point_flop_per_byte"]["bf16"], 989.4e12 / 3.35e12, delta=1)

    def test_a_model_that_does_not_fit_is_refused(self):
        done = self.call("check", "small.yaml", "--set", "deployments.0.model=llama-3.1-405b", code=2)
        self.assertIn("GPU", done.stderr)


class Lists(InFolder):
    def test_every_kind_lists_something(self):
        for kind, member in (("gpus", "h100-sxm"), ("nodes", "dgx-h100"), ("fabrics", "ib-ndr-rail"),
                             ("models", "llama-3.1-8b"), ("calibrations", "h100"), ("policies", "power_of_two"),
                             ("engine-versions", "vllm-0.19"), ("trace-formats", "mooncake")):
            self.assertIn(member, self.call("list", kind).stdout)
            rows = json.loads(self.call("list", kind, "--json").stdout)
            self.assertTrue(any(member in row["name"] for row in rows), kind)

    def test_the_schema_describes_the_scenario(self):
        schema = json.loads(self.call("schema").stdout)
        self.assertIn("2020-12", schema["$schema"])
        self.assertIn("deployments", schema["properties"])


class Convert(InFolder):
    ROWS = ("TIMESTAMP,ContextTokens,GeneratedTokens\n"
            "2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n"
            "2023-11-16 18:15:50.9951690,0,55\n2023-11-16 18:15:48.0000000,91,16\n")

    def test_a_trace_becomes_one_that_runs_the_same(self):
        self.write("azure.csv", self.ROWS)
        done = self.call("trace", "convert", "azure.csv", "--format", "azure_2023", "-o", "own.csv", "--sort")
        self.assertRegex(done.stdout, r"own\.csv: 4 rows read, 3 accepted, 1 dropped \(.+\)\n")
        scenario = SCENARIO.replace("rate: 20 /s, num_requests: 60,", "trace: {format: FORMAT, path: FILE},").replace(
            "     input: {type: uniform, min: 10, max: 400}, output: {type: uniform, min: 1, max: 60}}", "    }")
        results = []
        for form, file in (("azure_2023", "azure.csv"), ("ridgepoint", "own.csv")):
            self.write(form + ".yaml", scenario.replace("FORMAT", form).replace("FILE", file))
            summary = json.loads(self.call("run", form + ".yaml", "--json", "-o", form + ".h5").stdout)
            for note in ("notes", "warnings"):
                summary.pop(note, None)
            results.append(summary)
        self.assertEqual(results[0], results[1])

    def test_a_broken_row_is_named_and_nothing_is_written(self):
        self.write("azure.csv", self.ROWS + "2023-11-16 18:15:52.0000000,abc,1\n")
        done = self.call("trace", "convert", "azure.csv", "--format", "azure_2023", "-o", "own.csv", code=2)
        self.assertIn("azure.csv:6", done.stderr)
        self.assertEqual(self.files(), ["azure.csv"])


if __name__ == "__main__":
    unittest.main()
