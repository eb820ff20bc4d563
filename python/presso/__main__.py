# SPDX-License-Identifier: MIT
"""The presso command: `presso`, or `python -m presso` where that is not on PATH."""

import os
import sys

from presso import _native


def main() -> None:
    """Runs the command and ends the process with its exit status. Nothing of Python's is left to be
    flushed or to end: the command has written its output and has no threads."""
    os._exit(_native.run_command([os.fsencode(one) for one in sys.argv[1:]]))


if __name__ == "__main__":
    main()
