"""Another process that has a database open, and does what it is told."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_SERVER = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.set_busy_timeout(int(sys.argv[2]))
for line in sys.stdin:
    try:
        print(connection.execute(line.strip()).fetchall(), flush=True)
    except apsw.Error as error:
        print(type(error).__name__, flush=True)
"""


class OtherProcess:
    """A connection of another process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def run(self, statement: str) -> str:
        """What a statement gives there: its rows, or the name of the error."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(statement + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def kill(self) -> None:
        """End it as a power cut would: nothing is finished or closed."""
        self.process.kill()
        self.process.wait()


@contextmanager
def other_process(path: Path | str, *, patience: float = 0) -> Iterator[OtherProcess]:
    """A process with a connection of its own that waits `patience` seconds for locks."""
    arguments: list[Any] = [sys.executable, "-c", _SERVER, path, int(patience * 1000)]
    with subprocess.Popen(
        [str(argument) for argument in arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield OtherProcess(process)
        finally:
            if process.stdin is not None:
                process.stdin.close()
            process.wait(timeout=30)
