# SPDX-License-Identifier: MIT
"""--device and its companions: with the presso of this build, on whatever machine this is, and with
one whose GPU decodes on the CPU and fails where it is told to (PRESSO_FAKE_GPU)."""

import json
import os
import subprocess
import unittest

import support
from support import CliTest, covers, main

FAKE = os.path.abspath(os.environ.get("PRESSO_WITH_FAKE_GPU", "no such build"))
BLOCKS = ("--block-size", "16K")


class ThisBuild(CliTest):
    @covers("decompress", "--device")
    @covers("cat", "--device")
    @covers("test", "--device")
    def test_cpu_and_auto_need_no_gpu(self):
        text = self.compressed()
        for device in ("cpu", "auto"):
            self.assertEqual(self.ok("cat", "--device", device, "app.log.presso").out, text)
            self.ok("decompress", "-f", "--device=" + device, "app.log.presso")
            self.assertEqual(self.read("app.log"), text)
            self.ok("test", "--device", device, "app.log.presso")

    def test_gpu_decodes_or_says_why_not(self):
        text = self.compressed()
        devices = json.loads(self.ok("info", "--devices", "--json").out)
        for command in ("cat", "decompress", "test"):
            arguments = (command, "--device", "gpu", "app.log.presso", "app.log.presso")
            if devices["devices"]:
                self.ok(*arguments[:4], *(["-f"] if command == "decompress" else []))
                continue
            result = self.fails(*arguments, saying=devices["no_devices"])
            self.assertTrue(result.err.startswith("presso: --device=gpu: "), result)
            self.assertEqual(result.err.count("\n"), 1, "one error, not one for each file")
            self.assertEqual(result.out, b"")
        self.assertEqual(self.read("app.log"), text)

    def test_unknown_words_are_refused(self):
        self.compressed()
        self.fails("cat", "--device", "tpu", "app.log.presso", saying="auto, cpu, gpu")
        self.fails("test", "--strategy", "fast", "app.log.presso", saying="auto, mrr, de")
        for option in ("--max-device-memory", "--max-pinned-memory"):
            self.fails("test", option, "1M", "app.log.presso", saying="32 MiB")

    @covers("info", "--devices")
    def test_info_lists_devices_or_says_why_there_are_none(self):
        listed = json.loads(self.ok("info", "--devices", "--json").out)
        text = self.ok("info", "--devices").out.decode()
        self.assertEqual(listed["files"], [])
        if listed["devices"]:
            self.assertIn(listed["devices"][0]["name"], text)
            self.assertNotIn("no_devices", listed)
        else:
            self.assertEqual(text.split("\n", 1)[0], "GPUs: none: " + listed["no_devices"])
            self.assertGreater(len(listed["no_devices"]), 10)
        self.compressed()
        both = self.ok("info", "--devices", "app.log.presso").out.decode()
        self.assertTrue(both.startswith(text))
        self.assertIn("app.log.presso", both)
        self.assertIn("GPUs: ", self.ok("--version", "-v").out.decode())


class QueriesOfThisBuild(CliTest):
    def test_auto_says_why_it_is_the_cpu(self):
        """Nobody has measured a GPU: the store is empty."""
        self.write("t.csv", b"id,price\n1,2\n3,4\n")
        for device in ((), ("--device=auto",)):
            done = self.ok("select", "-v", *device, "--agg", "sum(price)", "t.csv")
            self.assertIn("\npresso: auto: the CPU: ", "\n" + done.err)
            self.assertEqual(done.out, b"sum(price)\n6\n")
        done = self.ok("sql", "-v", "--device=cpu", "select sum(price) from 't.csv'")
        self.assertNotIn("auto: ", done.err)
        shown = self.ok("select", "--explain", "--agg", "sum(price)", "t.csv").out.decode()
        self.assertNotIn("device: ", shown)


