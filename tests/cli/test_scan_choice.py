# SPDX-License-Identifier: MIT
"""presso scan: the order of files, file types and ignore files. Where ripgrep is installed, it must
search the same files."""

import os
import random
import shutil
import subprocess
import time

import support
from support import covers, main
from test_scan import Scan


class Chosen(Scan):
    """`d` holds the files; each of them matches."""

    NAMES = ()

    def setUp(self):
        super().setUp()
        for name in self.NAMES:
            self.write(name, b"Two\n")

    def found(self, *arguments, paths=("d",), as_ripgrep=True):
        """The files that are searched; with `as_ripgrep`, they must be those of ripgrep, in its
        order. ripgrep has -L for another purpose and sorts by path only if it is told to."""
        result = self.run_presso("scan", "-l", *arguments, "Two", *paths)
        self.assertEqual((result.status, result.err), (0 if result.out else 1, ""), result)
        if as_ripgrep and shutil.which("rg") is not None:
            command = ["rg", "--no-config", "--no-ignore", "--sort=path", "-l", *arguments, "Two"]
            done = subprocess.run([*command, *paths], stdin=subprocess.DEVNULL, capture_output=True)
            self.assertEqual(result.out.decode(), done.stdout.decode(), arguments)
        return result.out.decode().split()


class Order(Chosen):
    NAMES = ("d/b", "d/a-x", "d/a/z", "d/a/y", "d/a.c")

    def setUp(self):
        super().setUp()
        for seconds, name in enumerate(("a", "c", "b", "e", "d")):
            self.write(f"flat/{name}", b"Two\n")
            os.utime(f"flat/{name}", ns=(10**18 - seconds, 10**18 + seconds))

    @covers("scan", "--sort", "--sortr")
    def test_by_path(self):
        forwards = ["d/a/y", "d/a/z", "d/a-x", "d/a.c", "d/b"]
        self.assertEqual(self.found(), forwards)
        self.assertEqual(self.found("--sortr=none", as_ripgrep=False), forwards)
        self.assertEqual(self.found("--sortr", "path", "--sort", "path"), forwards)
        self.assertEqual(self.found("--sortr=path"), forwards[::-1])
        self.assertEqual(self.found("--sort=none", "--sortr=path"), forwards[::-1])
        self.fails("scan", "--sort=size", "Two", "d", saying="modified, accessed, created, none")

    def test_by_time(self):
        by_time = [f"flat/{name}" for name in ("a", "c", "b", "e", "d")]
        self.assertEqual(self.found("--sort=modified", paths=["flat"]), by_time)
        self.assertEqual(self.found("--sortr=modified", paths=["flat"]), by_time[::-1])
        # To search a file may change when it was last accessed.
        for flag, expected in (("--sort=accessed", by_time[::-1]), ("--sortr=accessed", by_time)):
            for seconds, name in enumerate(by_time):
                os.utime(name, ns=(10**18 - seconds * 10**9, 10**18 + seconds))
            self.assertEqual(self.found(flag, paths=["flat"], as_ripgrep=False), expected)

    def test_by_time_of_creation(self):
        names = [f"new/{name}" for name in "cabd"]
        for name in names:
            self.write(name, b"Two\n")
            time.sleep(0.02)
        done = subprocess.run(["stat", "-c", "%W", names[0]], capture_output=True)
        if done.stdout.strip() in (b"", b"0", b"-"):
            result = self.run_presso("scan", "-l", "--sort=created", "Two", "new")
            self.assertIn("its file system does not keep the time", result.err)
            self.skipTest("no times of creation here")
        self.assertEqual(self.found("--sort=created", paths=["new"]), names)
        self.assertEqual(self.found("--sortr=created", paths=["new"]), names[::-1])

    def test_times_are_compared_over_folders_and_operands(self):
        # ripgrep 13 compares only the entries of one folder; newer ones do as presso.
        for seconds, name in enumerate(("d/b", "t", "d/a/z", "d/a.c", "d/a/y", "d/a-x")):
            os.utime(name, (10**9, 10**9 + seconds))
        expected = ["d/b", "t", "d/a/z", "d/a.c", "d/a/y", "d/a-x"]
        found = self.found("--sort=modified", paths=["t", "d"], as_ripgrep=False)
        self.assertEqual(found, expected)
        self.assertEqual(self.scan("-I", "-m1", "--sort=modified", "--max-total=1", "Two", "d", "-",
                                   stdin=b"Two last\n"), b"Two\n")
        self.assertEqual(self.scan("-I", "-m1", "--sortr=modified", "--max-total=1", "Two", "d",
                                   "-", stdin=b"Two last\n"), b"Two last\n")

    def test_equal_times_leave_the_order_of_paths(self):
        for name in self.NAMES:
            os.utime(name, (10**9, 10**9))
        self.assertEqual(self.found("--sortr=modified", as_ripgrep=False), self.found())



