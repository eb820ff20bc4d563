# SPDX-License-Identifier: MIT
"""presso compress: every flag, names, refusals, what is kept."""

import json
import os
import random
import signal
import stat
import subprocess
import threading
import time

from support import PRESSO, CliTest, covers, log_text, main


class Outputs(CliTest):
    def test_file_becomes_file_presso_and_stays(self):
        text = self.compressed()
        self.assertEqual(self.files(), ["app.log", "app.log.presso"])
        self.assertEqual(self.read("app.log"), text)
        self.assert_round_trip("app.log.presso", text)

    @covers("compress", "--output")
    def test_output_names_the_file(self):
        self.write("app.log", b"text\n")
        self.ok("compress", "-o", "other", "app.log")
        self.assertEqual(self.files(), ["app.log", "other"])
        piped = self.ok("compress", "--output=-", "app.log").out
        self.assertEqual(piped, self.read("other"))

    def test_one_output_for_several_inputs_is_a_usage_error(self):
        self.write("a", b"a")
        self.write("b", b"b")
        self.fails("compress", "-o", "out", "a", "b", saying="2 inputs")
        self.fails("compress", "--output=", "a", saying="empty")
        self.assertEqual(self.files(), ["a", "b"])

    @covers("compress", "--stdout")
    def test_stdout_writes_several_files_one_after_another(self):
        self.write("a", b"aaa\n")
        self.write("b", b"bbb\n")
        both = self.ok("compress", "-c", "a", "b").out
        self.assertEqual(self.ok("cat", stdin=both).out, b"aaa\nbbb\n")
        self.assertEqual(self.files(), ["a", "b"])

    @covers("compress", "--index", "--index-size")
    def test_index(self):
        text = log_text(8000)
        self.write("app.log", text)
        tables = []
        for options in (["--no-index"], ["--index"], ["--index-size", "20"], ["--index-size=4.5"]):
            self.ok("compress", "-f", "-3", "--dict", "none", *options, "app.log")
            self.assert_round_trip("app.log.presso", text)
            tables.append(json.loads(self.ok("info", "--json", "app.log.presso").out)["files"][0])
            self.ok("test", "app.log.presso")
        self.assertEqual(tables[0]["search_index_bytes"], 0)
        without = tables[0]["compressed_bytes"]
        for table, percent in zip(tables[1:], (8, 20, 4.5)):
            share = 100 * table["search_index_bytes"] / without
            self.assertAlmostEqual(share, percent, delta=percent * 0.1)
            more = table["compressed_bytes"] - without
            self.assertAlmostEqual(more, table["search_index_bytes"], delta=16)
        self.assertIn("-grams", self.ok("info", "app.log.presso").out.decode())
        piped = self.ok("compress", "-3", "--dict", "none", "--index-size=4.5", stdin=text).out
        packed = self.ok("compress", "-3", "--dict", "none", "--index-size=4.5", "-T1", stdin=text)
        self.assertEqual(piped, packed.out)
        for bad in ("0", "101", "1.25", "x", "1.", "", "-1", "0.0"):
            self.fails("compress", "--index-size=" + bad, "app.log", saying="index-size")

    def test_damaged_line_facts_are_found_by_test_and_info(self):
        text = self.compressed("app.log", None)
        packed = bytearray(self.read("app.log.presso"))
        at = packed.index(b"\xf7PBL\0\0\0\0")
        packed[at + 40] ^= 1
        self.write("app.log.presso", bytes(packed))
        self.fails("test", "app.log.presso", saying="line facts")
        self.assertIn("damaged", self.ok("info", "app.log.presso").out.decode())
        report = json.loads(self.ok("info", "--json", "app.log.presso").out)["files"][0]
        self.assertIsNone(report["lines"])
        self.assert_round_trip("app.log.presso", text)
        packed[at + 5] ^= 1  # in the header, so that the index is rebuilt to read the file
        self.write("app.log.presso", bytes(packed))
        salvaged = self.run_presso("decompress", "--salvage", "-c", "app.log.presso")
        self.assertEqual(salvaged.out, text)

    def test_a_damaged_index_is_found_by_test_and_info(self):
        self.compressed("app.log", None, "--index")
        packed = bytearray(self.read("app.log.presso"))
        packed[packed.index(b"\xf7PBF\0\0\0\0") + 60] ^= 1
        self.write("app.log.presso", bytes(packed))
        self.fails("test", "app.log.presso", saying="search index")
        self.assertIn("damaged", self.ok("info", "app.log.presso").out.decode())
        self.assert_round_trip("app.log.presso", self.read("app.log"))

    def test_standard_input_to_standard_output(self):
        text = log_text(500)
        for operands in ([], ["-"]):
            packed = self.ok("compress", *operands, stdin=text).out
            self.assertEqual(self.ok("decompress", stdin=packed).out, text)

    def test_empty_file(self):
        self.compressed("empty", b"")
        self.assert_round_trip("empty.presso", b"")

    @covers("compress", "--keep", "--rm")
    def test_rm_removes_the_source_only_once_the_output_is_there(self):
        text = log_text(100)
        self.write("app.log", text)
        self.ok("compress", "-k", "app.log")
        self.assertIn("app.log", self.files())
        self.fails("compress", "--rm", "app.log", saying="exists")
        self.assertIn("app.log", self.files())
        self.ok("compress", "--rm", "-f", "app.log")
        self.assertEqual(self.files(), ["app.log.presso"])
        self.assert_round_trip("app.log.presso", text)
        self.write("b", text)
        self.ok("compress", "--rm", "-c", "b")
        self.assertIn("b", self.files())

    def test_rm_keeps_a_source_that_changed_meanwhile(self):
        def append(name):
            with open(name, "ab") as file:
                file.write(b"one line more\n")

        def rotate(name):
            os.rename(name, "rotated")
            self.write(name, b"a new log\n")

        text = log_text(8000)
        for change in (append, rotate):
            self.write("app.log", text)
            running = subprocess.Popen(
                [PRESSO, "compress", "--rm", "-f", "-12", "--dict", "none", "-T1", "app.log"],
                stderr=subprocess.PIPE,
            )
            # The output is begun once the input is open.
            while running.poll() is None and not self.unfinished():
                time.sleep(0.001)
            os.kill(running.pid, signal.SIGSTOP)
            change("app.log")
            os.kill(running.pid, signal.SIGCONT)
            said = running.communicate(timeout=120)[1].decode()
            self.assertEqual(running.returncode, 2, said)
            self.assertIn("app.log: changed while it was read; not removed", said)
            self.assertIn("app.log", self.files())
            self.assertIn("app.log.presso", self.files())

    def unfinished(self):
        return [name for name in os.listdir(".") if name.startswith(".app.log")]

    @covers("compress", "--recursive")
    def test_recursive_takes_regular_files_only(self):
        self.write("logs/a.log", b"a\n")
        self.write("logs/deep/b.log", b"b\n")
        self.write("logs/old.presso", b"not ours")
        self.write("target", b"t\n")
        os.symlink("../target", "logs/link")
        self.fails("compress", "logs", saying="-r takes the files below it")
        result = self.ok("compress", "-r", "logs")
        self.assertIn("compressed already", result.err)
        self.assertEqual(
            self.files("logs"), ["a.log", "a.log.presso", "deep", "link", "old.presso"]
        )
        self.assertEqual(self.files("logs/deep"), ["b.log", "b.log.presso"])

    def test_symbolic_link_named_by_the_user_is_read(self):
        self.write("target", b"t\n")
        os.symlink("target", "link")
        self.ok("compress", "link")
        self.assert_round_trip("link.presso", b"t\n")


