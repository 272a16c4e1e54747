"""One sentence on the command line, the whole process: how long it takes, and its memory.

python -m tests.benchmarks.command_line
"""

import os
import subprocess
import sys
import time
from statistics import median

SENTENCE = "este é um problema que temos que resolver."
MAX_SECONDS, MAX_MEGABYTES = 0.6, 130
ROUNDS = 5


def run(*flags: str) -> tuple[float, float]:
    """Return the seconds and the most megabytes of a process."""
    begin = time.perf_counter()
    command = [sys.executable, "-m", "core", "translate", "ted_pt_en", SENTENCE, *flags]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError("The command failed.")
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def main() -> int:
    missed = False
    for name, flags in (("greedy", ()), ("beam 4", ("--beam-size", "4"))):
        runs = [run(*flags) for _ in range(ROUNDS)]
        seconds, megabytes = (median(values) for values in zip(*runs, strict=True))
        print(f"{name}: {seconds:.2f} s / {MAX_SECONDS} s = {seconds / MAX_SECONDS:.2f}; "
              f"{megabytes:.0f} MB / {MAX_MEGABYTES} MB = {megabytes / MAX_MEGABYTES:.2f}")  # fmt: skip
        missed |= seconds > MAX_SECONDS or megabytes > MAX_MEGABYTES
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
