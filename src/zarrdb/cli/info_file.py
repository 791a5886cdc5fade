"""What `info` says about a file as a whole."""

from collections.abc import Iterator
from typing import Any

from zarrdb.cli.info_node import conventions, decoded_bytes, ratio
from zarrdb.cli.output import Output
from zarrdb.cli.shown import counted
from zarrdb.db import ContainerFacts, Database
from zarrdb.hierarchy import Node, walk
from zarrdb.keys import KeySource, is_document, printable
from zarrdb.units import size_text

_LARGEST = 3

_KINDS = {
    "directory": "directory store",
    "zip": "zip store",
    "tar": "tar archive",
    "legacy": "SQLite store of zarr-python 2",
}


class Summary:
    """What one pass over the nodes and one over the keys add up to."""

    def __init__(self, source: KeySource) -> None:
        self.formats: set[int] = set()
        self.kinds = {"group": 0, "array": 0, "implicit group": 0, "broken": 0}
        self.chunks = self.chunk_bytes = self.absent = self.decoded = 0
        self.largest: list[Node] = []
        self.attributes: dict[str, Any] | None = None
        self._described: tuple[str, str, str] | None = None
        for node in walk(source):
            self._add(node)
        self.keys = self.documents = self.document_bytes = self.other_bytes = 0
        for key, size in source.entries():
            self.keys += 1
            if is_document(key):
                self.documents += 1
                self.document_bytes += size
            else:
                self.other_bytes += size
        self.other_bytes -= self.chunk_bytes

    @property
    def others(self) -> int:
        """Keys that are neither documents nor chunks."""
        return self.keys - self.documents - self.chunks

    def _add(self, node: Node) -> None:
        self.kinds["implicit group" if node.is_implicit else node.kind] += 1
        if node.zarr_format is not None:
            self.formats.add(node.zarr_format)
        if not node.path and self.attributes is None:
            self.attributes = node.attributes
        if node.kind != "array":
            return
        # Documents of both formats may describe the same chunks.
        if node.grid is not None:
            described = (node.path, node.grid.encoding, node.grid.separator)
            if described == self._described:
                return
            self._described = described
        self.decoded += decoded_bytes(node) or 0
        if node.chunks_present is not None and node.chunks_total is not None:
            self.chunks += node.chunks_present
            self.chunk_bytes += node.stored_bytes
            self.absent += node.chunks_total - node.chunks_present
        if node.stored_bytes:
            self.largest.append(node._replace(attributes=None))
            self.largest.sort(key=lambda other: -other.stored_bytes)
            del self.largest[_LARGEST:]


def print_file(source: KeySource, out: Output) -> None:
    """Print what is known of a file and the hierarchy in it."""
    facts = source.facts if isinstance(source, Database) else None
    summary = Summary(source)
    if out.json:
        out.json_line(_members(source, facts, summary))
        return
    title, *rows = _rows(source, facts, summary)
    out.line(f"{out.style(printable(source.name), 'bold')}   {title[1]}")
    for label, text in rows:
        out.line(f"{label:11}{text}")


def _rows(
    source: KeySource, facts: ContainerFacts | None, summary: Summary
) -> Iterator[tuple[str, str]]:
    if facts is None or source.kind != "zarrdb":
        yield "", _KINDS.get(source.kind, source.kind)
    else:
        yield "", _container_text(facts)
    if facts is not None:
        yield "file", _file_text(facts)
        if facts.problems:
            reasons = dict.fromkeys(problem.reason for problem in facts.problems)
            yield "problems", f"{', '.join(reasons)}: `zarrdb check` tells more"
    yield "hierarchy", _hierarchy_text(summary)
    if summary.kinds["array"]:
        yield "data", _data_text(summary)
        yield (
            "largest",
            ", ".join(
                f"{printable(node.path) or '/'} {size_text(node.stored_bytes)}"
                for node in summary.largest
            ),
        )
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


def _sidecar_text(facts: ContainerFacts) -> str:
    needed = [s.suffix for s in facts.sidecars if s.state in ("committed", "hot")]
    return f"needs its {' and '.join(needed)}"


def _hierarchy_text(summary: Summary) -> str:
    formats = " and ".join(f"v{number}" for number in sorted(summary.formats))
    parts = [f"Zarr {formats}"] if formats else ["no node"]
    for kind, count in summary.kinds.items():
        if count or (formats and kind in ("group", "array")):
            parts.append(counted(count, "broken node" if kind == "broken" else kind))
    parts.append(counted(summary.keys, "key"))
    what = [
        f"{counted(number, name)} ({size_text(size)})"
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
    source: KeySource, facts: ContainerFacts | None, summary: Summary
) -> dict[str, object]:
    return {
        "file": source.name,
        "kind": source.kind,
        "container": None if facts is None else _container_members(facts),
        "hierarchy": {
            "zarr_formats": sorted(summary.formats),
            "groups": summary.kinds["group"],
            "arrays": summary.kinds["array"],
            "implicit_groups": summary.kinds["implicit group"],
            "broken": summary.kinds["broken"],
            "keys": summary.keys,
            "documents": summary.documents,
            "document_bytes": summary.document_bytes,
            "chunks": summary.chunks,
            "chunk_bytes": summary.chunk_bytes,
            "other_keys": summary.others,
            "other_bytes": summary.other_bytes,
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