class Refusals(CliTest):
    @covers("compress", "--force")
    def test_existing_output_is_kept_without_force(self):
        self.write("app.log", b"text\n")
        self.write("app.log.presso", b"precious")
        self.fails("compress", "app.log", saying="exists; not overwritten")
        self.assertEqual(self.read("app.log.presso"), b"precious")
        self.ok("compress", "-f", "app.log")
        self.assert_round_trip("app.log.presso", b"text\n")

    def test_terminal_is_asked_before_overwriting(self):
        self.write("app.log", b"text\n")
        self.write("app.log.presso", b"precious")
        status, output = self.on_terminal("compress", "app.log", answers=b"n\n")
        self.assertEqual(status, 2, output)
        self.assertIn("overwrite it? (y/n)", output)
        self.assertEqual(self.read("app.log.presso"), b"precious")
        status, output = self.on_terminal("compress", "app.log", answers=b"y\n")
        self.assertEqual(status, 0, output)
        self.assert_round_trip("app.log.presso", b"text\n")

    def test_compressed_data_are_not_written_to_a_terminal(self):
        self.write("app.log", b"text\n")
        status, output = self.on_terminal("compress", "-c", "app.log")
        self.assertEqual(status, 2)
        self.assertIn("not written to a terminal", output)
        status, output = self.on_terminal("compress", "-cf", "app.log")
        self.assertEqual(status, 0)
        self.assertIn("PRESSO", output)

    def test_waiting_for_a_terminal_is_refused(self):
        status, output = self.on_terminal("compress")
        self.assertEqual(status, 2)
        self.assertIn("standard input is a terminal", output)

    def test_presso_files_are_skipped_without_force(self):
        self.compressed()
        result = self.ok("compress", "app.log.presso")
        self.assertIn("compressed already", result.err)
        self.assertEqual(self.files(), ["app.log", "app.log.presso"])
        self.ok("compress", "-f", "app.log.presso")
        self.assertIn("app.log.presso.presso", self.files())

    def test_output_equal_to_input_is_refused(self):
        text = log_text(100)
        self.write("app.log", text)
        os.link("app.log", "same")
        os.symlink("app.log", "link")
        for name in ("app.log", "./app.log", "same", "link"):
            self.fails("compress", "-f", "-o", name, "app.log", saying="is the input itself")
        with open("app.log", "ab") as stdout:
            done = subprocess.run(
                [PRESSO, "compress", "-c", "app.log"], stdout=stdout, stderr=subprocess.PIPE
            )
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.read("app.log"), text)

    def test_missing_file_and_going_on_with_the_next(self):
        self.write("b", b"b\n")
        self.fails("compress", "a", "b", saying="presso: a: ")
        self.assertEqual(self.files(), ["b", "b.presso"])

    def test_special_file_needs_an_output_name(self):
        os.mkfifo("pipe")
        holder = os.open("pipe", os.O_RDWR)
        self.addCleanup(os.close, holder)
        self.fails("compress", "pipe", saying="not a regular file")


