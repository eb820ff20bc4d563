# SPDX-License-Identifier: MIT
"""presso scan --device: with the presso of this build, on whatever machine this is, and with one
whose GPU decodes and searches on the CPU and fails where it is told to (PRESSO_FAKE_GPU)."""

import json
import os
import unittest

import support
from support import CliTest, covers, log_text, main

FAKE = os.path.abspath(os.environ.get("PRESSO_WITH_FAKE_GPU", "no such build"))
BLOCKS = ("--block-size", "16K")
MODES = (
    ("-c",),
    ("-n",),
    ("-b", "-o"),
    ("-c", "-v"),
    ("--count-matches",),
    ("-m", "7"),
    ("-q",),
    ("-l",),
    ("--json",),
    ("-C1",),
    ("-v",),
    ("-r", "<$0>"),
    ("--not", "cache"),
    ("-c", "--and", "user"),
    ("--lines", "100-200"),
    ("-i", "-w"),
)


class ThisBuild(CliTest):
    @covers("scan", "--device")
    def test_cpu_and_auto_need_no_gpu(self):
        self.compressed()
        plain = self.ok("scan", "-n", "timeout", "app.log").out
        for device in ("cpu", "auto"):
            found = self.ok("scan", "-n", "--device", device, "timeout", "app.log.presso").out
            self.assertEqual(found, plain)

    def test_gpu_searches_or_says_why_not(self):
        self.compressed()
        devices = json.loads(self.ok("info", "--devices", "--json").out)
        arguments = ("scan", "-c", "--device", "gpu", "timeout", "app.log.presso", "app.log.presso")
        if devices["devices"]:
            count = self.ok("scan", "-c", "timeout", "app.log").out
            self.assertEqual(self.ok(*arguments[:-1]).out, count)
            return
        result = self.run_presso(*arguments)
        self.assertEqual(result.status, 2, result)
        self.assertTrue(result.err.startswith("presso: --device=gpu: "), result)
        self.assertIn(devices["no_devices"], result.err)
        self.assertEqual(result.err.count("\n"), 1, "one error, not one for each file")
        self.assertEqual(result.out, b"")

    def test_explain_knows_that_there_is_no_gpu(self):
        self.compressed()
        hidden = {"CUDA_VISIBLE_DEVICES": ""}
        result = self.ok("scan", "-c", "--explain", "timeout", "app.log.presso", env=hidden)
        self.assertIn("searched on the CPU: there is no GPU to use", result.err)
        self.assertNotIn("predicted", result.err)