class Calibration(CliTest):
    @covers("info", "--calibrate")
    def test_prints_and_keeps_what_it_measures(self):
        shown = self.ok("info", "--calibrate").out.decode()
        self.assertRegex(shown, r"^CPU: .*\n")
        self.assertRegex(shown, r"B/s +\S+ .B/s +decode\n")
        self.assertRegex(shown, r"B/s +\S+ .B/s +search\n")
        self.assertIn("\nGPU", shown)
        store = os.path.join(self.cache, "presso", "measurements")
        self.assertTrue(shown.endswith(f"kept in {store}\n"), shown)
        self.assertIn("\ndecode_one_thread=", self.read(store).decode())
        self.assertEqual(self.files(os.path.dirname(store)), ["measurements"])

    def test_needs_no_folder_and_gives_json(self):
        self.write("file", b"")
        env = {"XDG_CACHE_HOME": "", "HOME": os.path.abspath("file")}
        rates = json.loads(self.ok("info", "--calibrate", "--json", env=env).out)["calibration"]
        self.assertFalse(rates["kept"])
        self.assertGreater(rates["cpu"].pop("name"), "")
        for name, rate in rates["cpu"].items():
            self.assertGreater(rate, 0, name)
        self.assertIn(("gpu" in rates, "no_gpu" in rates), ((True, False), (False, True)))