class Kept(CliTest):
    def test_mode_and_time_are_given_to_the_output_and_stored(self):
        self.write("app.log", b"text\n")
        os.chmod("app.log", 0o640)
        os.utime("app.log", ns=(1, 1234567890123456789))
        self.ok("compress", "app.log")
        about = os.stat("app.log.presso")
        self.assertEqual(stat.S_IMODE(about.st_mode), 0o640)
        self.assertEqual(about.st_mtime_ns, 1234567890123456789)
        info = json.loads(self.ok("info", "--json", "app.log.presso").out)
        self.assertEqual(
            info["files"][0]["metadata"],
            {"name": "app.log", "mtime": "1234567890123456789", "mode": "640"},
        )

    def test_time_that_does_not_fit_is_left_out(self):
        self.write("app.log", b"text\n")
        os.utime("app.log", (0, 9223372036))
        if os.stat("app.log").st_mtime != 9223372036:
            self.skipTest("the file system has no such time")
        self.ok("compress", "app.log")
        info = json.loads(self.ok("info", "--json", "app.log.presso").out)
        self.assertNotIn("mtime", info["files"][0]["metadata"])

    def test_output_from_a_pipe_follows_the_umask(self):
        before = os.umask(0o027)
        try:
            self.ok("compress", "-o", "out", stdin=b"x")
        finally:
            os.umask(before)
        self.assertEqual(stat.S_IMODE(os.stat("out").st_mode), 0o640)