@unittest.skipUnless(os.path.exists(FAKE), "this build has no presso with a fake GPU")
class FakeGpu(CliTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, support, "PRESSO", support.PRESSO)
        support.PRESSO = FAKE
        self.set_fake_gpu_rates(start_seconds=1e-9, rate=1e12)

    def gpu(self, *arguments, how="", **more):
        return self.run_presso(*arguments, env={"PRESSO_FAKE_GPU": how}, **more)

    def expect_same(self, *arguments, how=""):
        """With the GPU as with the CPU; what --device=gpu says about itself aside."""
        cpu = self.gpu("scan", "--device=cpu", *arguments)
        seen = self.gpu("scan", "--device=gpu", *arguments, how=how)
        what = " ".join(arguments)
        self.assertEqual(seen.status, cpu.status, what)
        if "--json" in arguments:
            self.assertEqual(self.without_times(seen.out), self.without_times(cpu.out), what)
        else:
            self.assertEqual(seen.out, cpu.out, what)
        lines = [line for line in seen.err.splitlines() if "searched on the CPU" not in line]
        self.assertEqual(lines, cpu.err.splitlines(), what)

    @staticmethod
    def without_times(output):
        records = [json.loads(line) for line in output.splitlines()]
        for record in records:
            record["data"].pop("elapsed_total", None)
            record["data"].get("stats", {}).pop("elapsed", None)
        return records

    def test_every_output_is_the_cpus(self):
        self.compressed("app.log", None, *BLOCKS)
        for mode in MODES:
            for pattern in ("timeout", "t[a-z]+t user", "^2026-11-0[1-3].*refused$", "nowhere"):
                self.expect_same(*mode, pattern, "app.log.presso")
        self.expect_same("-F", "-e", "timeout", "-e", "cache user", "-c", "app.log.presso")

    def test_conditions_on_fields_hold_for_every_output(self):
        """The GPU finds lines with what a condition needs, or the pattern; the CPU tests them."""
        self.compressed("app.log", None, *BLOCKS)
        for mode in MODES:
            for condition in ("pid = 77 or cache and pid < 500", "pid > 9000", "pid is null"):
                self.expect_same(*mode, "--where", condition, "app.log.presso")
                self.expect_same(*mode, "-e", "timeout", "--where", condition, "app.log.presso")

    def test_several_files_and_directories(self):
        os.mkdir("logs")
        for name in ("logs/a", "logs/b", "logs/c"):
            self.compressed(name, log_text(2000, seed=len(name) + ord(name[-1])), *BLOCKS)
        self.expect_same("-c", "session user", "logs")
        self.expect_same("-n", "session user", "logs/a.presso", "logs/b.presso", "logs/c")

    def test_damaged_blocks_are_named(self):
        self.compressed("app.log", None, *BLOCKS)
        packed = bytearray(self.read("app.log.presso"))
        packed[len(packed) // 2] ^= 0x55
        self.write("bad.presso", bytes(packed))
        self.expect_same("-c", "timeout", "bad.presso")
        self.expect_same("-n", "timeout", "bad.presso")
        self.expect_same("--fail-fast", "-n", "timeout", "bad.presso")

    def test_nul_bytes_mean_what_they_mean_to_the_cpu(self):
        text = bytearray(log_text(4000))
        text[len(text) // 2] = 0
        self.compressed("app.log", bytes(text), *BLOCKS)
        for mode in (("-c",), ("-n",), ("-a", "-n"), ("--binary", "-n")):
            self.expect_same(*mode, "timeout", "app.log.presso")
            self.expect_same(*mode, "timeout", "app.log.presso", "app.log.presso")

    def test_explain_says_where(self):
        self.compressed("app.log", None, *BLOCKS)
        gpu = self.gpu("scan", "-c", "--explain", "--device=gpu", "timeout", "app.log.presso")
        self.assertIn("searched on the GPU: a line automaton of", gpu.err)
        auto = self.gpu("scan", "-c", "--explain", "timeout", "app.log.presso")
        self.assertIn("searched on the GPU: a line automaton of", auto.err)
        self.set_fake_gpu_rates(start_seconds=3600, rate=1e12)
        auto = self.gpu("scan", "-c", "--explain", "timeout", "app.log.presso")
        self.assertIn("searched on the CPU: the GPU is predicted to be slower", auto.err)
        context = self.gpu("scan", "-C1", "--device=gpu", "timeout", "app.log.presso")
        self.assertIn("searched on the CPU: neighbours of lines are asked for", context.err)

    @covers("scan", "--strategy", "--max-device-memory", "--max-pinned-memory")
    def test_records_are_the_cpus(self):
        self.compressed("app.log", None, *BLOCKS)
        records = ("--record-start", "refused$", "-nC1", "timeout", "app.log.presso")
        self.expect_same(*records)
        said = self.gpu("scan", "--device=gpu", *records).err
        self.assertIn("searched on the CPU: records of several lines are asked for", said)

    def test_neither_strategy_nor_memory_changes_the_result(self):
        self.compressed("app.log", None, *BLOCKS)
        limits = ("--max-device-memory", "32M", "--max-pinned-memory=40M")
        for strategy in ("auto", "mrr", "de"):
            self.expect_same("-n", "--strategy", strategy, *limits, "timeout", "app.log.presso")

    def test_a_gpu_that_fails(self):
        self.compressed("app.log", None, *BLOCKS)
        for how in ("copy=1", "copy=9", "decode=0", "decode=2"):
            cpu = self.gpu("scan", "-n", "--device=cpu", "timeout", "app.log.presso")
            failed = self.gpu("scan", "-n", "--device=gpu", "timeout", "app.log.presso", how=how)
            self.assertEqual(failed.status, 2, how)
            self.assertTrue(cpu.out.startswith(failed.out), how)
            self.assertIn("app.log.presso: ", failed.err)
            auto = self.gpu("scan", "-n", "timeout", "app.log.presso", how=how)
            self.assertEqual((auto.status, auto.out), (cpu.status, cpu.out), how)
        none = self.gpu("scan", "-n", "timeout", "app.log.presso", how="none")
        self.assertEqual(none.status, 0)


if __name__ == "__main__":
    main()
