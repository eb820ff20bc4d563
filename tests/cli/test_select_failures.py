# SPDX-License-Identifier: MIT
"""presso select while the world goes wrong: signals, full disks, folders that take no file, closed
pipes and damage, in the midst of sorting and grouping with little memory. In every case: a message,
status 2, and nothing left that was not there before. And --memory is kept: what the process really
takes is measured."""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from support import PRESSO, CliTest, main, wait_for

ROWS = 100_000
ROW_GROUP = 10_000
ORDER = ("--order-by", "key, word")
GROUPS = ("--group-by", "key, word", "--agg", "sum(value), max(weight)")
LITTLE = ("--memory", "1M", "--temp", "spill")
SPILLING = {"order": ORDER, "groups": GROUPS}

# Runs its arguments as a child and prints the most memory that this has had, in kilobytes, and its
# status. A process takes over the figure of the one that starts it, so that a small one does.
MEASURE = """
import os, sys
child = os.fork()
if child == 0:
    out = os.open(os.devnull, os.O_WRONLY)
    os.dup2(out, 1)
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""


def table_text(rows=ROWS, seed=11):
    """Keys and words do not compress and hardly ever come twice: every row is a group."""
    rng = random.Random(seed)
    lines = ["number,key,word,value,weight\n"]
    for number in range(rows):
        value = "" if rng.randrange(9) == 0 else rng.randrange(-500, 500)
        lines.append(
            f"{number},{rng.randrange(1 << 50)},w{rng.randrange(1 << 40):x},{value},"
            f"{rng.random()*1000!r}\n"
        )
    return "".join(lines).encode()


class SpillTest(CliTest):
    """Each test has a table t.presso, made once for all of them, and an empty folder."""

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.mkdtemp(prefix="presso_spill_")
        cls.addClassCleanup(shutil.rmtree, cls.shared, True)
        text = os.path.join(cls.shared, "t.csv")
        with open(text, "wb") as file:
            file.write(table_text())
        subprocess.run(
            [PRESSO, "compress", "-q", "-1", "--table", "auto", "--row-group", str(ROW_GROUP)]
            + ["-o", os.path.join(cls.shared, "t.presso"), text],
            check=True,
        )

    def setUp(self):
        super().setUp()
        os.symlink(os.path.join(self.shared, "t.presso"), "t.presso")
        os.mkdir("spill")

    def assert_nothing_left(self, *more):
        self.assertEqual(self.files("spill"), [])
        self.assertEqual(self.files(), sorted(["spill", "t.presso", *more]))


def spilled_bytes(process, folder):
    """In temporary files of `folder`, which have no names: the process's open files tell."""
    total = 0
    inside = os.path.realpath(folder) + "/"
    try:
        for number in os.listdir(f"/proc/{process.pid}/fd"):
            path = f"/proc/{process.pid}/fd/{number}"
            if os.readlink(path).startswith(inside):
                total += os.stat(path).st_size
    except OSError:
        pass
    return total