class Encoding(CliTest):
    def info(self, name="app.log.presso", *options):
        return json.loads(self.ok("info", "--json", *options, name).out)["files"][0]

    @covers("compress", "--level")
    def test_every_level_round_trips(self):
        text = log_text(800)
        self.write("app.log", text)
        for level in range(1, 13):
            packed = self.ok("compress", f"-{level}", "-c", "app.log").out
            self.assertEqual(packed, self.ok("compress", f"--level={level}", "-c", "app.log").out)
            self.assertLess(len(packed), len(text) / 2)
            self.assertEqual(self.ok("cat", stdin=packed).out, text)

    @covers("compress", "--block-size")
    def test_block_size(self):
        text = self.compressed("app.log", None, "--block-size", "16K")
        info = self.info()
        self.assertEqual(info["block_bytes"], 16384)
        self.assertEqual(info["blocks"], -(-len(text) // 16384))

    @covers("compress", "--deps")
    def test_dependency_rules(self):
        text = log_text(2000)
        self.write("app.log", text)
        for rule in ("none", "strict", "literal-aware", "two-wave", "tile"):
            self.ok("compress", "-f", "--deps", rule, "app.log")
            self.assertEqual(self.info()["rule"], rule)
            self.assert_round_trip("app.log.presso", text)
        self.ok("compress", "-f", "--deps", "strict", "--deps", "auto", "app.log")
        by_level = self.read("app.log.presso")
        self.ok("compress", "-f", "app.log")
        self.assertEqual(self.read("app.log.presso"), by_level)

    @covers("compress", "--group")
    def test_group(self):
        text = self.compressed("app.log", None, "--deps", "strict", "--group", "64")
        table = self.info("app.log.presso", "--blocks")["block_table"]
        self.assertEqual({block["group"] for block in table}, {64})
        self.assert_round_trip("app.log.presso", text)

    def groups(self):
        table = self.info("app.log.presso", "--blocks")["block_table"]
        return {(block["rule"], block["group"]) for block in table}

    def far_offsets(self):
        table = self.info("app.log.presso", "--blocks")["block_table"]
        return sum(block["far_offsets"] for block in table)

    @covers("compress", "--deps", "--group")
    def test_tile_sizes(self):
        self.write("app.log", log_text(2000))
        for options, size in (([], 2048), (["--group", "1024"], 1024), (["--group", "32K"], 32768)):
            self.ok("compress", "-f", *options, "--deps", "tile", "app.log")
            self.assertEqual(self.groups(), {("tile", size)})
        tile = ("compress", "-f", "--deps", "tile", "app.log")
        self.fails(*tile, "--group", "512", saying="from 1024 to 32768")
        self.fails(*tile, "--group", "64K", saying="out of range")
        self.fails("compress", "-f", "--group", "2048", "app.log", saying="from 32 to 1024")

    @covers("compress", "--favor")
    def test_favor(self):
        text = log_text(12000)
        self.write("app.log", text)
        for level in ("-1", "-6", "-9"):
            decode = ("compress", "-f", level, "--favor", "decode", "app.log")
            self.ok(*decode)
            self.assertEqual(self.groups(), {("tile", 2048)})
            self.assertEqual(self.info()["dictionary_bytes"], 0)
            self.assert_round_trip("app.log.presso", text)
            self.assertEqual(self.far_offsets(), 0)
            self.ok(*decode, "--window", "4M")
            self.assertGreater(self.far_offsets(), 0)
            self.ok(*decode, "--deps", "strict", "--dict", "64K")
            self.assertEqual(self.groups(), {("strict", 32)})
            self.assertEqual(self.info()["dictionary_bytes"], 65536)
            self.assert_round_trip("app.log.presso", text)
        self.ok("compress", "-f", "--favor", "decode", "--favor", "ratio", "app.log")
        self.assertEqual(self.read("app.log.presso"), self.ok("compress", "-c", "app.log").out)
        self.fails("compress", "--favor", "speed", "app.log", saying="not one of ratio, decode")
        self.fails(*decode, "--group", "64", saying="from 1024 to 32768")

    @covers("compress", "--dict")
    def test_dictionary(self):
        text = self.compressed("app.log", None, "--dict", "none")
        self.assertEqual(self.info()["dictionary_bytes"], 0)
        self.ok("compress", "-f", "--dict", "64K", "--block-size", "16K", "app.log")
        self.assertGreater(self.info()["dictionary_bytes"], 0)
        self.assert_round_trip("app.log.presso", text)
        self.ok("compress", "-f", "--dict", "auto", "app.log")
        self.assert_round_trip("app.log.presso", text)

    @covers("compress", "--dict-renew")
    def test_dictionary_is_renewed(self):
        def pieces(seed):
            draw = random.Random(seed)
            pool = [draw.randbytes(200) for _ in range(600)]
            return b"".join(draw.choice(pool) for _ in range((40 << 20) // 200))

        stream = pieces(1) + pieces(2)
        blocks = ("compress", "-4", "-c", "--block-size", "64K")
        sizes = []
        for renew in ("0", "8M", "256M"):
            sizes.append(len(self.ok(*blocks, "--dict-renew", renew, stdin=stream).out))
        self.assertLess(sizes[1], sizes[0] * 2 / 3)
        self.assertEqual(sizes[2], sizes[0])
        self.fails(*blocks, "--dict-renew", "7M", saying="out of range")

    def test_block_size_is_chosen_by_trial(self):
        self.write("noise", random.Random(1).randbytes(17 << 20))
        auto = (65536, ("--block-size", "auto"))
        byte = ("--coding", "byte")
        for size, options in ((65536, ()), auto, (1 << 20, ("--block-size", "1M"))):
            self.ok("compress", "-4", "-f", *byte, *options, "noise")
            self.assertEqual(self.info("noise.presso")["block_bytes"], size)
        self.ok("compress", "-f", "noise")
        self.assertEqual(self.info("noise.presso")["block_bytes"], 1 << 20)
        self.fails("compress", "--block-size", "3", "noise", saying="or auto")

    @covers("compress", "--dict-by-name")
    @covers("decompress", "--dict")
    @covers("cat", "--dict")
    @covers("test", "--dict")
    @covers("scan", "--dict")
    def test_dictionary_file(self):
        text = log_text(300)
        self.write("app.log", text)
        self.write("words", log_text(500, seed=2))
        alone = len(self.ok("compress", "-6", "-c", "app.log").out)
        self.ok("compress", "--dict", "words", "app.log")
        self.assertEqual(self.info()["dictionary_bytes"], os.path.getsize("words"))
        self.assert_round_trip("app.log.presso", text)
        self.ok("compress", "-6", "-f", "--dict", "words", "--dict-by-name", "app.log")
        self.assertEqual(self.info()["dictionary_bytes"], os.path.getsize("words"))
        self.assertLess(os.path.getsize("app.log.presso"), alone)
        known = ("--dict", "app.log", "--dict", "words")
        self.assertEqual(self.ok("cat", *known, "app.log.presso").out, text)
        part = self.ok("cat", *known, "--bytes", "50:9", "app.log.presso").out
        self.assertEqual(part, text[50:59])
        self.ok("decompress", "-f", *known, "app.log.presso")
        self.assertEqual(self.read("app.log"), text)
        self.ok("test", *known, "app.log.presso")
        found = self.ok("scan", "-c", *known, "refused", "app.log.presso").out
        self.assertEqual(int(found), sum(b"refused" in line for line in text.splitlines()))
        for command in ("cat", "test", ("scan", "refused")):
            command = (command,) if isinstance(command, str) else command
            lacking = self.fails(*command, "app.log.presso", saying="missing dictionary")
            self.assertIn("none was given; --dict FILE gives it", lacking.err)
            wrong = (*command, "--dict", "app.log", "app.log.presso")
            self.fails(*wrong, saying="the one that was given does not match")
        self.fails("cat", "app.log.presso", saying=f"of {os.path.getsize('words')} bytes")

    def test_bad_dictionary_files(self):
        self.write("app.log", log_text(100))
        self.write("empty", b"")
        self.write("5", b"word")
        self.fails("compress", "--dict", "gone", "app.log", saying="'gone': cannot open: No such")
        self.fails("compress", "--dict", "empty", "app.log", saying="1 byte to 4 MiB")
        self.fails("compress", "--dict", ".", "app.log", saying="directory")
        self.fails("compress", "--dict", "5", "app.log", saying="as ./5")
        self.ok("compress", "--dict", "./5", "app.log")
        with open("large", "wb") as file:
            file.truncate((4 << 20) + 1)
        self.fails("cat", "--dict", "large", "app.log.presso", saying="1 byte to 4 MiB")
        self.fails("compress", "--dict-by-name", "app.log", saying="with --dict FILE")

    @covers("compress", "--verbose")
    def test_verbose_says_where_the_time_went(self):
        self.write("app.log", log_text(3000))
        said = self.ok("compress", "-v", "app.log").err
        self.assertRegex(said, r"ratio \d+\.\d+, .*\d+\.\d+ s of work: .*coding \d+ %")

    @covers("train", "--quiet", "--verbose")
    @covers("train", "--output", "--force", "--recursive", "--size", "--block-size")
    def test_train(self):
        for number in range(60):
            self.write(f"logs/{number}", log_text(20, seed=number))
        names = [f"logs/{number}" for number in range(60)]
        said = self.ok("train", "-v", "-o", "words", "--size", "8K", *names).err
        self.assertIn("bytes from 60 documents", said)
        words = self.read("words")
        self.assertTrue(1000 < len(words) <= 8192, len(words))
        self.assertEqual(self.ok("train", "-q", "-r", "--size", "8K", "logs").out, words)
        alone = len(self.ok("compress", "-c", "logs/7").out)
        small = len(self.ok("compress", "-c", "--dict", "words", "--dict-by-name", "logs/7").out)
        self.assertLess(small, alone)
        self.fails("train", "-o", "words", *names, saying="words: exists; not overwritten (-f")
        self.fails("train", "-o", "words", "gone", saying="words: exists")  # looked at first
        status, said = self.on_terminal("train", *names)
        self.assertEqual(status, 2)
        self.assertIn("no dictionary written to a terminal", said)
        partly = self.fails("train", "-f", "-o", "words", "gone", *names, saying="gone")
        self.assertIn("files that could not be read are left out", partly.err)
        self.ok("train", "-f", "--block-size", "16K", "-o", "words", *names)
        self.fails("train", saying="no file given")
        self.fails("train", "-o", "other", "gone", saying="gone")
        self.fails("train", "-o", "other", "logs/1", saying="repeat nothing")
        self.assertFalse(os.path.exists("other"))

    def test_train_reads_a_selection_of_much(self):
        for name in ("a", "b"):
            with open(name, "wb") as file:
                for number in range(24):
                    file.seek(number * (3 << 20))
                    file.write(log_text(20, seed=number))
                file.truncate(72 << 20)
        said = self.ok("train", "-v", "-o", "words", "--block-size", "1M", "a", "b").err
        self.assertIn("from 128 documents", said)  # of 144

    @covers("compress", "--window", "--lookahead", "--staleness")
    def test_window_lookahead_staleness(self):
        text = log_text(2000)
        self.write("app.log", text)
        flags = ("compress", "-1", "-c", "--coding", "byte", "--dict", "none")
        base = self.ok(*flags, "app.log").out
        for option in (["--window", "1K"], ["--lookahead", "8"], ["--staleness", "64K"]):
            packed = self.ok(*flags, *option, "app.log").out
            self.assertEqual(self.ok("cat", stdin=packed).out, text)
            if option[0] != "--staleness":
                self.assertGreater(len(packed), len(base), option)

    @covers("compress", "--coding")
    def test_coding(self):
        self.compressed("app.log", None, "--coding", "byte")
        self.assertEqual(self.info()["coding"], "byte")
        self.assertEqual(self.info()["format_version"], 1)
        byte = self.info()["compressed_bytes"]
        self.compressed("app.log", None, "-f", "--coding", "bit")
        self.assertEqual(self.info()["coding"], "bit")
        self.assertEqual(self.info()["format_version"], 3)
        self.assertLess(self.info()["compressed_bytes"], byte)
        self.ok("test", "app.log.presso")
        self.fails("compress", "--coding", "bits", "app.log", saying="not one of bit, byte")

    @covers("compress", "--bit-gain")
    def test_bit_gain(self):
        self.write("app.log", log_text(4000))
        sizes = {}
        for gain in ("0", "5", "90"):
            self.ok("compress", "-f", "--coding", "bit", "--bit-gain", gain, "app.log")
            self.ok("test", "app.log.presso")
            sizes[gain] = self.info()["compressed_bytes"]
        self.assertEqual(sizes["0"], sizes["5"])
        self.assertLess(sizes["5"], sizes["90"])
        byte = self.ok("compress", "-c", "-3", "--coding", "byte", "app.log").out
        # The matches are still those chosen for the Bit coding.
        self.assertLess(sizes["90"], 1.3 * len(byte))
        self.assertEqual(self.info()["coding"], "byte")
        self.fails("compress", "--bit-gain", "100", "app.log", saying="0 to 99")

    @covers("compress", "--sub-block")
    def test_sub_block(self):
        text = log_text(2000)
        self.write("app.log", text)
        sizes = []
        for sub_block in ("4", "256"):
            packed = self.ok(
                "compress", "-c", "--coding", "bit", "--sub-block", sub_block, "app.log"
            ).out
            self.assertEqual(self.ok("cat", stdin=packed).out, text)
            sizes.append(len(packed))
        self.assertLess(sizes[1], sizes[0])
        self.fails("compress", "--sub-block", "24", "app.log", saying="not a power of two")

    def test_options_that_change_nothing_are_named(self):
        self.write("app.log", log_text(100))
        for ignored, heeded in (
            (["-2", "--staleness", "1K"], ["-1", "--staleness", "1K"]),
            (["-3", "--staleness", "1K"], ["-2", "--coding", "byte", "--staleness", "1K"]),
            (["--coding", "byte", "--bit-gain", "5"], ["--bit-gain", "5"]),
            (["--favor", "decode", "--sub-block", "16"], ["--sub-block", "16"]),
            (["--dict", "none", "--dict-renew", "0"], ["--dict-renew", "0"]),
        ):
            said = self.ok("compress", "-c", *ignored, "app.log").err
            self.assertEqual(said.count("\n"), 1, said)
            self.assertIn("has no effect", said)
            self.assertEqual(self.ok("compress", "-c", *heeded, "app.log").err, "")

    def test_numbers_that_are_no_sizes_are_shown_as_they_are(self):
        self.fails("compress", "-T", "1025", "x", saying="permitted: 0 to 1,024")
        self.fails("compress", "--group", "5", "x", saying="permitted: 32 to 32,768")
        self.fails("compress", "--window", "5", "x", saying="permitted: 1 KiB to 8 MiB")

    @covers("compress", "--threads")
    def test_result_does_not_depend_on_threads(self):
        self.write("app.log", log_text())
        outputs = {self.ok("compress", "-c", "-T", str(n), "app.log").out for n in (0, 1, 2, 5)}
        self.assertEqual(len(outputs), 1)


class Messages(CliTest):
    @covers("compress", "--quiet", "--verbose")
    def test_quiet_and_verbose(self):
        self.write("a", log_text(100))
        self.write("b", log_text(200))
        self.assertEqual(self.ok("compress", "a", "b").err, "")
        lines = self.ok("compress", "-vf", "a", "b").err.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertRegex(lines[0], r"^presso: a: [\d,]+ -> [\d,]+ bytes, ratio [\d.]+, ")
        self.assertIn("total: 2 files", lines[2])
        self.assertEqual(self.ok("compress", "-q", "a.presso").err, "")
        self.assertIn("exists", self.run_presso("compress", "-q", "a").err)
        silent = self.run_presso("compress", "-qq", "a")
        self.assertEqual((silent.status, silent.err), (2, ""))

    @covers("compress", "--progress")
    def test_progress_bar_on_a_terminal_only(self):
        self.write("big", os.urandom(4 << 20))
        os.mkfifo("slow")

        def read_slowly():
            with open("slow", "rb", buffering=0) as pipe:
                time.sleep(0.8)  # The pipe fills up; by then a bar is due.
                while pipe.read(1 << 20):
                    pass

        reader = threading.Thread(target=read_slowly)
        reader.start()
        status, output = self.on_terminal("compress", "-1", "-o", "slow", "big")
        reader.join()
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"big \[=*>? *\] +\d+ %  .*B/s")
        self.assertTrue(output.endswith("\x1b[K"), "the bar is taken off the screen")
        status, output = self.on_terminal("compress", "-1f", "--no-progress", "big")
        self.assertEqual((status, output), (0, ""))
        self.assertEqual(self.ok("compress", "-1f", "big").err, "")


if __name__ == "__main__":
    main()