class Lists(Chosen):
    NAMES = ("d/b", "d/a/z", "d/a/.h", "d/a.c", "d/.i/y", "e")

    def files(self, *arguments, status=0, saying=""):
        """The output of --files, which must be ripgrep's."""
        got = self.run_presso("scan", "--files", *arguments)
        self.assertEqual((got.status, got.err), (status, saying), arguments)
        if shutil.which("rg") is not None:
            command = ["rg", "--no-config", "--no-ignore", "--sort=path", "--files", *arguments]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
            self.assertEqual((got.status, got.out), (done.returncode, done.stdout), arguments)
        return got.out

    @covers("scan", "--files")
    def test_files_are_listed_instead_of_searched(self):
        self.assertEqual(self.files("d"), b"d/a/z\nd/a.c\nd/b\n")
        for flags in (("--hidden", "d"), ("-0", "d"), ("-q", "d"), ("-g", "*.c", "d"), ("-tc", "."),
                      ("--sortr=path", "d"), ("e", "e"), (), ("--color=always", "d"),
                      ("--path-separator=+", "d"), ("--max-depth=1", "d"), ("-l", "d"), ("-",)):
            self.files(*flags)
        self.files("-tpy", "d", status=1)
        self.files("none", "e", status=2, saying="presso: none: No such file or directory\n")
        self.fails("scan", "--files", "--json", "d", saying="--files lists files")
        self.fails("scan", "--files", "-e", "Two", "d", saying="-e and -f cannot go with it")

    @covers("scan", "--follow")
    def test_symbolic_links(self):
        os.symlink("../d/a", "d/link")
        os.symlink("b", "d/to_b")
        self.assertEqual(self.files("d"), b"d/a/z\nd/a.c\nd/b\n")
        self.files("--follow", "--no-follow", "d")
        self.assertEqual(self.files("--follow", "d"),
                         b"d/a/z\nd/a.c\nd/b\nd/link/z\nd/to_b\n")
        self.files("d/link")
        os.symlink("..", "d/a/up")
        os.symlink("nowhere", "d/a/wrong")
        self.files("--follow", "d", status=2, saying=(
            "presso: d/a/up: not followed, because it leads back to 'd'\n"
            "presso: d/a/wrong: No such file or directory\n"
            "presso: d/link/up: not followed, because it leads back to 'd'\n"
            "presso: d/link/wrong: No such file or directory\n"))

    @covers("scan", "--one-file-system")
    def test_one_file_system(self):
        self.files("--one-file-system", "d")
        self.files("--one-file-system", "--no-one-file-system", "d")
        if os.path.ismount("/proc") and not os.path.ismount("/proc/self"):
            arguments = ("--files", "--max-depth=2", "-g", "**/proc/*", "/")
            result = self.run_presso("scan", *arguments)
            # A process may end after its folder has been listed.
            for message in result.err.splitlines():
                self.assertRegex(message, r"^presso: /proc/\d+: No such file or directory$")
            self.assertIn(b"/proc/", result.out)
            self.assertEqual(self.scan("--one-file-system", *arguments, status=1), b"")

    @covers("scan", "--ignore-file-case-insensitive")
    def test_case_in_ignore_files(self):
        self.write("rules", b"A*\n")
        self.files("--ignore-file=rules", "d")
        # In ripgrep 13 it is only about files such as .gitignore.
        arguments = ("--files", "--ignore-file=rules", "--ignore-file-case-insensitive", "d")
        self.assertEqual(self.scan(*arguments), b"d/b\n")
        self.files("--ignore-file=rules", "--ignore-file-case-insensitive",
                   "--no-ignore-file-case-insensitive", "d")


class RandomGlobs(Chosen):
    """Made from parts, as globs of the command line and as lines of an ignore file. `[!a]` is not
    among them: in ripgrep it matches a slash, in git and presso not."""

    NAMES = tuple(f"{a}/{b}/{c}" for a in ("a", "ab", "b.c", ".h") for b in ("a", "x.c", "c")
                  for c in ("a", "b.c", "abc")) + ("top", "a.c", "abc", "b")
    PARTS = ("a", "b", "c", ".c", "*", "?", "**", "/", "/", "[ab]", "{a,b.c}", "**/", "/**", "*.c",
             "\\a", "ab", "h", ".")

    def listed(self, *command):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
        return done.stdout, done.stderr != b""

    def test_files_are_those_of_ripgrep(self):
        if shutil.which("rg") is None:
            self.skipTest("ripgrep is not installed")
        generator = random.Random(5)
        for _ in range(200):
            glob = "".join(generator.choices(self.PARTS, k=generator.randrange(1, 6)))
            if "***" in glob or "//" in glob:
                continue
            glob = generator.choice(("", "", "!")) + glob
            self.write("rules", (generator.choice(("", "*.c\n", "!a\n")) + glob + "\n").encode())
            for flags in (("-g", glob), ("--iglob", glob.upper()), ("--ignore-file=rules",)):
                ours = self.listed(support.PRESSO, "scan", "--files", *flags)
                theirs = self.listed("rg", "--no-config", "--no-ignore", "--sort=path", "--files",
                                     *flags)
                self.assertEqual(ours[1], theirs[1], (flags, glob))
                if not ours[1]:
                    self.assertEqual(ours[0], theirs[0], (flags, glob, self.read("rules")))


