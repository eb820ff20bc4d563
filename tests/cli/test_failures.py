# SPDX-License-Identifier: MIT
"""The world goes wrong: full disk, limits, signals, closed pipes, unreadable files. In every case:
a message, status 2, and nothing left that was not there before."""

import os
import resource
import shutil
import signal
import subprocess

from support import PRESSO, CliTest, log_text, main, wait_for


def start(*arguments, **more):
    return subprocess.Popen([PRESSO, *arguments], stderr=subprocess.PIPE, **more)


class Signals(CliTest):
    def interrupt(self, number, *arguments, data):
        """Feeds half of the input, waits for the temporary file, sends the signal."""
        process = start(*arguments, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        process.stdin.write(data)
        process.stdin.flush()
        try:
            self.assertTrue(
                wait_for(lambda: any(name.startswith(".out.") for name in self.files()))
            )
            process.send_signal(number)
            self.assertTrue(wait_for(lambda: process.poll() is not None))
        finally:
            process.kill()
            process.stdin.close()
            process.stderr.close()
            process.wait()
        return process.returncode

    def test_compress_removes_its_temporary_file(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            status = self.interrupt(number, "compress", "-o", "out", data=log_text(2000))
            self.assertEqual(status, -number)  # a shell shows 128 plus the number
            self.assertEqual(self.files(), [])

    def test_decompress_removes_its_temporary_file(self):
        packed = self.ok("compress", stdin=log_text(2000)).out
        status = self.interrupt(
            signal.SIGTERM, "decompress", "-o", "out", data=packed[: len(packed) // 2]
        )
        self.assertEqual(status, -signal.SIGTERM)
        self.assertEqual(self.files(), [])

    def test_an_existing_file_survives_the_signal(self):
        self.write("out", b"precious")
        self.interrupt(signal.SIGINT, "compress", "-f", "-o", "out", data=log_text(2000))
        self.assertEqual(self.read("out"), b"precious")
        self.assertEqual(self.files(), ["out"])

    def test_ignored_hangup_stays_ignored(self):
        done = subprocess.Popen(
            ["nohup", PRESSO, "compress", "-o", "out"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        done.stdin.write(b"half")
        done.stdin.flush()
        self.assertTrue(wait_for(lambda: any(name.startswith(".out.") for name in self.files())))
        done.send_signal(signal.SIGHUP)
        done.stdin.close()
        self.assertEqual(done.wait(timeout=30), 0)
        self.assert_round_trip("out", b"half")

    def test_status_in_a_shell(self):
        script = (
            f"'{PRESSO}' compress -o out < fifo & pid=$!; exec 9> fifo; "
            "while ! ls -A | grep -q '^.out'; do sleep 0.05; done; kill -TERM $pid; wait $pid"
        )
        os.mkfifo("fifo")
        done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 128 + signal.SIGTERM)
        self.assertEqual(self.files(), ["fifo"])


class FullDisk(CliTest):
    def test_dev_full(self):
        self.write("app.log", log_text(2000))
        self.fails(
            "compress", "-f", "-o", "/dev/full", "app.log", saying="presso: /dev/full: no space"
        )
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [PRESSO, "compress", "-c", "app.log"], stdout=full, stderr=subprocess.PIPE
            )
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"standard output: no space", done.stderr)
            self.ok("compress", "app.log")
            for command in (
                ["cat", "app.log.presso"],
                ["cat", "--bytes", "0:5", "app.log.presso"],
                ["info", "app.log.presso"],
                ["--version"],
                ["compress", "--help"],
                ["--generate", "man"],
            ):
                done = subprocess.run([PRESSO, *command], stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 2, command)
                self.assertIn(b"standard output", done.stderr)

    def limited(self, *arguments):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))

        return subprocess.run([PRESSO, *arguments], capture_output=True, preexec_fn=limit)

    def test_file_size_limit(self):
        self.write("app.log", os.urandom(300000))
        done = self.limited("compress", "app.log")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"presso: app.log.presso: no space left", done.stderr)
        self.assertEqual(self.files(), ["app.log"])
        self.ok("compress", "--rm", "app.log")
        done = self.limited("decompress", "app.log.presso")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.files(), ["app.log.presso"])

    def test_small_file_system(self):
        os.mkdir("small")
        if (
            shutil.which("mount") is None
            or os.geteuid() != 0
            or subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", "small"], capture_output=True
            ).returncode
            != 0
        ):
            self.skipTest("mounting a small tmpfs needs root")
        try:
            data = os.urandom(500000)
            self.write("app.log", data)
            self.ok("compress", "app.log")
            self.fails("compress", "-o", "small/out", "app.log", saying="small/out: no space left")
            self.fails("decompress", "-o", "small/out", "app.log.presso", saying="no space left")
            self.assertEqual(self.files("small"), [])
        finally:
            subprocess.run(["umount", "small"], check=True)


