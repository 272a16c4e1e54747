"""A process that dies by kill -9 while it saves a checkpoint, at every point where it asks the system for something.

    python -m tests.checkpoints.killed_saving OLD NEW FILE

For each point the old checkpoint is in FILE, and a child process begins to save the new one there and dies. Prints the
name of the checkpoint that FILE has then; the last line is of a child that lived.
"""

import os
import shutil
import signal
import sys
from itertools import count
from pathlib import Path

from core.checkpoints.checkpoint import Checkpoint

ASKS_THE_SYSTEM = ("open", "os.", "pathlib.")


def save_and_die(new: Checkpoint, file: Path, point: int) -> bool:
    """Save in a child process that kills itself when it asks the system for the n-th time; whether it lived."""
    child = os.fork()
    if child == 0:
        left = count(point - 1, -1)

        def count_down(event: str, _: object) -> None:
            if event.startswith(ASKS_THE_SYSTEM) and next(left) == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count_down)
        new.save(file)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return status == 0


def main() -> None:
    old, new = (Checkpoint.load(Path(path)) for path in sys.argv[1:3])
    file = Path(sys.argv[3])
    for point in count(1):
        shutil.rmtree(file.parent, ignore_errors=True)
        old.save(file)
        lived = save_and_die(new, file, point)
        print(Checkpoint.load(file).name, flush=True)
        if lived:
            break


if __name__ == "__main__":
    main()