class Types(Chosen):
    NAMES = ("d/a.rs", "d/.h.rs", "d/b.py", "d/.p.py", "d/Makefile", "d/sub/c.cpp", "d/sub/plain",
             "d/z.foo")

    @covers("scan", "--type", "--type-not")
    def test_types_choose_files_as_in_ripgrep(self):
        self.assertEqual(self.found("-trust"), ["d/.h.rs", "d/a.rs"])
        self.assertEqual(self.found("--type=cpp", "-t", "make"), ["d/Makefile", "d/sub/c.cpp"])
        self.assertEqual(self.found("-Trust"), ["d/Makefile", "d/b.py", "d/sub/c.cpp",
                                                "d/sub/plain", "d/z.foo"])
        for flags in (
            ("-Tpy", "--type-not", "cpp"),
            ("-trust", "-Trust"),
            ("-tall",),
            ("-Tall",),
            ("-Tall", "--hidden"),
            ("-trust", "-g", "*.py"),
            ("-Trust", "-g", "!*.py"),
            ("-trust", "-g", "!.*"),
            ("-tcsv",),
        ):
            self.found(*flags)
        self.assertEqual(self.found("-tpython", as_ripgrep=False), ["d/.p.py", "d/b.py"])
        self.assertEqual(self.found("-trust", paths=["d/b.py"]), ["d/b.py"])

    def test_the_last_type_that_is_about_a_file_decides(self):
        # In ripgrep 13 -T always does; newer ones do as presso.
        self.assertEqual(self.found("-Trust", "-trust", as_ripgrep=False), ["d/.h.rs", "d/a.rs"])
        self.assertEqual(self.found("-tall", "-Trust", "-Tpy"), ["d/Makefile", "d/sub/c.cpp"])

    @covers("scan", "--type-add", "--type-clear")
    def test_own_types(self):
        self.assertEqual(self.found("--type-add", "foo:*.foo", "-tfoo"), ["d/z.foo"])
        self.assertEqual(self.found("-tfoo", "--type-add", "foo:*.foo", "--type-add=foo:pl*"),
                         ["d/sub/plain", "d/z.foo"])
        self.assertEqual(self.found("--type-add=foo:include:rust,py", "--type-add=foo:*.foo",
                                    "-tfoo"),
                         ["d/.h.rs", "d/.p.py", "d/a.rs", "d/b.py", "d/z.foo"])
        self.assertEqual(self.found("--type-clear=rust", "--type-add=rust:*.foo", "-trust"),
                         ["d/z.foo"])
        self.assertEqual(self.found("--type-add=foo:sub/*", "-tfoo"), [])
        self.assertEqual(self.found("--type-add=foo:*.{rs,foo}", "-tfoo"),
                         ["d/.h.rs", "d/a.rs", "d/z.foo"])
        for wrong, saying in (
            (("--type-add=foo",), "--type-add: 'foo' is not of the form NAME:GLOB"),
            (("--type-add=fo-o:*.x",), "letters and digits"),
            (("--type-add=all:*.x",), "not 'all'"),
            (("--type-add=foo:",), "NAME:GLOB"),
            (("--type-add=foo:[a",), "a '[' is not closed"),
            (("--type-add=foo:include:rust,nosuch",), "there is no file type 'nosuch'"),
            (("-tnosuch",), "there is no file type 'nosuch'"),
            (("-Trusty",), "Did you mean 'rust'?; --type-list lists them"),
            (("-trust", "--type-clear=rust"), "there is no file type 'rust'"),
        ):
            self.fails("scan", *wrong, "Two", "d", saying=saying)

    def test_compressed_files_have_the_type_of_their_text(self):
        for name in ("c/app.log", "c/app.log.presso", "c/app.log.1.gz", "c/app.log.zst",
                     "c/x.log.gz.lz4", "c/app.rs.presso", "c/log.gz", "c/.gz", "c/app.log.xz"):
            self.write(name, b"Two\n")
        logs = ["c/app.log", "c/app.log.1.gz", "c/app.log.presso", "c/app.log.zst",
                "c/x.log.gz.lz4"]
        more = ("--no-search-zip", "-tlog")
        self.assertEqual(self.found(*more, paths=["c"], as_ripgrep=False), logs)
        more = ("--no-search-zip", "--type-add=gzip:*.gz", "-tgzip", "--hidden")
        self.assertEqual(self.found(*more, paths=["c"], as_ripgrep=False),
                         ["c/.gz", "c/app.log.1.gz", "c/log.gz"])
        more = ("--no-search-zip", "-Tlog")
        self.assertEqual(self.found(*more, paths=["c"], as_ripgrep=False),
                         ["c/app.log.xz", "c/app.rs.presso", "c/log.gz"])

    @covers("scan", "--type-list")
    def test_the_list(self):
        listed = self.scan("--type-list", "--type-add=foo:*.foo", "--type-clear=py",
                           "--type-add=rust:*.a").decode()
        self.assertIn("\nfoo: *.foo\n", listed)
        self.assertIn("\nrust: *.a, *.rs\n", listed)
        self.assertNotIn("\npy:", listed)
        rows = listed.splitlines()
        self.assertEqual(rows, sorted(rows))
        self.assertGreater(len(rows), 200)
        if shutil.which("rg") is not None:
            done = subprocess.run(["rg", "--no-config", "--type-list"], capture_output=True)
            names = {row.split(":")[0] for row in done.stdout.decode().splitlines()}
            self.assertEqual(names - {"py"} - {row.split(":")[0] for row in rows}, set())