@unittest.skipUnless(os.path.isdir("/proc/self/fd"), "open files of a process are not in /proc")
class Signals(SpillTest):
    def interrupt(self, number, *arguments):
        """Sends the signal once something has been spilled."""
        process = subprocess.Popen(
            [PRESSO, "select", *["t.presso"] * 100, *arguments, *LITTLE],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            self.assertTrue(wait_for(lambda: spilled_bytes(process, "spill") > 1 << 20))
            process.send_signal(number)
            status = process.wait(timeout=30)
        finally:
            process.kill()
            said = process.stderr.read()
            process.stderr.close()
            process.wait()
        self.assertEqual(said, b"")
        return status

    def test_nothing_is_left_of_a_query_that_spills(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for name, ask in SPILLING.items():
                status = self.interrupt(number, *ask, "-o", "out.csv")
                self.assertEqual(status, -number, name)  # a shell shows 128 plus the number
                self.assert_nothing_left()

    def test_temporary_files_do_not_outlive_a_process_that_was_killed(self):
        for name, ask in SPILLING.items():
            self.assertEqual(self.interrupt(signal.SIGKILL, *ask), -signal.SIGKILL, name)
            self.assert_nothing_left()

    def test_an_older_answer_survives_being_killed(self):
        """Of the new one a file with a point before its name may be left, which nobody removes."""
        self.write("out.csv", b"precious")
        self.interrupt(signal.SIGKILL, *ORDER, "-f", "-o", "out.csv")
        self.assertEqual(self.read("out.csv"), b"precious")
        self.assertEqual(self.files("spill"), [])

    def test_an_older_answer_survives_the_signal(self):
        self.write("out.csv", b"precious")
        self.interrupt(signal.SIGTERM, *GROUPS, "-f", "-o", "out.csv")
        self.assertEqual(self.read("out.csv"), b"precious")
        self.assert_nothing_left("out.csv")


class FullDisk(SpillTest):
    def limited(self, limit, *arguments):
        def set_limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return subprocess.run(
            [PRESSO, "select", "t.presso", *arguments],
            capture_output=True,
            preexec_fn=set_limit,
            timeout=60,
        )

    def small_file_system(self, name, kilobytes):
        os.makedirs(name, exist_ok=True)
        if shutil.which("mount") is None or os.geteuid() != 0:
            self.skipTest("mounting a small tmpfs needs root")
        mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", name]
        if subprocess.run(mount, capture_output=True).returncode != 0:
            self.skipTest("mounting a small tmpfs needs root")
        self.addCleanup(subprocess.run, ["umount", name], check=True)

    def test_files_that_may_not_grow(self):
        self.write("out.csv", b"precious")
        for name, ask in SPILLING.items():
            done = self.limited(65536, *ask, *LITTLE, "-f", "-o", "out.csv")
            self.assertEqual((done.returncode, done.stdout), (2, b""), name)
            self.assertRegex(
                done.stderr.decode(), r"^presso: no space left: a temporary file in `spill`"
            )
            self.assertEqual(done.stderr.count(b"\n"), 1)
            self.assertEqual(self.read("out.csv"), b"precious")
            self.assert_nothing_left("out.csv")

    def test_an_answer_that_may_not_grow(self):
        self.write("out.csv", b"precious")
        for ask in SPILLING.values():
            done = self.limited(65536, *ask, "-f", "-o", "out.csv")
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr.decode(), r"^presso: out.csv: no space left")
            self.assertEqual(self.read("out.csv"), b"precious")
            self.assert_nothing_left("out.csv")

    def test_a_full_disk_while_rows_are_spilled(self):
        self.small_file_system("spill", 1024)
        for ask in SPILLING.values():
            said = self.fails("select", "t.presso", *ask, *LITTLE, "-o", "out.csv").err
            self.assertTrue(said.startswith("presso: no space left: a temporary file in `spill`"))
            self.assert_nothing_left()

    def test_a_full_disk_while_the_answer_is_written(self):
        self.small_file_system("small", 1024)
        self.write("small/out.csv", b"precious")
        for ask in SPILLING.values():
            said = self.fails(
                "select", "t.presso", *ask, *LITTLE, "-f", "-o", "small/out.csv"
            ).err
            self.assertRegex(said, r"^presso: small/out.csv: no space left")
            self.assertEqual(self.read("small/out.csv"), b"precious")
            self.assertEqual(self.files("small"), ["out.csv"])
            self.assert_nothing_left("small")

    def test_what_did_not_fit_fits_again_afterwards(self):
        """The file without a name is given back with the process."""
        self.small_file_system("spill", 4096)
        for _ in range(3):
            self.fails("select", "t.presso", *ORDER, *LITTLE, saying="no space left")
            left = os.statvfs("spill")
            self.assertGreaterEqual(left.f_bavail * left.f_bsize, 4096 * 1024 - 65536)


class Folders(SpillTest):
    def test_a_folder_that_is_not_there(self):
        for ask in SPILLING.values():
            said = self.fails(
                "select", "t.presso", *ask, "--memory", "1M", "--temp", "none", "-o", "out.csv"
            ).err
            self.assertIn("`none`", said)
            self.assertIn("No such file or directory", said)
            self.assert_nothing_left()

    def test_a_folder_that_is_a_file(self):
        self.write("file", b"x")
        said = self.fails(
            "select", "t.presso", *ORDER, "--memory", "1M", "--temp", "file", "-o", "out.csv"
        ).err
        self.assertIn("`file`", said)
        self.assertIn("Not a directory", said)
        self.assert_nothing_left("file")

    def test_a_folder_without_write_permission(self):
        os.chmod("spill", 0o555)
        self.addCleanup(os.chmod, "spill", 0o755)
        more = {}
        command = PRESSO
        if os.geteuid() == 0:
            more = {"user": 65534}
            os.chmod(self.directory, 0o755)
            os.chmod(self.shared, 0o755)
            shutil.copy(PRESSO, "presso")
            os.chmod("presso", 0o755)
            self.addCleanup(os.unlink, "presso")
            command = "./presso"
        for ask in SPILLING.values():
            done = subprocess.run(
                [command, "select", "t.presso", *ask, *LITTLE], capture_output=True, **more
            )
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"`spill`", done.stderr)
            self.assertIn(b"Permission denied", done.stderr)
        self.assertEqual(self.files("spill"), [])

    def test_a_folder_that_is_not_needed_is_not_asked_for(self):
        plenty = self.ok("select", "t.presso", *ORDER).out
        self.assertEqual(self.ok("select", "t.presso", *ORDER, "--temp", "none").out, plenty)

    def test_the_environment_names_the_folder(self):
        said = self.fails(
            "select", "t.presso", *ORDER, "--memory", "1M", env={"TMPDIR": "elsewhere"}
        ).err
        self.assertIn("`elsewhere`", said)

    def test_two_queries_at_once_in_one_folder(self):
        expected = {name: self.ok("select", "t.presso", *ask).out for name, ask in SPILLING.items()}
        running = [
            (name, subprocess.Popen([PRESSO, "select", "t.presso", *ask, *LITTLE, "-o", name]))
            for name, ask in SPILLING.items()
        ]
        for name, process in running:
            self.assertEqual(process.wait(timeout=120), 0, name)
            self.assertEqual(self.read(name), expected[name], name)
        self.assert_nothing_left(*expected)


