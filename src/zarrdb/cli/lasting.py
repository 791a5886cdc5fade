"""What `--resume` says on the command line."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from zarrdb.cli.output import Output
from zarrdb.errors import InUseError, TargetExistsError
from zarrdb.keys import printable
from zarrdb.transfer.copy import CopyOptions
from zarrdb.transfer.resume import own_paths


@contextmanager
def telling_what_is_kept(target: str, options: CopyOptions, out: Output) -> Iterator[None]:
    """A note where something interrupts a copy that the next run can continue."""
    try:
        yield
    except (InUseError, TargetExistsError):
        raise
    except BaseException:
        partial, _ = own_paths(target, options.temp_dir)
        if options.resume and os.path.exists(partial):
            out.note(f"{printable(partial)}: keeps what was done; the same command continues it")
        raise
