"""`python -m zarrdb` and the console script."""

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; the exit code is the process's own."""
    from zarrdb.cli.app import run

    code = run(sys.argv[1:])
    # `run` has closed and flushed everything. Taking the interpreter apart after typer's
    # imports costs another 10 ms, a fifth of `zarrdb ls`, and may wait for idle threads.
    os._exit(code)


if __name__ == "__main__":
    main()
