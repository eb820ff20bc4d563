# SPDX-License-Identifier: MIT
"""presso decompress and presso cat: every flag, ranges, salvage, what is restored."""

import json
import os
import stat

from support import CliTest, covers, log_text, main

BLOCK = 16384


class Outputs(CliTest):
    def test_file_presso_becomes_file(self):
        text = self.compressed()
        os.unlink("app.log")
        self.ok("decompress", "app.log.presso")
        self.assertEqual(self.files(), ["app.log", "app.log.presso"])
        self.assertEqual(self.read("app.log"), text)

    @covers("decompress", "--output", "--stdout")
    def test_output_and_stdout(self):
        text = self.compressed()
        self.ok("decompress", "-o", "other", "app.log.presso")
        self.assertEqual(self.read("other"), text)
        self.assertEqual(self.ok("decompress", "-c", "app.log.presso").out, text)
        self.assertEqual(self.ok("decompress", "-o-", "app.log.presso").out, text)

    @covers("decompress", "--force")
    def test_existing_output_is_kept_without_force(self):
        text = self.compressed()
        self.write("app.log", b"precious")
        self.fails("decompress", "app.log.presso", saying="exists; not overwritten")
        self.assertEqual(self.read("app.log"), b"precious")
        self.ok("decompress", "-f", "app.log.presso")
        self.assertEqual(self.read("app.log"), text)

    def test_other_suffix_needs_an_output_name(self):
        text = self.compressed()
        os.rename("app.log.presso", "strange")
        self.fails("decompress", "strange", saying="does not end in .presso")
        self.assertEqual(self.ok("decompress", "-c", "strange").out, text)

    @covers("decompress", "--keep", "--rm")
    def test_rm(self):
        text = self.compressed()
        os.unlink("app.log")
        self.ok("decompress", "-k", "app.log.presso")
        self.assertIn("app.log.presso", self.files())
        self.ok("decompress", "-f", "--rm", "app.log.presso")
        self.assertEqual(self.files(), ["app.log"])
        self.assertEqual(self.read("app.log"), text)

    @covers("decompress", "--recursive")
    def test_recursive_takes_presso_files_only(self):
        self.write("logs/a", b"a\n")
        self.write("logs/deep/b", b"b\n")
        self.ok("compress", "--rm", "-r", "logs")
        self.write("logs/other", b"o\n")
        self.ok("decompress", "-r", "--rm", "logs")
        self.assertEqual(self.files("logs"), ["a", "deep", "other"])
        self.assertEqual(self.files("logs/deep"), ["b"])

    def test_several_files_and_concatenated_files(self):
        first = self.compressed("a", b"first\n")
        second = self.compressed("b", b"second\n")
        self.assertEqual(self.ok("cat", "a.presso", "b.presso").out, first + second)
        self.write("ab.presso", self.read("a.presso") + self.read("b.presso"))
        self.assertEqual(self.ok("cat", "ab.presso").out, first + second)

    def test_not_a_presso_file(self):
        self.write("plain.presso", b"just text, long enough to hold a header\n" * 4)
        self.fails("decompress", "plain.presso", saying="not a presso file")
        self.fails("cat", "plain.presso", saying="not a presso file")
        self.assertEqual(self.files(), ["plain.presso"])


class Restored(CliTest):
    def setUp(self):
        super().setUp()
        self.write("app.log", b"text\n")
        os.utime("app.log", ns=(1, 1234567890123456789))

    def restore(self):
        self.ok("decompress", "-f", "app.log.presso")
        about = os.stat("app.log")
        return stat.S_IMODE(about.st_mode), about.st_mtime_ns

    def test_mode_and_time_come_from_the_metadata(self):
        os.chmod("app.log", 0o754)
        self.ok("compress", "--rm", "app.log")
        os.utime("app.log.presso")
        os.chmod("app.log.presso", 0o644)
        self.assertEqual(self.restore(), (0o754, 1234567890123456789))

    def test_what_was_made_private_stays_private(self):
        os.chmod("app.log", 0o644)
        self.ok("compress", "--rm", "app.log")
        os.chmod("app.log.presso", 0o600)
        self.assertEqual(self.restore()[0], 0o600)

    def test_time_before_1970(self):
        os.utime("app.log", ns=(1, -1500000000))
        self.ok("compress", "--rm", "app.log")
        self.assertEqual(self.restore()[1], -1500000000)

    def test_setuid_is_not_restored(self):
        os.chmod("app.log", 0o4755)
        self.ok("compress", "--rm", "app.log")
        self.assertEqual(self.restore()[0], 0o755)


class Sparse(CliTest):
    def test_zero_pages_become_holes_and_content_stays(self):
        pieces = {
            "zeros": bytes(8 << 20),
            "tail": b"head\n" + bytes(4 << 20),
            "middle": b"x" * 5000 + bytes(1 << 20) + b"y" * 10,
            "odd": bytes(4096) + b"z" + bytes(4095) + bytes(12288) + b"w" + bytes(100),
            "short": bytes(100),
        }
        for name, content in pieces.items():
            self.compressed(name, content)
            os.unlink(name)
            self.ok("decompress", name + ".presso")
            self.assertEqual(self.read(name), content, name)
        if os.stat("zeros").st_blocks * 512 >= 8 << 20:
            self.skipTest("this file system keeps no holes")
        self.assertLess(os.stat("tail").st_blocks * 512, 1 << 20)


