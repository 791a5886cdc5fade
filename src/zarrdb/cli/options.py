"""The options that commands share: one meaning, one name.

Commands annotate their parameters with these; what only one command has is declared there.
Every default is written in the command, as a plain default value.
"""

from typing import Annotated, Literal

from typer import Argument, Option

from zarrdb.cli.output import When
from zarrdb.errors import UsageError

File = Annotated[
    str,
    Argument(
        metavar="FILE",
        help="A .zarrdb, directory, zip or zarr-2 SQLite store, or a Blosc2 frame; a URL.",
    ),
]
Node = Annotated[
    str, Argument(metavar="[NODE]", help="A group or array inside; default: the root.")
]

Quiet = Annotated[bool, Option("--quiet", "-q", help="Print nothing on stderr but errors.")]
Verbose = Annotated[
    int, Option("--verbose", "-v", count=True, help="Say more; twice: the log as well.")
]
Color = Annotated[
    When, Option("--color", help="Colour; NO_COLOR and FORCE_COLOR decide where it is `auto`.")
]
Json = Annotated[
    bool, Option("--json", help="JSON on stdout, each object beginning with `schema`.")
]

ProgressMode = Literal["auto", "bar", "plain", "json", "none"]
Progress = Annotated[
    ProgressMode,
    Option("--progress", help="`auto` is a bar on a terminal; `plain` a line every 30 s."),
]

OutputFile = Annotated[
    str | None, Option("--output", "-o", metavar="FILE", help="Where the one result goes.")
]
OutputDir = Annotated[
    str | None, Option("--output-dir", "-d", metavar="DIR", help="One result per input, in DIR.")
]
Overwrite = Annotated[bool, Option("--overwrite", help="Replace a result that exists.")]
SkipExisting = Annotated[
    bool, Option("--skip-existing", help="Leave a result that exists, and go on.")
]
DryRun = Annotated[bool, Option("--dry-run", "-n", help="Say what would happen; write nothing.")]
Path = Annotated[str | None, Option("--path", metavar="NODE", help="A place inside the .zarrdb.")]
Include = Annotated[
    list[str] | None,
    Option("--include", metavar="GLOB", help="Only keys that match; `**` crosses `/`."),
]
Exclude = Annotated[
    list[str] | None,
    Option("--exclude", metavar="GLOB", help="Leave out keys that match; beats --include."),
]
FilesFrom = Annotated[
    str | None,
    Option(
        "--files-from", metavar="FILE|-", help="More names, one per line, from a file or stdin."
    ),
]
Null = Annotated[
    bool, Option("--null", "-0", help="Names end with NUL instead of newline, in and out.")
]
Jobs = Annotated[
    int | None,
    Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        help="How many workers; default: the CPUs allowed, at most 8.",
    ),
]
TempDir = Annotated[
    str | None,
    Option(
        "--temp-dir", metavar="DIR", help="Temporary data goes here instead of beside the output."
    ),
]
Verify = Annotated[
    bool, Option("--verify", help="Hash while copying and read the finished result back.")
]
Resume = Annotated[
    bool, Option("--resume", help="Keep what is done when interrupted, and continue from it.")
]
Timeout = Annotated[
    float | None,
    Option(
        "--timeout",
        metavar="SECONDS",
        min=0,
        help="How long to wait for a lock (5) or a server (30).",
    ),
]
StorageOption = Annotated[
    list[str] | None,
    Option(
        "--storage-option",
        metavar="KEY=VALUE",
        help="For fsspec; KEY=@FILE and KEY=env:NAME keep secrets off the command line.",
    ),
]
MaxBytes = Annotated[
    int | None, Option("--max-bytes", metavar="N", min=0, help="Fetch no more than this.")
]
Count = Annotated[
    bool, Option("--count", help="Count the chunks of a URL, however many keys that fetches.")
]
Download = Annotated[bool, Option("--download", help="Fetch the whole file once, to --temp-dir.")]
PageSize = Annotated[
    str,
    Option("--page-size", metavar="auto|N", help="Bytes a page: a power of two from 512 to 65536."),
]

OWN_MEANING = {
    "--any-keys": "copy what has no Zarr metadata at its root as well",
    "--attributes": "what a node's attributes are to the command: given, shown or printed",
    "--force": "do it although the command advises against it",
    "--format": "the formats differ, `json` is the same as --json",
    "--zarr-format": "the format version of what is written",
    "--slice": "NumPy's slices, of what is printed or imported",
}
"""Options that several commands declare themselves, and what they have in common."""


def require_one_choice(*, overwrite: bool, skip_existing: bool) -> None:
    """Raise UsageError where both are wanted of a file that exists."""
    if overwrite and skip_existing:
        raise UsageError("--overwrite and --skip-existing exclude each other")
