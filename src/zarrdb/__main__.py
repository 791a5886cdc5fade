"""`python -m zarrdb` and the console script."""

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; the exit code is the process's own."""
    _use_utf8()
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


def _use_utf8() -> None:
    """Start anew in UTF-8 mode where Python would read names in another encoding.

    Names are bytes to the system and UTF-8 to Zarr, whatever the locale says.
    """
    if os.name == "posix" and sys.getfilesystemencoding() != "utf-8" and sys.executable:
        with suppress(OSError):
            os.execv(  # noqa: S606
                sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
            )


if __name__ == "__main__":
    main()
