# SPDX-License-Identifier: MIT
"""The frame: help, usage errors, numbers, environment, man page, completions."""

import json
import os
import re
import shutil
import subprocess
import unittest

from support import PRESSO, CliTest, covers, log_text, main

SHELL_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def commands():
    text = subprocess.run([PRESSO, "-h"], capture_output=True, text=True).stdout
    section = text.split("Commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in section.splitlines()]


class Help(CliTest):
    @covers("", "--help")
    def test_main_help_lists_every_command(self):
        for spelling in ("-h", "--help"):
            text = self.ok(spelling).out.decode()
            for command in ("compress", "decompress", "cat", "test", "info", "bench"):
                self.assertRegex(text, rf"\n  {command} +\S")
            self.assertIn("Examples:", text.split("Usage:")[0])

    @covers("compress", "--help")
    @covers("decompress", "--help")
    @covers("cat", "--help")
    @covers("train", "--help")
    @covers("test", "--help")
    @covers("info", "--help")
    @covers("bench", "--help")
    @covers("select", "--help")
    @covers("join", "--help")
    @covers("sql", "--help")
    def test_every_command_has_examples_before_options_and_a_longer_long_help(self):
        for command in commands():
            short = self.ok(command, "-h").out.decode()
            long = self.ok(command, "--help").out.decode()
            self.assertLess(short.index("Examples:"), short.index("Usage:"), command)
            self.assertGreater(len(long), len(short), command)
            self.assertEqual(self.ok("help", command).out.decode(), long)

    def test_expert_options_have_a_help_of_their_own(self):
        experts = {
            "compress": ["--bit-gain", "--sub-block", "--staleness", "--lookahead", "--group",
                         "--dict-renew"],
            "decompress": ["--max-pinned-memory"],
            "scan": ["--strategy", "--max-pinned-memory", "--no-ignore"],
        }
        for command in commands():
            expert = self.ok(command, "--help=expert").out.decode()
            for spelling in ("-h", "--help"):
                text = self.ok(command, spelling).out.decode()
                self.assertEqual(f"'presso {command} --help=expert'" in text, "--" in expert)
                for option in experts.get(command, []):
                    self.assertNotIn(option + "=", text)
            for option in experts.get(command, []):
                self.assertIn(f"    {option}", expert)
        self.assertIn("has no expert options", self.ok("info", "--help=expert").out.decode())
        self.assertEqual(self.ok("--help=expert").out, self.ok("--help").out)
        for value in ("all", "", "true"):
            self.fails("info", f"--help={value}", saying=f"--help: '{value}' is not one of expert")
        self.fails("compress", "--table", "a.csv", saying="before a file: --table auto a.csv")

    def test_help_fits_80_columns(self):
        for command in commands():
            for spelling in ("-h", "--help", "--help=expert"):
                for line in self.ok(command, spelling).out.decode().splitlines():
                    if not line.startswith("  presso") and " # " not in line:
                        self.assertLessEqual(len(line), 80, line)

    def test_help_wins_over_missing_operands_and_goes_to_stdout(self):
        result = self.ok("info", "--json", "--help")
        self.assertEqual(result.err, "")

    def test_examples_run(self):
        skipped = []
        for command in commands():
            text = self.ok(command, "-h").out.decode()
            section = text.split("Examples:\n")[1].split("\n\n")[0]
            for line in re.findall(r"^  (.*?presso .*?) +#|^  (.*presso .*)$", section, re.M):
                example = line[0] or line[1]
                if command not in ("compress", "decompress", "cat", "test", "info", "bench"):
                    skipped.append(example)
                    continue
                self.run_example(example)
        if skipped:
            print("examples of other commands, tested elsewhere:", skipped)

    def run_example(self, example):
        for name in self.files():
            shutil.rmtree(name) if os.path.isdir(name) else os.unlink(name)
        log = log_text(30000)
        if "--since" in example:
            log = b"2026-11-28 10:00:00 x\n" + log
        self.write("app.log", log)
        self.write("logs/one.log", b"one\n")
        self.ok("compress", "-1", "logs/one.log", "app.log")
        self.write("orders.csv", b"id,price\n1,2.50\n")
        self.ok("compress", "--table", "csv", "orders.csv")
        os.rename("logs/one.log.presso", "logs/two.presso")
        damaged = bytearray(self.read("app.log.presso"))
        damaged[len(damaged) // 2] ^= 1
        self.write("bad.presso", bytes(damaged))
        wanted = 0
        if "--salvage" in example:
            wanted = 2
        elif "compress" in example and "decompress" not in example:
            os.unlink("app.log.presso")
            os.unlink("orders.csv.presso")
        elif example.startswith("presso decompress app"):
            os.unlink("app.log")
        elif "*.presso" in example:
            os.unlink("bad.presso")
        if "bench" in example:
            self.write("app.log", log_text(300))
            example = example.replace("presso bench", "presso bench --seconds 0")
        env = dict(os.environ, PATH=os.path.dirname(PRESSO) + ":" + os.environ["PATH"])
        done = subprocess.run(["bash", "-c", example], env=env, capture_output=True, text=True)
        self.assertEqual(done.returncode, wanted, f"{example}\n{done.stderr}")


class Version(CliTest):
    @covers("", "--version", "--verbose")
    def test_version(self):
        self.assertRegex(self.ok("--version").out.decode(), r"^presso \d+\.\d+\.\d+\n$")
        self.assertEqual(self.ok("-V").out, self.ok("--version").out)
        details = self.ok("--version", "-v").out.decode()
        for part in ("file format", "CPU back ends", "portable", "CPU features", "GPU"):
            self.assertIn(part, details)

    def test_forced_back_end_is_shown(self):
        details = self.ok("-V", "-v", env={"PRESSO_FORCE_BACKEND": "portable"}).out.decode()
        self.assertIn("portable (in use)", details)

    def test_back_ends_are_those_whose_instructions_the_cpu_has(self):
        def listed(name, **more):
            details = self.ok("-V", "-v", **more).out.decode()
            return re.search(f"^{name}: *(.*)$", details, re.MULTILINE).group(1)

        features = set(listed("CPU features").split())
        back_ends = listed("CPU back ends").replace(" (in use)", "").split()
        needs = {
            "portable": set(),
            "avx2": {"avx2", "bmi2"},
            "avx512vbmi2": {"avx2", "bmi2", "avx512bw", "avx512vl", "avx512_vbmi2"},
        }
        self.assertEqual(back_ends, [name for name in needs if needs[name] <= features])
        for name in back_ends:
            forced = listed("CPU back ends", env={"PRESSO_FORCE_BACKEND": name})
            self.assertIn(f"{name} (in use)", forced)
        self.assertIn(f"{back_ends[-1]} (in use)", listed("CPU back ends"))


class UsageErrors(CliTest):
    def test_nothing_given_prints_help_and_fails(self):
        result = self.run_presso()
        self.assertEqual(result.status, 2)
        self.assertIn("Usage: presso COMMAND", result.err)

    def test_suggestions(self):
        self.fails("comprss", saying="Did you mean 'compress'?")
        self.fails("compress", "--thread", "2", saying="Did you mean '--threads'?")
        self.fails("compress", "--no-progres", saying="Did you mean '--no-progress'?")
        self.fails("compress", "--deps", "twowave", saying="Did you mean 'two-wave'?")
        self.fails("--generate", "mna", saying="Did you mean 'man'?")

    def test_a_far_word_is_not_guessed(self):
        result = self.fails("compress", "--zebra", saying="unknown option '--zebra'")
        self.assertNotIn("Did you mean", result.err)

    def test_file_in_place_of_a_command(self):
        self.write("app.log", b"x")
        self.fails("app.log", saying="presso compress app.log")

    def test_every_usage_error_points_to_help_and_has_status_2(self):
        self.fails("nonsense", saying="presso --help")
        self.fails("compress", "-Z", saying="presso compress --help")
        self.fails("compress", "-qZ", saying="'-Z' in '-qZ'")
        self.fails("compress", "--output", saying="needs a value: OUT")
        self.fails("compress", "--rm=yes", saying="takes no value")
        self.fails("info", saying="no file given")
        self.fails("--verbose", saying="no command given")

    def test_numbers_are_checked_and_limits_named(self):
        self.fails("compress", "-13", "x", saying="permitted: 1 to 12")
        self.fails("compress", "--level=0", "x", saying="permitted: 1 to 12")
        self.fails("compress", "--block-size", "1K", "x", saying="16 KiB to 4 MiB")
        self.fails("compress", "--block-size", "12Q", "x", saying="'12Q' is not a number")
        self.fails("compress", "--block-size", "1.5M", "x", saying="not a number")
        self.fails("compress", "--block-size", "-1", "x", saying="not a whole number")
        self.fails("compress", "--block-size=", "x", saying="not a whole number")
        self.fails("compress", "-T", "99999999999999999999", "x", saying="out of range")
        self.fails("compress", "-T", "18014398509481985K", "x", saying="out of range")
        self.fails("compress", "--group", "48", "x", saying="32, 64, 128")
        self.fails("compress", "--dict", "8M", "x", saying="4 MiB, auto, none or a FILE")

    def test_size_units(self):
        text = log_text(8000)
        self.write("app.log", text)
        for size in ("65536", "64K", "64KB", "64KiB", "64k"):
            self.ok("compress", "-f", "--block-size", size, "app.log")
            info = json.loads(self.ok("info", "--json", "app.log.presso").out)
            self.assertEqual(info["files"][0]["block_bytes"], 65536, size)
        self.ok("compress", "-f", "--block-size=1M", "app.log")
        info = json.loads(self.ok("info", "--json", "app.log.presso").out)
        self.assertEqual(info["files"][0]["block_bytes"], 1 << 20)


class Lexing(CliTest):
    def test_double_dash_ends_options(self):
        self.write("-c", b"dash\n")
        self.ok("compress", "--", "-c")
        self.assertEqual(self.files(), ["-c", "-c.presso"])

    def test_options_behind_operands_bundles_and_joined_values(self):
        text = log_text(100)
        self.write("app.log", text)
        self.ok("compress", "app.log", "-qfoout.presso")
        self.assert_round_trip("out.presso", text)
        self.ok("compress", "app.log", "-f", "-o", "out.presso", "-T2")
        self.ok("compress", "-1fq", "app.log", "-oout.presso")
        self.assertEqual(self.ok("compress", "-q1c", "app.log").out, self.read("out.presso"))
        self.fails("compress", "-12345", "app.log", saying="-12345: '12345' is out of range")

    def test_last_of_contradictory_options_wins(self):
        self.write("app.log", log_text(100))
        self.assertEqual(self.ok("compress", "-c", "-o", "one", "app.log").out, b"")
        self.assertNotEqual(self.ok("compress", "-o", "two", "-c", "app.log").out, b"")
        self.assertEqual(self.files(), ["app.log", "one"])
        self.ok("compress", "--rm", "-k", "app.log")
        self.assertIn("app.log", self.files())

    def test_names_with_brackets_and_plus_are_plain_names(self):
        for name in ("[a,b]", "++", "a=b", "%s", "ä ö"):
            self.write(name, b"text\n")
            self.ok("compress", name)
            self.assert_round_trip(name + ".presso", b"text\n")


class Environment(CliTest):
    def test_level_and_threads(self):
        self.write("app.log", log_text(1500))
        fast = self.ok("compress", "-1", "-c", "app.log").out
        small = self.ok("compress", "-9", "-c", "app.log").out
        self.assertNotEqual(fast, small)
        self.assertEqual(self.ok("compress", "-c", "app.log", env={"PRESSO_LEVEL": "9"}).out, small)
        both = self.ok(
            "compress", "-1", "-c", "app.log", env={"PRESSO_LEVEL": "9", "PRESSO_THREADS": "1"}
        ).out
        self.assertEqual(both, fast)

    def test_bad_values_name_the_variable(self):
        self.fails("compress", "x", env={"PRESSO_LEVEL": "many"}, saying="PRESSO_LEVEL")
        self.fails("compress", "x", env={"PRESSO_THREADS": "-3"}, saying="PRESSO_THREADS")


class Generated(CliTest):
    @covers("", "--generate")
    def test_markdown_names_every_long_option_of_the_help(self):
        text = self.ok("--generate", "markdown").out.decode()
        for command in commands():
            self.assertIn(f"### presso {command}\n", text)
        self.assertIn("`-o, --output=OUT`", text)

    def test_man_page_is_clean_and_names_every_option(self):
        page = self.ok("--generate", "man").out
        for command in commands():
            for spelling in ("-h", "--help=expert"):
                for option in SHELL_OPTION.findall(self.ok(command, spelling).out.decode()):
                    self.assertIn(option.replace("-", "\\-").encode(), page)
        if shutil.which("mandoc") is None:
            self.skipTest("mandoc is not installed")
        lint = subprocess.run(["mandoc", "-Tlint"], input=page, capture_output=True)
        self.assertEqual((lint.returncode, lint.stdout), (0, b""))

    def test_completions_are_valid_shell(self):
        missing = []
        for shell in ("bash", "zsh", "fish"):
            script = self.ok("--generate", f"complete-{shell}").out
            if shutil.which(shell) is None:
                missing.append(shell)
                continue
            self.write(shell, script)
            done = subprocess.run([shell, "-n", shell], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), shell)
        if missing:
            self.skipTest(f"not installed: {missing}")

    def complete_in_bash(self, *words):
        self.write("presso.bash", self.ok("--generate", "complete-bash").out)
        array = " ".join(f"'{word}'" for word in words)
        script = (
            f"source presso.bash; COMP_WORDS=({array}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1));"
            " _presso; printf '%s\\n' \"${COMPREPLY[@]}\""
        )
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True).stdout.split()

    def test_bash_completion_offers_commands_options_values_and_files(self):
        self.assertEqual(self.complete_in_bash("presso", "dec"), ["decompress"])
        self.assertEqual(self.complete_in_bash("presso", "compress", "--block"), ["--block-size"])
        self.assertEqual(self.complete_in_bash("presso", "compress", "--deps", "st"), ["strict"])
        self.assertEqual(self.complete_in_bash("presso", "--generate", "ma"), ["man", "markdown"])
        self.write("some.log", b"")
        self.assertEqual(self.complete_in_bash("presso", "compress", "so"), ["some.log"])

    def test_fish_completion_offers_commands_and_options(self):
        if shutil.which("fish") is None:
            self.skipTest("fish is not installed")
        self.write("presso.fish", self.ok("--generate", "complete-fish").out)

        def offered(line):
            script = f"source presso.fish; complete -C '{line}'"
            out = subprocess.run(
                ["fish", "-c", script],
                capture_output=True,
                text=True,
                env=dict(os.environ, HOME=self.directory),
            ).stdout
            return [row.split("\t")[0] for row in out.splitlines()]

        self.assertIn("decompress", offered("presso dec"))
        self.assertIn(
            "--block-size", [row.rstrip("=") for row in offered("presso compress --block")]
        )
        self.assertIn("--deps=strict", offered("presso compress --deps=st"))


if __name__ == "__main__":
    main()
