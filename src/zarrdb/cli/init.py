"""`zarrdb init`"""

import os
from typing import Annotated, Literal

from typer import Argument, Option

from zarrdb.cli import options
from zarrdb.cli.opening import DEFAULT_TIMEOUT, require_local
from zarrdb.cli.output import Output, os_reason
from zarrdb.db import Database
from zarrdb.db.exclusive import replace
from zarrdb.db.private import PrivateFile
from zarrdb.errors import TargetExistsError, UsageError
from zarrdb.keys import printable

_MARKERS: dict[str, dict[str, object]] = {
    "2": {"zarr_format": 2},
    "3": {"zarr_format": 3, "node_type": "group"},
}
_ATTRIBUTES_HINT = """for example --attributes '{"title": "Precipitation"}', or @FILE"""


def command(
    file: Annotated[str, Argument(metavar="FILE", help="The file to make.")],
    zarr_format: Annotated[
        Literal["2", "3"], Option("--zarr-format", help="The root group's format; default: 3.")
    ] = "3",
    attributes: Annotated[
        str | None,
        Option("--attributes", metavar="JSON|@FILE", help="The root group's attributes."),
    ] = None,
    empty: Annotated[bool, Option("--empty", help="No root group: a container alone.")] = False,
    overwrite: options.Overwrite = False,
    skip_existing: options.SkipExisting = False,
    json: options.Json = False,
    timeout: options.Timeout = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = 0,
    color: options.Color = "auto",
) -> None:
    """Make a new .zarrdb that holds an empty root group.

    A FILE that exists is refused; with --overwrite a .zarrdb is replaced, all that it holds
    included, and nothing else is.

    Example:
        zarrdb init --attributes '{"title": "Precipitation"}' new.zarrdb
        zarrdb init --skip-existing results.zarrdb
    """
    out = Output(json=json, quiet=quiet, verbose=verbose, color=color)
    if empty and attributes is not None:
        raise UsageError("--empty makes no group that could have --attributes")
    require_local(file, "`zarrdb export SOURCE URL` writes to one")
    options.require_one_choice(overwrite=overwrite, skip_existing=skip_existing)
    given = {} if attributes is None else _attributes(attributes)
    documents = {} if empty else _documents(zarr_format, given)
    if skip_existing and os.path.isfile(file) and os.path.getsize(file):
        if json:
            out.json_line({"file": file, "status": "skipped"})
        else:
            out.line(f"{printable(file)}: exists, skipped")
        return
    wait = DEFAULT_TIMEOUT if timeout is None else timeout
    _create(file, documents, wait, overwrite=overwrite)
    if json:
        zarr = None if empty else int(zarr_format)
        out.json_line({"file": file, "zarr_format": zarr, "status": "written"})
    else:
        out.line(f"{printable(file)}: {'no node yet' if empty else f'a Zarr v{zarr_format} group'}")


def _create(file: str, documents: dict[str, bytes], timeout: float, *, overwrite: bool) -> None:
    """Make the file under a private name: it appears with all that is in it, or not at all."""
    if os.path.lexists(file):
        if not overwrite:
            raise TargetExistsError(
                f"{printable(file)}: exists already",
                hint="--overwrite replaces it, --skip-existing goes on without it",
            )
        from zarrdb.transfer.target import require_free_path

        require_free_path(file, overwrite=True, timeout=timeout)
    private = PrivateFile(file)
    try:
        with (
            private.under_its_name(),
            Database.open(private.path, mode="create", timeout=timeout) as database,
        ):
            database.set_many(documents.items())
        replace(private, timeout=timeout)
    finally:
        private.remove()


def _documents(zarr_format: str, attributes: dict[str, object]) -> dict[str, bytes]:
    marker = _MARKERS[zarr_format]
    if zarr_format == "3":
        return {"zarr.json": _encoded({**marker, "attributes": attributes})}
    documents = {".zgroup": _encoded(marker)}
    if attributes:
        documents[".zattrs"] = _encoded(attributes)
    return documents


def _encoded(document: dict[str, object]) -> bytes:
    from json import dumps

    return dumps(document, indent=2, ensure_ascii=False, allow_nan=False).encode()


def _attributes(argument: str) -> dict[str, object]:
    """The object that the argument spells, or the file that it names after `@`."""
    from json import loads

    text, where = argument, "--attributes"
    try:
        if argument.startswith("@"):
            where = argument[1:]
            with open(where, encoding="utf-8-sig") as file:
                text = file.read()
        value = loads(text, parse_constant=_refuse)
        # A number past every float's range is read as infinity, and found when written.
        _encoded({"attributes": value})
    except OSError as error:
        raise UsageError(f"{where}: {os_reason(error)}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not valid JSON: {error}", hint=_ATTRIBUTES_HINT) from None
    if not isinstance(value, dict):
        raise UsageError(f"{where}: attributes are a JSON object", hint=_ATTRIBUTES_HINT)
    return value


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON; Zarr writes it as a string")
