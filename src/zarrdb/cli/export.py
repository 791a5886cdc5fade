"""`zarrdb export`"""

from typing import Annotated, Literal

from typer import Argument, Option

from zarrdb.cli import options
from zarrdb.cli.output import Output, is_terminal, stdout
from zarrdb.errors import UsageError


def command(
    file: options.File,
    dest: Annotated[
        str | None,
        Argument(
            metavar="[DEST]",
            help="A directory, or by its suffix a zip, tar, .zarrdb or .b2nd; `-`.",
        ),
    ] = None,
    output: options.OutputFile = None,
    output_dir: options.OutputDir = None,
    to: Annotated[
        Literal["directory", "zip", "tar", "zarrdb", "b2nd"] | None,
        Option("--to", help="The kind of DEST, whatever it is called."),
    ] = None,
    path: options.Path = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    portable: Annotated[
        bool, Option("--portable", help="Refuse names that Windows or macOS cannot hold.")
    ] = False,
    overwrite: options.Overwrite = False,
    skip_existing: options.SkipExisting = False,
    page_size: options.PageSize = "auto",
    verify: options.Verify = False,
    resume: options.Resume = False,
    jobs: options.Jobs = None,
    temp_dir: options.TempDir = None,
    dry_run: options.DryRun = False,
    timeout: options.Timeout = None,
    storage_option: options.StorageOption = None,
    max_bytes: options.MaxBytes = None,
    download: options.Download = False,
    progress: options.Progress = "auto",
    json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = 0,
    color: options.Color = "auto",
) -> int:
    """Write a store out as a directory, a zip, a tar or another .zarrdb, byte for byte.

    DEST `-` is a tar on standard output. A directory that exists is replaced only with
    --overwrite, and only if it holds nothing but a store. DEST may be a URL; a directory in a
    bucket gets its metadata documents last, so that half of one does not open. A .b2nd is a
    Blosc2 frame of the one array that --path names, compressed anew.

    Example:
        zarrdb export climate.zarrdb climate.zarr
        zarrdb export climate.zarrdb climate.zarr.zip --verify
        zarrdb export climate.zarrdb --path temperature - | tar tf -
        zarrdb export x.zarrdb s3://bucket/x.zarr --storage-option profile=lab
        zarrdb export climate.zarrdb --path temperature temperature.b2nd
    """
    from zarrdb.cli.export_run import destination, run
    from zarrdb.cli.opening import Reach
    from zarrdb.cli.transferring import page_size_of, require_directory, seconds_to_wait
    from zarrdb.location import is_url
    from zarrdb.transfer.copy import CopyOptions
    from zarrdb.transfer.export import STDOUT, kind_of

    options.require_one_choice(overwrite=overwrite, skip_existing=skip_existing)
    require_directory("--temp-dir", temp_dir)
    if sum(place is not None for place in (dest, output, output_dir)) > 1:
        raise UsageError("DEST, -o and -d exclude one another", hint="-o FILE is DEST")
    name = dest if dest is not None else output
    kind = to or kind_of(name or "")
    if name == STDOUT:
        if kind != "tar":
            raise UsageError("standard output takes a tar only", hint=f"--to {kind} needs DEST")
        if is_terminal(stdout()):
            raise UsageError("a tar is nothing for a terminal", hint="send it to a file or a pipe")
    if resume and (kind != "zarrdb" or is_url(name or "")):
        raise UsageError("--resume is for a .zarrdb that is written here")
    wanted = CopyOptions(
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
        overwrite=overwrite,
        verify=verify,
        resume=resume,
        dry_run=dry_run,
        new_folder=dry_run and output_dir is not None,
        page_size=page_size_of(page_size),
        jobs=jobs,
        temp_dir=temp_dir,
        timeout=seconds_to_wait(timeout),
    )
    reach = Reach(storage_option, max_bytes, download, temp_dir)
    target = name if name is not None else destination(file, kind, output_dir, dry_run=dry_run)
    out = Output(json=json, quiet=quiet, verbose=verbose, color=color)
    return run(
        file,
        target,
        wanted,
        out,
        kind=kind,
        path=path or "",
        portable=portable,
        skip_existing=skip_existing,
        progress=progress,
        reach=reach,
        timeout=timeout,
    )