class ClosedPipe(CliTest):
    def run_into_closed_pipe(self, *arguments):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([PRESSO, *arguments], stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        return done.returncode, done.stderr

    def test_reading_commands_take_it_for_an_answer(self):
        self.compressed()
        for arguments in (
            ["cat", "app.log.presso"],
            ["decompress", "-c", "app.log.presso"],
            ["cat", "--bytes", "0:100", "app.log.presso"],
            ["info", "app.log.presso"],
        ):
            self.assertEqual(self.run_into_closed_pipe(*arguments), (0, b""), arguments)

    def test_compress_fails_without_a_message(self):
        self.write("app.log", log_text())
        self.assertEqual(self.run_into_closed_pipe("compress", "-c", "app.log"), (2, b""))


class Inputs(CliTest):
    def test_unreadable_source(self):
        self.write("secret", b"x")
        os.chmod("secret", 0)
        if os.geteuid() != 0:
            self.fails("compress", "secret", saying="presso: secret: ")
            self.fails("info", "secret", saying="presso: secret: ")
        else:
            os.chmod(self.directory, 0o777)
            binary = self.write("presso", self.read(PRESSO))
            os.chmod(binary, 0o755)
            for command in ("compress", "info", "test", "cat"):
                done = subprocess.run(
                    ["./presso", command, "secret"],
                    capture_output=True,
                    user=65534,
                    stdin=subprocess.DEVNULL,
                )
                self.assertEqual(done.returncode, 2)
                self.assertIn(b"presso: secret: ", done.stderr)
                self.assertIn(b"Permission denied", done.stderr)
            os.unlink("presso")
        self.assertEqual(self.files(), ["secret"])

    def test_directory_without_write_permission(self):
        if os.geteuid() == 0:
            self.fails("compress", "-o", "/proc/out", stdin=b"x", saying="/proc/out: ")
            return
        self.write("d/app.log", b"x")
        os.chmod("d", 0o555)
        self.fails("compress", "d/app.log", saying="d/app.log.presso: ")
        os.chmod("d", 0o755)
        self.assertEqual(self.files("d"), ["app.log"])

    def test_source_that_fails_while_it_is_read(self):
        self.fails("compress", "-c", "/proc/self/mem", saying="presso: /proc/self/mem: ")
        self.fails("compress", "-o", "out", "/proc/self/mem", saying="presso: /proc/self/mem: ")
        self.assertEqual(self.files(), [])

    def test_missing_directory_of_the_output(self):
        self.fails("compress", "-o", "none/out", stdin=b"x", saying="none/out: ")

    def test_output_is_a_directory(self):
        os.mkdir("d")
        self.fails("compress", "-f", "-o", "d", stdin=b"x", saying="directory")

    def test_names_as_long_as_the_file_system_permits(self):
        name = "n" * 248
        self.write(name, b"long\n")
        self.ok("compress", name)
        self.assert_round_trip(name + ".presso", b"long\n")
        longer = self.write("n" * 250, b"long\n")
        self.fails("compress", longer, saying="presso: ")
        self.assertEqual(len(self.files()), 3)

    def test_hostile_inputs_end_with_a_message(self):
        import random

        rng = random.Random(7)
        self.compressed("app.log", log_text(400), "--block-size", "16K")
        packed = self.read("app.log.presso")
        for _ in range(150):
            damaged = bytearray(packed)
            for _ in range(rng.randrange(1, 4)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            if damaged == packed:
                continue
            self.write("bad.presso", bytes(damaged))
            for command in ("test", "cat", "info"):
                result = self.run_presso(command, "bad.presso")
                self.assertIn(result.status, (0, 2), (command, result))
                self.assertEqual(result.status == 2, "presso: bad.presso: " in result.err, result)

    def test_messages_escape_the_control_characters_of_files(self):
        escape = "\x1b[31m"
        self.write("value.csv", f"a,b\n1,2\n{escape}red,2,3\n".encode())
        self.write("name.csv", f'a{escape},b\n1,2\n3,x{escape}\n'.encode())
        odd = f"odd{escape}\r.csv"
        self.write(odd, self.read("name.csv"))
        self.ok("compress", "-q", "--table", "auto", odd)
        statement = f"select '{escape}', \"z{escape}\" from name.csv"
        for arguments in (
            ("compress", "--table", "auto", "value.csv"),
            ("compress", "-vf", "--table", "auto", "name.csv"),
            ("compress", "--table", "auto", "--schema", "b:int32", "name.csv"),
            ("compress", "--table", "auto", "--schema", f"z{escape}:int32", "name.csv"),
            ("compress", "--table", "auto", "--schema", f"b:{escape}", "name.csv"),
            ("compress", "--table", "auto", "--sort-by", "z", "name.csv"),
            ("select", "value.csv"),
            ("select", odd, "--columns", "z"),
            ("select", "name.csv", "--where", f"b {escape} 1"),
            ("select", "--format", "table", "name.csv"),
            ("sql", statement),
            ("sql", "select z from name.csv"),
            ("cat", odd + ".presso", "--columns", "z"),
            ("test", "-v", odd + ".presso"),
            ("info", odd + ".presso", "name.csv"),
            ("info", "--json", odd + ".presso"),
            ("scan", f"({escape}", odd + ".presso"),
            (f"z{escape}",),
        ):
            result = self.run_presso(*arguments)
            self.assertNotIn(b"\x1b", result.out, arguments)
            self.assertNotIn("\x1b", result.err, arguments)
            self.assertNotIn("\r", result.err, arguments)
            self.assertTrue(result.out or result.err, arguments)


if __name__ == "__main__":
    main()
