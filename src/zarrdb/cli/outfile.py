"""`-o FILE` of the commands that look: what they print goes to a file, whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from zarrdb.cli import options
from zarrdb.cli.opening import require_local
from zarrdb.cli.output import Output
from zarrdb.errors import TargetExistsError, UsageError
from zarrdb.keys import printable


@contextmanager
def sent_to(
    output: str | None, source: str, out: Output, *, overwrite: bool, skip_existing: bool
) -> Iterator[bool]:
    """Have what is printed inside go to the file `output`, which appears at the end.

    `source` is the FILE that is looked at. Yields whether anything is to be done; not where
    the file exists and `skip_existing` is given. Without `output` nothing changes. Raises
    UsageError, TargetExistsError, TargetError, ReadOnlyError, NoSpaceError.
    """
    options.require_one_choice(overwrite=overwrite, skip_existing=skip_existing)
    if output is None:
        if overwrite or skip_existing:
            raise UsageError("--overwrite and --skip-existing are for -o")
        yield True
        return
    require_local(output, "without -o it goes to standard output")
    if skip_existing and os.path.isfile(output) and os.path.getsize(output):
        out.note(f"{printable(output)}: exists, skipped")
        yield False
        return
    _require_free(output, source, overwrite=overwrite)
    from zarrdb.sources.target import ArchiveFile

    file = ArchiveFile(output)
    try:
        with out.redirected(file.write):
            yield True
        file.commit()
    finally:
        file.discard()


def _require_free(output: str, source: str, *, overwrite: bool) -> None:
    """Refuse a name where something stands, unless it is a file that may be replaced."""
    name = printable(output)
    if not os.path.exists(output):
        return
    if os.path.exists(source) and os.path.samefile(output, source):
        raise UsageError("-o names FILE itself", hint="name another file")
    if os.path.isdir(output):
        raise TargetExistsError(f"{name}: is a directory", hint="-o names a file")
    if not os.path.isfile(output):
        raise TargetExistsError(
            f"{name}: is no regular file", hint="without -o it goes to standard output"
        )
    if not os.path.getsize(output):
        return
    if not overwrite:
        raise TargetExistsError(
            f"{name}: exists already",
            hint="--overwrite replaces it, --skip-existing goes on without it",
        )
    from zarrdb.detect import identify

    # Whoever has a database open would go on in a file that nobody sees any more.
    if identify(output).kind == "sqlite":
        raise TargetExistsError(
            f"{name}: is a SQLite database, so it is not replaced", hint="name another file"
        )
