"""`python -m zarrdb` and the console script."""

import gc
import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; the exit code is the process's own."""
    # Nothing that an import makes is garbage: not looking for any saves 4 ms of 50.
    gc.disable()
    try:
        from zarrdb.cli.app import run
    except KeyboardInterrupt:
        os._exit(130)

    gc.freeze()
    # Metadata is many small objects and hardly a cycle: looking after every 700 of them, as is
    # usual, costs a sixth of a check.
    gc.set_threshold(50_000, 20, 20)
    gc.enable()
    code = run(sys.argv[1:])
    # `run` has closed and flushed everything. Taking the interpreter apart after typer's
    # imports costs another 10 ms, and may wait for idle threads.
    os._exit(code)


if __name__ == "__main__":
    main()