class Ranges(CliTest):
    def setUp(self):
        super().setUp()
        self.text = self.compressed("app.log", None, "--block-size", "16K")
        self.blocks = -(-len(self.text) // BLOCK)

    @covers("decompress", "--bytes")
    @covers("cat", "--bytes")
    def test_bytes(self):
        size = len(self.text)
        for offset, length in (
            (0, 0),
            (0, 1),
            (0, size),
            (BLOCK - 1, 2),
            (BLOCK, BLOCK),
            (5 * BLOCK - 7, 3 * BLOCK + 20),
            (size - 1, 1),
            (size, 0),
            (size - 5, 100),
            (size, 10),
        ):
            wanted = self.text[offset : offset + length]
            for command in ("cat", "decompress"):
                for threads in ("1", "3"):
                    got = self.ok(
                        command, "-T", threads, "--bytes", f"{offset}:{length}", "app.log.presso"
                    ).out
                    self.assertEqual(got, wanted, (offset, length))
        self.assertEqual(self.ok("cat", "--bytes", "1K:", "app.log.presso").out, self.text[1024:])
        self.assertEqual(
            self.ok("cat", "--bytes", "64K:1KiB", "app.log.presso").out, self.text[65536:66560]
        )

    def test_bytes_to_a_named_file(self):
        self.ok("decompress", "--bytes", "10:20", "-o", "part", "app.log.presso")
        self.assertEqual(self.read("part"), self.text[10:30])
        self.assertNotIn("total", self.files())

    @covers("decompress", "--blocks")
    @covers("cat", "--blocks")
    def test_blocks(self):
        last = self.blocks - 1
        for form, first, end in (
            ("0", 0, 1),
            ("2-4", 2, 5),
            (f"{last}", last, last + 1),
            ("3-", 3, self.blocks),
            (f"{last}-999999", last, last + 1),
        ):
            wanted = self.text[first * BLOCK : end * BLOCK]
            for command in ("cat", "decompress"):
                self.assertEqual(self.ok(command, "--blocks", form, "app.log.presso").out, wanted)

    def test_bad_ranges(self):
        for form in ("5", "a:b", "1:2:3", ":5", "-1:5"):
            self.fails("cat", "--bytes", form, "app.log.presso", saying="--bytes")
        for form in ("", "a", "4-2", "-3"):
            self.fails("cat", "--blocks", form, "app.log.presso", saying="--blocks")
        self.fails(
            "cat", "--bytes", f"{len(self.text) + 1}:1", "app.log.presso", saying="after the end"
        )
        self.fails("cat", "--blocks", str(self.blocks), "app.log.presso", saying="after the end")
        self.fails(
            "cat",
            "--bytes",
            "0:1",
            saying="need a file, not a pipe",
            stdin=self.read("app.log.presso"),
        )
        self.fails("cat", "--salvage", "--bytes", "0:1", "app.log.presso", saying="whole files")

    def test_a_range_reads_past_damage_elsewhere(self):
        damaged = bytearray(self.read("app.log.presso"))
        damaged[len(damaged) // 2] ^= 1
        self.write("bad.presso", bytes(damaged))
        self.assertEqual(self.ok("cat", "--bytes", "0:100", "bad.presso").out, self.text[:100])

    def test_several_members(self):
        other = self.compressed("other", log_text(900, seed=2), "--block-size", "32K")
        self.write("both.presso", self.read("app.log.presso") + self.read("other.presso"))
        both = self.text + other
        at = len(self.text) - 50
        self.assertEqual(
            self.ok("cat", "--bytes", f"{at}:100", "both.presso").out, both[at : at + 100]
        )
        self.assertEqual(self.ok("cat", "--blocks", f"{self.blocks}-", "both.presso").out, other)


class Damage(CliTest):
    def setUp(self):
        super().setUp()
        self.text = self.compressed("app.log", None, "--block-size", "16K", "--dict", "none")
        self.packed = self.read("app.log.presso")
        os.unlink("app.log")

    def damage(self, at):
        damaged = bytearray(self.packed)
        damaged[at] ^= 0xFF
        self.write("app.log.presso", bytes(damaged))

    def test_nothing_is_left_under_the_final_name(self):
        self.damage(len(self.packed) // 2)
        result = self.fails("decompress", "app.log.presso", saying="block ")
        self.assertIn("compressed offset", result.err)
        self.assertIn("--salvage", result.err)
        self.assertEqual(self.files(), ["app.log.presso"])

    @covers("decompress", "--salvage")
    @covers("cat", "--salvage")
    def test_salvage_writes_the_intact_blocks_and_names_the_lost(self):
        self.damage(len(self.packed) // 2)
        result = self.fails("decompress", "--salvage", "app.log.presso", saying="plain offset")
        saved = self.read("app.log")
        lost = len(self.text) - len(saved)
        self.assertEqual(lost, BLOCK)
        offset = int(result.err.split("plain offset ")[1].split()[0].replace(",", ""))
        self.assertEqual(saved, self.text[:offset] + self.text[offset + BLOCK :])
        piped = self.fails("cat", "--salvage", "app.log.presso", saying="plain offset")
        self.assertEqual(piped.out, saved)

    def test_salvage_with_a_damaged_block_header(self):
        table = json.loads(self.ok("info", "--json", "--blocks", "app.log.presso").out)
        block = table["files"][0]["block_table"][3]
        self.damage(block["compressed_offset"] + 20)
        result = self.fails("decompress", "--salvage", "app.log.presso", saying="block 3 ")
        self.assertIn(f"lost from plain offset {3 * BLOCK:,} to", result.err)
        self.assertIn(
            f"{len(self.text) - BLOCK:,} intact bytes written, damaged in 1 place", result.err
        )
        self.assertEqual(self.read("app.log"), self.text[: 3 * BLOCK] + self.text[4 * BLOCK :])

    def test_salvage_keeps_the_damaged_file_despite_rm(self):
        self.damage(len(self.packed) // 2)
        self.fails("decompress", "--salvage", "--rm", "app.log.presso", saying="lost")
        self.assertEqual(self.files(), ["app.log", "app.log.presso"])

    def test_salvage_of_a_truncated_file(self):
        self.write("app.log.presso", self.packed[: len(self.packed) // 2])
        self.fails("decompress", "app.log.presso", saying="truncated")
        self.assertEqual(self.files(), ["app.log.presso"])
        self.fails("decompress", "--salvage", "app.log.presso", saying="truncated")
        saved = self.read("app.log")
        self.assertGreater(len(saved), 0)
        self.assertEqual(saved, self.text[: len(saved)])
        self.assertEqual(len(saved) % BLOCK, 0)

    def test_every_truncation_of_a_small_file_is_an_error_and_leaves_nothing(self):
        self.compressed("small", b"a few words, a few words, a few words\n" * 3)
        packed = self.read("small.presso")
        os.unlink("small")
        for size in range(len(packed)):
            self.write("cut.presso", packed[:size])
            result = self.run_presso("decompress", "cut.presso")
            self.assertEqual(result.status, 2, (size, result))
            self.assertTrue(result.err.startswith("presso: cut.presso: "), result)
            self.assertEqual(self.files(), ["app.log.presso", "cut.presso", "small.presso"])

    @covers("decompress", "--check")
    @covers("cat", "--check")
    def test_no_check_ignores_a_wrong_checksum_only(self):
        raw = os.urandom(20000)
        self.compressed("raw", raw, "--dict", "none")
        packed = bytearray(self.read("raw.presso"))
        packed[packed.index(raw[5000:5016])] ^= 1
        self.write("raw.presso", bytes(packed))
        self.fails("cat", "raw.presso", saying="checksum mismatch")
        self.fails("cat", "--no-check", "--check", "raw.presso", saying="checksum mismatch")
        out = self.ok("cat", "--no-check", "raw.presso").out
        self.assertEqual(len(out), len(raw))
        self.assertEqual(sum(a != b for a, b in zip(out, raw)), 1)
        self.ok("decompress", "--no-check", "-o", "out", "raw.presso")


class Common(CliTest):
    @covers("decompress", "--threads")
    @covers("cat", "--threads")
    def test_threads(self):
        text = self.compressed()
        for threads in ("0", "1", "2", "7"):
            self.assertEqual(self.ok("cat", "-T", threads, "app.log.presso").out, text)
            self.assertEqual(self.ok("decompress", "-cT", threads, "app.log.presso").out, text)

    @covers("decompress", "--quiet", "--verbose")
    @covers("cat", "--quiet", "--verbose")
    def test_quiet_and_verbose(self):
        self.compressed()
        for command in ("cat", "decompress"):
            self.assertEqual(
                self.ok(command, "-fo-" if command == "decompress" else "-q", "app.log.presso").err,
                "",
            )
            verbose = self.run_presso(command, "-v", "-q", "-v", "app.log.presso")
            self.assertIn("presso: ", verbose.err)
            silent = self.run_presso(command, "-qq", "missing.presso")
            self.assertEqual((silent.status, silent.err), (2, ""))

    @covers("decompress", "--progress")
    @covers("cat", "--progress")
    def test_no_progress_bar_when_asked_not_to(self):
        self.compressed()
        os.unlink("app.log")
        status, output = self.on_terminal("decompress", "--no-progress", "app.log.presso")
        self.assertEqual((status, output), (0, ""))
        self.compressed("b", b"line\n")
        status, output = self.on_terminal("cat", "--no-progress", "b.presso")
        self.assertEqual((status, output), (0, "line\r\n"))


if __name__ == "__main__":
    main()