class ClosedPipe(SpillTest):
    def test_a_reader_that_goes_away_is_no_error(self):
        for ask in SPILLING.values():
            words = " ".join(f"'{word}'" for word in ("t.presso", *ask, *LITTLE))
            script = f"'{PRESSO}' select {words} | head -c 100000 | wc -c; echo ${{PIPESTATUS[0]}}"
            done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=60)
            self.assertEqual((done.stdout, done.stderr), (b"100000\n0\n", b""))
            self.assert_nothing_left()

    def test_a_reader_that_was_never_there(self):
        for ask in SPILLING.values():
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run(
                [PRESSO, "select", "t.presso", *ask, *LITTLE],
                stdout=writer,
                stderr=subprocess.PIPE,
                timeout=60,
            )
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assert_nothing_left()


class Damage(SpillTest):
    def read_status(self, columns, name):
        return self.run_presso("select", name, "--columns", columns, "-o", "/dev/null", "-f")

    def damage_column(self, column, *others):
        """Copies the table to bad.presso with damage in a late block of `column`, and of no other
        one; where that block lies is found by trying. Returns its number and offset."""
        content = self.read("t.presso")
        for at in range(len(content) * 9 // 10, 0, -5000):
            damaged = bytearray(content)
            damaged[at] ^= 0x10
            self.write("bad.presso", damaged)
            found = self.read_status(column, "bad.presso")
            intact = [self.read_status(other, "bad.presso").status for other in others]
            if found.status == 2 and intact == [0] * len(others):
                self.assertRegex(
                    found.err, r"^presso: bad.presso: block [0-9]+ \(compressed offset [0-9,]+\): "
                )
                return found.err
        self.fail("no block of the column was found")
        return None

    def assert_names_the_block(self, said, *arguments):
        found = self.fails("select", "bad.presso", *arguments, "-f", "-o", "out.csv").err
        self.assertEqual(found, said)
        self.assertEqual(self.read("out.csv"), b"precious")
        self.assert_nothing_left("bad.presso", "out.csv")

    def test_in_a_late_row_group_when_much_has_been_spilled(self):
        self.write("out.csv", b"precious")
        said = self.damage_column("key", "value", "weight")
        self.assert_names_the_block(said, *ORDER, *LITTLE)
        self.assert_names_the_block(said, *GROUPS, *LITTLE)

    def test_in_the_second_pass(self):
        """Memory for the groups runs out in the first row groups; the tables are read again."""
        self.write("out.csv", b"precious")
        said = self.damage_column("key", "weight")
        ask = ("--group-by", "key", "--agg", "count(*)", "--temp", "spill")
        for memory in ("2M", "6M"):
            self.assert_names_the_block(said, *ask, "--memory", memory)

    def test_in_a_column_that_only_the_second_pass_reads(self):
        """The first pass looks for the greatest argument of a sum of numbers without bound."""
        self.write("out.csv", b"precious")
        said = self.damage_column("key", "weight", "value")
        self.assert_names_the_block(
            said, "--group-by", "key", "--agg", "sum(weight / value)", *LITTLE
        )

    def test_of_several_files_the_damaged_one_is_named(self):
        said = self.damage_column("key", "weight")
        found = self.fails("select", "t.presso", "bad.presso", "t.presso", *ORDER, *LITTLE).err
        self.assertEqual(found, said)


class Memory(SpillTest):
    """What --memory says is what groups and rows to be sorted take. The process has its program,
    what it reads and what it writes beside; a query that counts shows how much that is, and
    `slack` is what reading several columns and writing takes more. MiB that were found with 1, 4
    and 16 MiB: 2.6, 6.0 and 15.5 of rows, 3.1, 7.0 and 18.7 of groups."""

    slack = 5 << 20
    factor = 1.25

    def peak_bytes(self, *arguments):
        done = subprocess.run(
            [sys.executable, "-S", "-E", "-c", MEASURE, PRESSO, "select", *["t.presso"] * 4]
            + [*arguments, "-T", "2", "--temp", "spill"],
            capture_output=True,
            text=True,
            timeout=120,
        )
        kilobytes, status = done.stdout.split()
        self.assertEqual((status, done.stderr), ("0", ""))
        return int(kilobytes) * 1024

    def test_memory_is_kept(self):
        least = self.peak_bytes("--agg", "count(*)")
        for name, ask in SPILLING.items():
            for megabytes in (1, 4, 16):
                found = self.peak_bytes(*ask, "--memory", f"{megabytes}M") - least
                self.assertLessEqual(
                    found, self.factor * (megabytes << 20) + self.slack, (name, megabytes)
                )


if __name__ == "__main__":
    main()