@unittest.skipUnless(os.path.exists(FAKE), "this build has no presso with a fake GPU")
class FakeGpu(CliTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, support, "PRESSO", support.PRESSO)
        support.PRESSO = FAKE
        # So fast that auto takes it for any file whose content is only checked.
        self.set_fake_gpu_rates(start_seconds=1e-9, rate=1e12)

    def gpu(self, *arguments, how="", **more):
        return self.run_presso(*arguments, env={"PRESSO_FAKE_GPU": how}, **more)

    def test_decodes_files_ranges_and_pipes(self):
        text = self.compressed("app.log", None, *BLOCKS)
        packed = self.read("app.log.presso")
        on_gpu = ("--device", "gpu")
        result = self.gpu("decompress", "-fv", *on_gpu, "app.log.presso")
        self.assertEqual(result.status, 0, result)
        self.assertIn(" on the GPU\n", result.err)
        self.assertEqual(self.read("app.log"), text)
        self.assertEqual(self.gpu("cat", *on_gpu, "app.log.presso").out, text)
        self.assertEqual(self.gpu("cat", *on_gpu, stdin=packed).out, text)
        part = self.gpu("cat", *on_gpu, "--bytes", "20000:50000", "app.log.presso")
        self.assertEqual(part.out, text[20000:70000])
        part = self.gpu("cat", *on_gpu, "--blocks", "2-3", "app.log.presso")
        self.assertEqual(part.out, text[2 * 16384 : 4 * 16384])
        result = self.gpu("test", "-v", *on_gpu, "app.log.presso")
        self.assertIn(" on the GPU\n", result.err)

    def test_standard_input_is_read_from_where_it_stands(self):
        text = self.compressed()
        self.write("two", b"sixteen bytes...." + self.read("app.log.presso"))
        with open("two", "rb") as file:
            os.lseek(file.fileno(), 17, os.SEEK_SET)
            command = [support.PRESSO, "cat", "--device", "gpu"]
            done = subprocess.run(command, stdin=file, capture_output=True, check=True)
        self.assertEqual(done.stdout, text)

    @covers("decompress", "--strategy", "--max-device-memory", "--max-pinned-memory")
    @covers("cat", "--strategy", "--max-device-memory", "--max-pinned-memory")
    @covers("test", "--strategy", "--max-device-memory", "--max-pinned-memory")
    def test_neither_strategy_nor_memory_changes_the_result(self):
        text = self.compressed("app.log", None, *BLOCKS)
        limits = ("--max-device-memory", "32M", "--max-pinned-memory=40M")
        for strategy in ("auto", "mrr", "de"):
            options = ("--device=gpu", "--strategy", strategy, *limits, "app.log.presso")
            self.assertEqual(self.gpu("cat", *options).out, text)
            self.assertEqual(self.gpu("decompress", "-c", *options).out, text)
            self.assertEqual(self.gpu("test", *options).status, 0)

    def test_damage_is_named_as_by_the_cpu(self):
        self.compressed("app.log", None, *BLOCKS)
        packed = bytearray(self.read("app.log.presso"))
        packed[len(packed) // 2] ^= 1
        self.write("app.log.presso", bytes(packed))
        for command in (("test",), ("cat",), ("cat", "--salvage")):
            gpu = self.gpu(*command, "--device", "gpu", "app.log.presso")
            cpu = self.gpu(*command, "--device", "cpu", "app.log.presso")
            self.assertEqual((gpu.status, gpu.out), (2, cpu.out))
            self.assertEqual(gpu.err, cpu.err)

    def test_auto_leaves_bit_blocks_to_the_cpu(self):
        text = self.compressed("app.log", None, *BLOCKS, "--coding", "bit")
        for command in (("cat",), ("cat", "--bytes", "20000:50000")):
            result = self.gpu(*command, "-v", "app.log.presso")
            self.assertEqual(result.status, 0)
            self.assertNotIn("on the GPU", result.err)
        self.assertEqual(self.gpu("cat", "app.log.presso").out, text)

    def test_auto_takes_the_gpu_where_it_is_faster(self):
        self.compressed("app.log", None, *BLOCKS)
        fast = self.gpu("test", "-v", "app.log.presso")
        self.assertIn("on the GPU", fast.err)
        piped = self.gpu("test", "-v", stdin=self.read("app.log.presso"))
        self.assertEqual((piped.status, "GPU" in piped.err), (0, False))
        self.set_fake_gpu_rates(start_seconds=3600, rate=1e12)
        slow = self.gpu("test", "-v", "app.log.presso")
        self.assertNotIn("GPU", slow.err)
        os.unlink(os.path.join(self.cache, "presso", "measurements"))
        unknown = self.gpu("test", "-v", "app.log.presso")
        self.assertNotIn("GPU", unknown.err, "a GPU that was not measured is not thought fast")

    def test_a_store_that_cannot_be_used_is_no_error(self):
        self.compressed("app.log", None, *BLOCKS)
        store = os.path.join(self.cache, "presso", "measurements")
        good = self.read(store)
        for content in (b"", b"\0" * 100, good[:-3], good.replace(b"=", b""), b"x" * (2 << 20)):
            self.write(store, content)
            broken = self.gpu("test", "-v", "app.log.presso")
            self.assertEqual((broken.status, "GPU" in broken.err), (0, False), content[:40])
        os.unlink(store)
        os.mkfifo(store)
        self.assertEqual(self.gpu("test", "-v", "app.log.presso").status, 0)
        self.write("file", b"")
        home = os.path.abspath("file")
        for folder in (home, home + "/in/it", "relative", ""):
            env = {"PRESSO_FAKE_GPU": "", "XDG_CACHE_HOME": folder, "HOME": home}
            result = self.run_presso("test", "app.log.presso", env=env)
            self.assertEqual((result.status, result.err), (0, ""), folder)

    def test_calibrating_measures_the_gpu(self):
        self.compressed("app.log", None, *BLOCKS)
        for how, known in (("", True), ("none", False)):
            found = self.gpu("info", "--calibrate", "--json", how=how)
            self.assertEqual((found.status, found.err), (0, ""))
            rates = json.loads(found.out)["calibration"]
            self.assertEqual("gpu" in rates, known)
            self.assertEqual("no_gpu" in rates, not known)
            if known:
                self.assertTrue(rates["kept"])
                self.assertGreater(rates["gpu"]["search_rate"], 0)
                self.assertLess(rates["gpu"]["search_rate"], 1e12, "not what was there before")
                self.assertNotIn("gpu_query", rates)
                self.assertEqual(rates["no_gpu_query"], "the device has no clock")
                shown = self.gpu("info", "--calibrate").out.decode()
                self.assertIn("\nqueries on the GPU were not measured: ", shown)
                self.assertIn("the device has no clock\n", shown)

    def test_auto_goes_on_with_the_cpu_and_says_so(self):
        text = self.compressed("app.log", None, *BLOCKS)
        self.write("b.presso", self.read("app.log.presso"))
        for how in ("none", "small", "copy=0", "copy=5", "decode=0", "decode=2"):
            with self.subTest(how):
                result = self.gpu("test", "-v", "app.log.presso", "b.presso", how=how)
                self.assertEqual(result.status, 0, result)
                self.assertEqual(result.err.count("the GPU is not used any more: "), 1, result)
                self.assertEqual(result.err.count("intact: "), 2, result)
                quiet = self.gpu("test", "app.log.presso", how=how)
                self.assertEqual((quiet.status, quiet.err), (0, ""))
                result = self.gpu("cat", "-T1", "app.log.presso", how=how)
                self.assertEqual((result.status, result.out), (0, text))

    def test_gpu_that_fails_is_an_error(self):
        self.compressed("app.log", None, *BLOCKS)
        os.unlink("app.log")
        for how in ("none", "small", "copy=0", "copy=5", "decode=2"):
            with self.subTest(how):
                for command in ("decompress", "test"):
                    result = self.gpu(command, "--device", "gpu", "app.log.presso", how=how)
                    self.assertEqual(result.status, 2, result)
                    self.assertEqual(result.err.count("\n"), 1, result)
                self.assertEqual(self.files(), ["app.log.presso"])

    def test_info_and_version_show_it(self):
        self.assertIn("Fake GPU", self.gpu("info", "--devices").out.decode())
        self.assertIn("Fake GPU (9.0)", self.gpu("--version", "-v").out.decode())
        self.assertIn("the test says so", self.gpu("info", "--devices", how="none").out.decode())

    def test_info_tells_what_compiles_queries_and_keeps_them(self):
        folder = os.path.join(self.cache, "presso", "kernels")
        missing = {"PRESSO_FAKE_GPU": "", "PRESSO_NVRTC": "/nowhere/nvrtc.so"}
        text = self.ok("info", "--devices", env=missing).out.decode()
        self.assertRegex(text, r"\ncompiler of GPU queries: none: .*/nowhere/nvrtc\.so.*"
                               r"nvidia-cuda-nvrtc")
        self.assertTrue(text.endswith(
            f"\ncompiled GPU queries: 0 in {folder}, 0 of at most 256 MiB\n"), text)
        os.makedirs(folder, 0o700)
        with open(os.path.join(folder, "0.kernels"), "wb") as out:
            out.write(bytes(2048))
        shown = json.loads(self.ok("info", "--devices", "--json").out)["query_compiler"]
        self.assertEqual((shown["cache_folder"], shown["cache_files"], shown["cache_bytes"],
                          shown["no_cache"]), (folder, 1, 2048, None))
        self.assertNotEqual(shown["nvrtc"] is None, shown["no_nvrtc"] is None)
        os.chmod(folder, 0o777)
        text = self.ok("info", "--devices").out.decode()
        self.assertIn(f"\ncompiled GPU queries: are not kept in {folder}: others can write", text)
        env = {"XDG_CACHE_HOME": "", "HOME": ""}
        text = self.ok("info", "--devices", env=env).out.decode()
        self.assertIn("\ncompiled GPU queries: are not kept: neither XDG_CACHE_HOME nor HOME", text)


@unittest.skipUnless(os.path.exists(FAKE), "no presso with a fake GPU")
class Queries(CliTest):
    """Kernels run in the emulator."""

    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, support, "PRESSO", support.PRESSO)
        support.PRESSO = FAKE
        lines = ["id,word,price"]
        for i in range(3000):
            lines.append("%d,%s,%d.%02d" % (i, ("red", "green", "blue")[i % 3], i % 97, i % 100))
        self.write("t.csv", ("\n".join(lines) + "\n").encode())
        self.ok("compress", "--table", "csv", "t.csv")

    @covers("select", "--device", "--max-device-memory", "--max-pinned-memory")
    def test_a_gpu_answers_as_the_cpu(self):
        groups = ("--where", "id > 100", "--group-by", "word", "--agg", "count(*), sum(price)")
        rows = ("--where", "id between 7 and 40 and price < 30", "--columns", "id, word")
        on_gpu = ("-v", "--device=gpu", "--max-device-memory=64M", "--max-pinned-memory=64M")
        for asked, where in ((groups, "conditions and groups on "), (rows, "conditions on ")):
            done = self.ok("select", *on_gpu, *asked, "t.csv.presso")
            self.assertEqual(done.out, self.ok("select", *asked, "t.csv.presso").out)
            self.assertIn(where + "the emulator", done.err)

    @covers("sql", "--device", "--max-device-memory", "--max-pinned-memory")
    @covers("join", "--device", "--max-device-memory", "--max-pinned-memory")
    def test_what_it_cannot_do_is_said(self):
        agg = "max(left.word)"
        join = ("join", "--on", "id", "--agg", agg, "t.csv.presso", "t.csv.presso")
        limits = ("--max-device-memory=1G", "--max-pinned-memory=1G")
        done = self.ok(*join, "-v", "--device=gpu", "--kind=full", *limits)
        self.assertEqual(done.out, self.ok(*join, "--kind=full", "--device=cpu").out)
        self.assertIn("on the CPU: aggregates of other than numbers of 64 bits", done.err)
        statement = "select max(word) as w from 't.csv.presso' where id > 5"
        done = self.ok("sql", "-v", "--device=gpu", *limits, statement)
        self.assertEqual(done.out, self.ok("sql", "--device=auto", statement).out)
        self.assertIn("conditions on the emulator", done.err)

    @covers("select", "--plan", "--plan-rows")
    def test_plans_are_followed_or_refused(self):
        asked = ("select", "--where", "id > 100 and price < 50 and id < price * 90",
                 "--group-by", "word", "--agg", "count(*), sum(price)", "t.csv.presso")
        expected = self.ok(*asked, "--device=cpu").out
        for plan, kernels in (("1&2&&3", 1), ("3;2&1", 2), ("2;3;1;", 4)):
            done = self.ok(*asked, "-v", "--device=gpu", "--plan", plan, "--plan-rows=bitmap")
            self.assertEqual(done.out, expected)
            self.assertIn("conditions and groups on the emulator", done.err)
            shown = self.ok(*asked, "--device=gpu", "--plan", plan, "--explain=analyze").out
            shown = shown.decode()
            self.assertIn("\non the GPU: plan " + plan + ", ", shown)
            self.assertEqual(shown.count("\non the GPU: kernel "), kernels)
        for plan in ("3&&1;2", "1&3;2"):
            self.fails(*asked, "--device=gpu", "--plan", plan,
                       saying="a plan that a GPU cannot follow: condition 3 is an expression")
        self.fails(*asked, "--device=gpu", "--plan", "1;2;3", "--plan-rows=list",
                   saying="a plan that a GPU cannot follow")
        self.set_fake_gpu_rates(start_seconds=1e-9, rate=1e12)
        done = self.ok(*asked, "-v", "--plan", "3&&1;2")
        self.assertEqual(done.out, expected)
        self.assertIn("the rest on the CPU: a plan that a GPU cannot follow", done.err)

    def test_rows_without_a_partner_come_from_there(self):
        few = b"id,part\n" + b"".join(b"%d,%d\n" % (i * 70, i % 4) for i in range(300))
        self.write("few.csv", few)
        self.ok("compress", "-f", "--table", "csv", "few.csv")
        join = ("join", "--on", "id", "--kind=full", "--group-by", "part",
                "--agg", "count(*), sum(left.price)", "t.csv.presso", "few.csv.presso")
        done = self.ok(*join, "-v", "--device=gpu")
        self.assertEqual(done.out, self.ok(*join, "--device=cpu").out)
        self.assertIn("joins, conditions and groups on the emulator", done.err)

    def test_names_of_columns_never_reach_the_compiler(self):
        names = ('a"b', '*/ #include "/etc/passwd" /*', "x\\", "// y", "%s%n", "new\nline",
                 "escape\x1b[2J", "é" * 50)
        rows = [",".join('"' + name.replace('"', '""') + '"' for name in names)]
        rows += [",".join(str((i * 7 + k) % 10) for k in range(len(names))) for i in range(3000)]
        self.write("odd.csv", "\n".join(rows).encode() + b"\n")
        self.ok("compress", "-q", "--table", "auto", "odd.csv")
        key, *others = ('"' + name.replace('"', '""') + '"' for name in names)
        sums = ", ".join(f"sum({name})" for name in others)
        statement = (f"select {key}, {sums} from 'odd.csv.presso' "
                     f"where {others[0]} > 2 and {others[-1]} < 8 group by {key}")
        on_gpu = self.ok("sql", "-v", "--device=gpu", statement)
        self.assertIn("conditions and groups on the emulator", on_gpu.err)
        self.assertEqual(on_gpu.out, self.ok("sql", "--device=cpu", statement).out)
        told = self.ok("sql", "--device=gpu", "--explain=code", statement).out.decode()
        self.assertNotIn("\x1b", told)
        listed, code = told.split("// Generated by presso", 1)
        for name in ("passwd", "// y", "%s%n", "escape", "éé"):
            self.assertIn(name, listed)
            self.assertNotIn(name, code)

    def test_questions_that_are_too_large_are_left_to_the_cpu(self):
        for what, why in (
            ("count(*) n from 't.csv.presso' where "
             + " or ".join(f"(id = {i} and word <> 'w{i % 7}')" for i in range(300)), "conditions"),
            (", ".join(f"sum(id * {i})" for i in range(1, 200)) + " from 't.csv.presso'",
             "aggregates"),
            ("sum(" + "(" * 200 + "id" + " * id + 1)" * 200 + ") s from 't.csv.presso'", "steps"),
        ):
            on_gpu = self.run_presso("sql", "-v", "--device=gpu", "select " + what)
            on_cpu = self.run_presso("sql", "--device=cpu", "select " + what)
            self.assertEqual((on_gpu.status, on_gpu.out), (on_cpu.status, on_cpu.out))
            if on_gpu.status == 0:
                self.assertRegex(on_gpu.err, "the rest on the CPU: .*" + why)

    def test_joined_rows_are_grouped_there(self):
        for second in ("t.csv.presso", "few.csv.presso"):
            few = b"id,part\n" + b"".join(b"%d,%d\n" % (i * 7, i % 4) for i in range(300))
            self.write("few.csv", few)
            self.ok("compress", "-f", "--table", "csv", "few.csv")
            join = ("join", "--on", "id", "--group-by", "left.word",
                    "--agg", "count(*), sum(left.price)", "t.csv.presso", second)
            done = self.ok(*join, "-v", "--device=gpu")
            self.assertEqual(done.out, self.ok(*join, "--device=cpu").out)
            self.assertIn("joins, conditions and groups on the emulator", done.err)
            shown = self.ok(*join, "--device=gpu", "--explain=analyze").out.decode()
            self.assertIn("on the GPU: ", shown)
            self.assertIn(" places\n", shown)

    def test_a_damaged_build_side_is_an_error(self):
        few = b"id,part\n" + b"".join(b"%d,%d\n" % (i * 7, i % 4) for i in range(300))
        self.write("few.csv", few)
        self.ok("compress", "--table", "csv", "few.csv")
        join = ("join", "--on", "id", "--agg", "count(*), max(part)", "t.csv.presso",
                "few.csv.presso")
        whole = self.read("few.csv.presso")
        damaged = 0
        for at in range(100, len(whole) - 300, 11):
            self.write("few.csv.presso", whole[:at] + bytes([whole[at] ^ 0x20]) + whole[at + 1:])
            by_cpu = self.run_presso(*join, "--device=cpu")
            by_gpu = self.run_presso(*join, "--device=gpu")
            self.assertEqual((by_gpu.status, by_gpu.out, by_gpu.err),
                             (by_cpu.status, by_cpu.out, by_cpu.err))
            damaged += by_cpu.status != 0
        self.assertGreater(damaged, 3)

    ASKED = ("select", "-v", "--where", "id > 5", "--group-by", "word", "--agg", "sum(price)")

    def asked_auto(self, *more, how=""):
        """The same answer as without a GPU, and what -v says."""
        result = self.ok(*self.ASKED, *more, "t.csv.presso", env={"PRESSO_FAKE_GPU": how})
        cpu = self.ok(*self.ASKED, "--device=cpu", *more, "t.csv.presso")
        self.assertEqual(result.out, cpu.out)
        self.assertNotIn("auto: ", cpu.err)
        self.assertEqual(result.err.count("presso: auto: the "), 2 if how == "none" else 1, result)
        return result.err

    def test_auto_takes_the_gpu_where_it_is_predicted_to_be_faster(self):
        self.set_fake_gpu_rates(start_seconds=1e-9, rate=1e12)
        said = self.asked_auto()
        self.assertRegex(said, r"auto: the GPU, \S+ s against \S+ s on the CPU\n")
        self.assertIn("conditions and groups on the emulator", said)
        # Slower than the CPU, yet not by so much that no forecast is made: 3,000 rows of 200 ns.
        self.set_fake_gpu_rates(start_seconds=1e-4, rate=1e12)
        said = self.asked_auto("--threads=1")
        self.assertRegex(said, r"auto: the CPU, \S+ s against 0.0001 s on the GPU\n")
        self.assertNotIn("emulator", said)
        self.set_fake_gpu_rates(start_seconds=3600, rate=1e12)
        self.assertIn("auto: the CPU: the tables are read before", self.asked_auto())

    @covers("select", "--no-code-cache")
    @covers("join", "--no-code-cache")
    @covers("sql", "--no-code-cache")
    def test_auto_counts_compiling_what_was_not_compiled_before(self):
        def asked(number, *flags):
            return self.ok("select", "-v", *flags, "--where", f"id > {number}", "--agg=sum(id)",
                           "t.csv.presso").err

        self.set_fake_gpu_rates(start_seconds=1e-9, rate=1e12, compile_seconds=3600)
        self.assertIn("auto: the CPU, ", asked(5))
        self.assertIn("against 3600 s on the GPU\n", asked(5))
        # What is not to be kept is not noted.
        self.assertIn(" on the emulator", asked(5, "--device=gpu", "--no-code-cache"))
        self.assertIn("auto: the CPU, ", asked(5))
        self.assertIn(" on the emulator", asked(5, "--device=gpu"))
        self.assertIn("auto: the GPU, ", asked(5))
        self.assertIn("auto: the GPU, ", asked(77))
        self.assertIn("auto: the CPU, ", asked(5, "--no-code-cache"))
        # Another shape.
        self.assertIn("auto: the CPU, ", asked(5, "--group-by", "word"))
        statement = "select sum(id) from 't.csv.presso' where id > 9"
        self.assertIn("auto: the GPU, ", self.ok("sql", "-v", statement).err)
        self.assertIn("auto: the CPU, ", self.ok("sql", "-v", "--no-code-cache", statement).err)
        joined = ("join", "-v", "--no-code-cache", "--on", "id", "--agg=count(*)",
                  "t.csv.presso", "t.csv.presso")
        self.assertIn("auto: the CPU, ", self.ok(*joined).err)

    def test_auto_is_the_cpu_where_the_gpu_was_not_measured_or_is_of_no_use(self):
        self.assertIn("auto: the CPU: the GPU's rates are not known", self.asked_auto())
        # By a presso that did not measure queries.
        self.set_fake_gpu_rates(start_seconds=1e-9, rate=1e12, knows_queries=False)
        self.assertIn("auto: the CPU: the GPU's rates are not known", self.asked_auto())
        self.set_fake_gpu_rates(start_seconds=1e-9, rate=1e12)
        rows = self.ok("select", "-v", "--where", "id > 5", "--limit=3", "t.csv.presso")
        self.assertIn("auto: the CPU: few rows are asked for\n", rows.err)
        rows = self.ok("sql", "-v", "select max(word) from 't.csv.presso'")
        self.assertIn("auto: the CPU: aggregates of other than numbers of 64 bits\n", rows.err)

    @covers("select", "--group-strategy")
    @covers("join", "--group-strategy")
    @covers("sql", "--group-strategy")
    def test_strategies_are_the_cpus(self):
        self.set_fake_gpu_rates(start_seconds=1e-9, rate=1e12)
        asked = ("--group-by", "word", "--agg", "count(*)")
        statement = "select word, count(*) from 't.csv.presso' group by word"
        join = ("join", "--on", "id", "--agg", "count(*)", "t.csv.presso", "t.csv.presso")
        for command in (("select", "--group-strategy=hash", *asked, "t.csv.presso"),
                        ("sql", "--group-strategy=dense", statement),
                        (*join, "--group-strategy=radix")):
            expected = self.ok(*command, "--device=cpu").out
            done = self.ok(*command, "-v", "--device=auto")
            self.assertEqual(done.out, expected)
            self.assertIn("auto: the CPU: a way that is the CPU's is asked for\n", done.err)
            self.fails(*command, "--device=gpu",
                       saying="strategies of groups are the CPU's, a GPU ")

    @covers("join", "--strategy")
    def test_a_gpu_has_the_strategies_of_joins(self):
        self.set_fake_gpu_rates(start_seconds=1e-9, rate=1e12)
        join = ("join", "--on", "id", "--agg", "count(*)", "t.csv.presso", "t.csv.presso")
        expected = self.ok(*join, "--device=cpu").out
        for strategy in ("merge", "direct", "unchained"):
            done = self.ok(*join, f"--strategy={strategy}", "-v", "--device=auto")
            self.assertEqual(done.out, expected)
            self.assertIn("joins, conditions and groups on the emulator", done.err)

    def test_auto_joins_on_the_gpu(self):
        self.set_fake_gpu_rates(start_seconds=1e-9, rate=1e12)
        join = ("join", "--on", "id", "--group-by", "left.word", "--agg", "sum(left.price)",
                "t.csv.presso", "t.csv.presso")
        done = self.ok(*join, "-v")
        self.assertEqual(done.out, self.ok(*join, "--device=cpu").out)
        self.assertIn("joins, conditions and groups on the emulator", done.err)

    def test_explain_tells_what_auto_would_do(self):
        self.set_fake_gpu_rates(start_seconds=1e-9, rate=1e12)
        for explain in ("--explain", "--explain=analyze"):
            shown = self.ok(*self.ASKED, explain, "t.csv.presso").out.decode()
            self.assertRegex(shown, r"\ndevice: the GPU, \S+ s against \S+ s on the CPU\n$")
            self.assertEqual("groups: on the GPU" in shown, explain == "--explain=analyze")

    def test_explain_tells_the_plan_by_the_gpus_rates(self):
        asked = ("select", "--explain", "--device=gpu", "--where", "id > 5 and price > 1",
                 "--agg", "count(*)", "t.csv.presso")
        self.assertRegex(self.ok(*asked).out.decode(), r"on the GPU: plan \S+, one kernel\n")
        self.set_fake_gpu_rates(start_seconds=1e-9, rate=1e12)
        self.assertRegex(self.ok(*asked).out.decode(),
                         r"on the GPU: plan \S+, one kernel, predicted \S+ ns a row\n")

    def test_auto_goes_on_with_the_cpu_where_the_gpu_fails(self):
        self.set_fake_gpu_rates(start_seconds=1e-9, rate=1e12)
        said = self.asked_auto(how="none")
        self.assertIn("auto: the CPU: the GPU cannot be opened: ", said)
        self.assertIn("the test says so", said)
        for how, why in (("small", "device memory"), ("launch=", "GPU failed"),
                         ("no-compiler", "NVRTC")):
            said = self.asked_auto(how=how)
            self.assertRegex(said, "the rest on the CPU: .*" + why)
            join = ("join", "-v", "--on", "id", "--group-by", "left.word", "--agg",
                    "sum(left.price)", "t.csv.presso", "t.csv.presso")
            rows = ("join", "-v", "--on", "id", "--columns", "left.id, right.word", "--order-by",
                    "left.price, left.id", "t.csv.presso", "t.csv.presso")
            few = ("select", "-v", "--threads=1", "--where", "price * id + id * 3 > 900",
                   "--order-by", "price, id", "t.csv.presso")
            for asked in (join, rows, few):
                done = self.ok(*asked, env={"PRESSO_FAKE_GPU": how})
                self.assertEqual(done.out, self.ok(*asked, "--device=cpu").out)
                self.assertIn("auto: the GPU, ", done.err)
                self.assertRegex(done.err, "the rest on the CPU: .*" + why)

    def test_a_gpu_that_fails_is_an_error(self):
        asked = ("select", "--device=gpu", "--where", "id > 5", "--agg", "sum(price)")
        for how, says in (
            ("none", "--device=gpu: "),
            ("small", "out of device memory"),
            ("launch=", "GPU failed"),
            ("no-compiler", "no usable GPU: NVIDIA's run-time compiler NVRTC, which compiles "
                            "queries for the GPU, was not found (looked for: "
                            "/nowhere/libnvrtc.so.13); install the package "),
        ):
            result = self.fails(*asked, "t.csv.presso", saying=says, env={"PRESSO_FAKE_GPU": how})
            self.assertEqual(result.out, b"")


if __name__ == "__main__":
    main()
