"""`zarrdb import`"""

from typing import Annotated, Literal

from typer import Argument, Option

from zarrdb.cli import options
from zarrdb.cli.names import read_names
from zarrdb.cli.output import Output
from zarrdb.errors import UsageError


def command(
    sources: Annotated[
        list[str] | None,
        Argument(
            metavar="SOURCE...",
            help="Stores of any kind, frames, URLs of them; `-` is a tar.",
        ),
    ] = None,
    output: options.OutputFile = None,
    output_dir: options.OutputDir = None,
    merge: Annotated[
        bool, Option("--merge", help="All sources into one file, under one root.")
    ] = False,
    on_conflict: Annotated[
        Literal["error", "skip", "replace"],
        Option("--on-conflict", help="With --merge, a key in two sources: which one counts."),
    ] = "error",
    path: options.Path = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    files_from: options.FilesFrom = None,
    null: options.Null = False,
    overwrite: options.Overwrite = False,
    skip_existing: options.SkipExisting = False,
    fail_fast: Annotated[
        bool, Option("--fail-fast", help="Stop at the first source that fails.")
    ] = False,
    links: Annotated[
        Literal["follow", "inside", "refuse"],
        Option("--links", help="Symbolic links: follow all, those that stay inside, or none."),
    ] = "follow",
    keep_junk: Annotated[
        bool, Option("--keep-junk", help="Copy .DS_Store, ._* and the like as well.")
    ] = False,
    slices: Annotated[
        str | None,
        Option(
            "--slice",
            metavar="'0:10, ::5'",
            help="Import only a part of the array in a Blosc2 frame.",
        ),
    ] = None,
    codec: Annotated[
        str | None,
        Option(
            "--codec",
            metavar="zstd|blosc|gzip|none[:LEVEL]",
            help="What a frame's chunks are compressed with; default: zstd.",
        ),
    ] = None,
    zarr_format: Annotated[
        Literal["2", "3"] | None,
        Option("--zarr-format", help="The format a frame becomes an array of; default: 3."),
    ] = None,
    any_keys: Annotated[
        bool, Option("--any-keys", help="Copy what has no Zarr metadata at its root as well.")
    ] = False,
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
    """Turn stores into .zarrdb files; bytes are copied exactly and sources never changed.

    One SOURCE goes to -o FILE, to the second name if that ends in .zarrdb, or beside the
    source. Several go to one file each, beside them or in -d DIR; the others are done even if
    one fails. A Blosc2 frame becomes an array of the same shape, type, chunks and attributes.

    Example:
        zarrdb import climate.zarr
        zarrdb import climate.zarr -o /project/climate.zarrdb --verify
        zarrdb import temperature.b2nd --slice '0:10' --codec zstd:9
        zarrdb import plates/*.zarr -d /project/plates --skip-existing
        zarrdb import s3://bucket/climate.zarr --storage-option anon=true --resume
        tar cf - climate.zarr | zarrdb import - -o climate.zarrdb
    """
    from zarrdb.cli.import_frames import recoding_of
    from zarrdb.cli.import_names import Wanted, destinations, target_node
    from zarrdb.cli.import_run import run
    from zarrdb.cli.opening import Reach, remote_options
    from zarrdb.cli.transferring import page_size_of, require_directory, seconds_to_wait
    from zarrdb.transfer.copy import CopyOptions

    options.require_one_choice(overwrite=overwrite, skip_existing=skip_existing)
    if on_conflict != "error" and not merge:
        raise UsageError("--on-conflict is for --merge")
    require_directory("--temp-dir", temp_dir)
    names = [*(sources or ()), *read_names(files_from, null=null)]
    if resume and "-" in names:
        raise UsageError("--resume: standard input cannot be read from its middle")
    wanted = Wanted(
        options=CopyOptions(
            include=tuple(include or ()),
            exclude=tuple(exclude or ()),
            on_conflict=on_conflict,
            overwrite=overwrite,
            any_keys=any_keys,
            verify=verify,
            resume=resume,
            dry_run=dry_run,
            new_folder=dry_run and output_dir is not None,
            page_size=page_size_of(page_size),
            jobs=jobs,
            temp_dir=temp_dir,
            timeout=seconds_to_wait(timeout),
        ),
        path=target_node(path or ""),
        links=links,
        keep_junk=keep_junk,
        skip_existing=skip_existing,
        fail_fast=fail_fast,
        progress=progress,
        recoding=recoding_of(slices, codec, zarr_format),
        remote=remote_options(Reach(storage_option, max_bytes, download, temp_dir), timeout),
        # Last, as it makes the directory.
        destinations=destinations(names, output, output_dir, merge=merge, dry_run=dry_run),
    )
    return run(wanted, Output(json=json, quiet=quiet, verbose=verbose, color=color))