class IgnoreFiles(Chosen):
    NAMES = ("d/a.log", "d/sub/a.log", "d/sub/deep/b.txt", "d/.hidden", "d/build/x", "d/sub/build",
             "d/#x", "d/!y", "d/end ", "d/b.txt")

    def check(self, rules, *arguments, paths=("d",), expected=None):
        self.write("rules", rules.encode())
        found = self.found("--ignore-file=rules", *arguments, paths=paths)
        if expected is not None:
            self.assertEqual(found, expected, rules)

    @covers("scan", "--ignore-file", "--no-ignore-files")
    def test_lines_mean_what_they_mean_to_ripgrep(self):
        rest = ["d/!y", "d/#x", "d/b.txt", "d/build/x", "d/sub/build", "d/sub/deep/b.txt"]
        self.check("*.log\nend\\ ", expected=rest)
        for rules in (
            "",
            "\n\n# *\n",
            "build",
            "build/",
            "/build",
            "/d/build",
            "d/build",
            "d/build/",
            "sub/build",
            "d/sub/*",
            "d/sub/**",
            "d/sub/**\n!d/sub/a.log",
            "d/**/b.txt",
            "**/deep",
            "**/build/**",
            "**",
            "*\n!d\n!d/sub\n!*.txt",
            "*\n!*.txt",
            "*.log\n!a.log",
            "!.hidden",
            "\\#x",
            "#x",
            "\\!y",
            "!y",
            "*.log  \r\n",
            "end ",
            "[ab].*",
            "[!ab].*",
            "?.log",
            "*.{log,txt}",
            "d",
            "/",
            "./d/a.log",
            "d/*/b.txt",
            "d//a.log",
            "  *.log",
        ):
            self.check(rules)
            self.check(rules, "--hidden")
            self.check(rules, "-g", "*.log")
            self.check(rules, "-ttxt")
            self.check(rules, paths=("./d",))
            self.check(rules, paths=("d/sub", "d/a.log"))
        self.check("*.log", "--no-ignore-files")
        self.check("*.log", "--no-ignore-files", "--ignore-files", "-u")

    def test_the_last_file_decides(self):
        self.write("r1", b"*.log\n!b.txt\n")
        self.write("r2", b"!sub/a.log\n!d/sub/a.log\nb.txt\n")
        self.found("--ignore-file=r1", "--ignore-file=r2")
        self.found("--ignore-file=r2", "--ignore-file=r1")

    def test_ignore_files_that_are_found_are_not_read(self):
        self.write("d/.gitignore", b"*\n")
        self.write("d/.ignore", b"*\n")
        self.write(".gitignore", b"*\n")
        self.assertIn("d/a.log", self.found())

    def test_what_cannot_be_read_is_an_error(self):
        self.fails("scan", "--ignore-file=none", "Two", "d", saying="none: No such file")
        self.write("rules", b"\xef\xbb\xbf*.log\n\n[a\n")
        self.fails("scan", "--ignore-file=rules", "Two", "d",
                   saying="rules:3: glob '[a': a '[' is not closed")
        self.write("rules", b"\xef\xbb\xbf*.log\n")
        self.assertNotIn("d/a.log", self.found("--ignore-file=rules", as_ripgrep=False))
        self.assertNotIn(b"a.log", self.scan("--ignore-file=-", "-l", "Two", "d", stdin=b"*.log"))


if __name__ == "__main__":
    main()
