"""Run one program and print, as JSON, what it took: CPU and wall seconds, peak memory in MiB.

    python -IS runner.py PROGRAM WORD ...

A process of its own, and a small one, because the kernel begins the peak memory of a program
with that of the process it was started from. The program's output is thrown away, what it
says on stderr passes through, and its exit status becomes this one's.
"""

from __future__ import annotations

import json
import os
import sys
import time


def main() -> int:
    argv = sys.argv[1:]
    silence = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    started = time.perf_counter()
    child = os.posix_spawn(argv[0], argv, os.environ, file_actions=[silence])
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - started
    print(json.dumps([used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024]))
    return abs(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    sys.exit(main())
