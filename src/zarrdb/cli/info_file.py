"""What `info` says about a file as a whole."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from zarrdb.cli.info_node import conventions, ratio
from zarrdb.cli.info_summary import Summary
from zarrdb.cli.output import Output
from zarrdb.cli.shown import stored_text
from zarrdb.db import ContainerFacts, Database
from zarrdb.errors import ZarrdbError
from zarrdb.keys import FarSource, KeySource, printable
from zarrdb.units import counted, size_text

if TYPE_CHECKING:
    from zarrdb.layout import Score

# Requests to open a file, and to read a chunk after that, that are as few as can be.
_READY = (2, 1)

_KINDS = {
    "directory": "directory store",
    "zip": "zip store",
    "tar": "tar archive",
    "legacy": "SQLite store of zarr-python 2",
}


def print_file(source: KeySource, out: Output) -> None:
    """Print what is known of a file and the hierarchy in it."""
    facts = source.facts if isinstance(source, Database) else None
    summary = Summary(source)
    cost = _score(source, facts, summary)
    if out.json:
        out.json_line(_members(source, facts, cost, summary))
        return
    title, *rows = _rows(source, facts, cost, summary)
    out.line(f"{out.style(printable(source.name), 'bold')}   {title[1]}")
    for label, text in rows:
        out.line(f"{label:11}{text}")


def _rows(
    source: KeySource, facts: ContainerFacts | None, cost: "Score | None", summary: Summary
) -> Iterator[tuple[str, str]]:
    if facts is None or source.kind != "zarrdb":
        yield "", _KINDS.get(source.kind, source.kind)
    else:
        yield "", _container_text(facts)
    if facts is not None:
        yield "file", _file_text(facts)
        if source.kind == "zarrdb":
            yield "remote", _remote_text(cost, facts)
        if facts.problems:
            reasons = dict.fromkeys(problem.reason for problem in facts.problems)
            yield "problems", f"{', '.join(reasons)}: `zarrdb check` tells more"
    yield "hierarchy", _hierarchy_text(summary)
    if summary.kinds["array"]:
        yield "data", _data_text(summary)
    if summary.largest:
        sizes = [(printable(n.path) or "/", stored_text(n)) for n in summary.largest]
        yield "largest", ", ".join(f"{path} {size}" for path, size in sizes)
    declared = conventions(summary.attributes)
    if declared:
        yield "declares", ", ".join(declared)


def _container_text(facts: ContainerFacts) -> str:
    text = f"SQLiteStore {printable(facts.record('sqlitestore_version') or '?')}"
    if writer := facts.record("created_by"):
        text += f", written by {printable(writer)}"
    if time := facts.record("modified_at"):
        text += f" at {printable(utc(time, precision='seconds'))}"
    flags = [facts.record(name) for name in ("compatible_flags", "incompatible_flags")]
    if any(flags):
        text += f", flags {printable(' '.join(filter(None, flags)))}"
    return text


def _file_text(facts: ContainerFacts) -> str:
    parts = [size_text(facts.size)]
    header = facts.header
    if header is not None:
        parts += [f"page size {header.page_size}", header.encoding_name]
        if header.wal:
            parts.append("WAL mode")
    parts.append("self-contained" if facts.self_contained else _sidecar_text(facts))
    free = facts.free_bytes
    parts.append(f"{size_text(free)} in free pages" if free else "no free pages")
    return ", ".join(parts)


def _score(source: KeySource, facts: ContainerFacts | None, summary: Summary) -> "Score | None":
    """What a file costs to read from afar; None where it may not be whole by itself."""
    if source.kind != "zarrdb" or facts is None or not facts.self_contained:
        return None
    if facts.header is None or facts.header.wal:
        return None
    from zarrdb.layout import Score, score

    if isinstance(source, FarSource):
        return Score(source.opening_requests, 0)
    try:
        return score(source.name, summary.sample)
    except ZarrdbError:
        return None


def _remote_text(cost: "Score | None", facts: ContainerFacts) -> str:
    if cost is None and _is_being_written(facts):
        return "not known while it is being written"
    if cost is None:
        return "not ready: rows may be in a -wal; `zarrdb vacuum` folds it in"
    text = f"opens in {counted(cost.opening, 'request')}"
    if cost.chunk:
        text += f", a chunk in {cost.chunk} more"
    if cost.opening <= _READY[0] and cost.chunk <= _READY[1]:
        return f"ready: {text}"
    return f"{text}; `zarrdb vacuum` makes it quicker"


def _is_being_written(facts: ContainerFacts) -> bool:
    return any(sidecar.state == "active" for sidecar in facts.sidecars)


def _sidecar_text(facts: ContainerFacts) -> str:
    if _is_being_written(facts):
        return "being written"
    needed = [s.suffix for s in facts.sidecars if s.state in ("committed", "hot")]
    return f"needs its {' and '.join(needed)}"


def _hierarchy_text(summary: Summary) -> str:
    formats = " and ".join(f"v{number}" for number in sorted(summary.formats))
    parts = [f"Zarr {formats}"] if formats else ["no node"]
    for kind, count in summary.kinds.items():
        if count or (formats and kind in ("group", "array")):
            parts.append(counted(count, "broken node" if kind == "broken" else kind))
    if not summary.has_keys:
        return ", ".join([*parts, "keys not counted (--count counts them)"])
    parts.append(counted(summary.keys, "key"))
    what = [
        f"{counted(number, name)} ({size_text(size)})" if size else counted(number, name)
        for number, name, size in (
            (summary.documents, "document", summary.document_bytes),
            (summary.chunks, "chunk", summary.chunk_bytes),
            (summary.others, "other", summary.other_bytes),
        )
        if number
    ]
    return ", ".join(parts) + (f": {', '.join(what)}" if what else "")


def _data_text(summary: Summary) -> str:
    parts = [f"{size_text(summary.decoded)} decoded"]
    if share := ratio(summary.decoded, summary.chunk_bytes):
        parts.append(f"ratio {share}")
    parts.append(
        f"{counted(summary.absent, 'chunk')} absent" if summary.absent else "no chunk absent"
    )
    return ", ".join(parts)


def _members(
    source: KeySource, facts: ContainerFacts | None, cost: "Score | None", summary: Summary
) -> dict[str, object]:
    return {
        "file": source.name,
        "kind": source.kind,
        "container": None if facts is None else _container_members(facts),
        "remote": None if cost is None else {"opening": cost.opening, "chunk": cost.chunk},
        "hierarchy": {
            "zarr_formats": sorted(summary.formats),
            "groups": summary.kinds["group"],
            "arrays": summary.kinds["array"],
            "implicit_groups": summary.kinds["implicit group"],
            "broken": summary.kinds["broken"],
            "keys": summary.keys if summary.has_keys else None,
            "documents": summary.documents if summary.has_keys else None,
            "document_bytes": summary.document_bytes,
            "chunks": summary.chunks if summary.has_keys else None,
            "chunk_bytes": summary.chunk_bytes if summary.has_sizes else None,
            "other_keys": summary.others if summary.has_keys else None,
            "other_bytes": summary.other_bytes if summary.has_sizes else None,
        },
        "data": {"decoded_bytes": summary.decoded, "chunks_absent": summary.absent},
        "largest": [
            {"path": node.path, "stored_bytes": node.stored_bytes} for node in summary.largest
        ],
        "attributes": summary.attributes,
        "conventions": conventions(summary.attributes),
    }


def _container_members(facts: ContainerFacts) -> dict[str, object]:
    header = facts.header
    time = facts.record("modified_at")
    return {
        "version": facts.record("sqlitestore_version"),
        "created_by": facts.record("created_by"),
        "modified_at": None if time is None else utc(time),
        "compatible_flags": facts.record("compatible_flags"),
        "incompatible_flags": facts.record("incompatible_flags"),
        "bytes": facts.size,
        "page_size": header.page_size if header else None,
        "encoding": header.encoding_name if header else None,
        "wal": header.wal if header else None,
        "self_contained": facts.self_contained,
        "free_bytes": facts.free_bytes,
        "problems": [problem.reason for problem in facts.problems],
    }


def utc(time: str, *, precision: str = "auto") -> str:
    """An ISO 8601 time as `2026-11-30T04:00:00Z`; as it is written where it is none."""
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(time)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")
    except (ValueError, OverflowError):
        return time
