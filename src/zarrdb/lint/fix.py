"""`--fix`: the repairs that rules mark, planned from findings, applied all or none.

Only a `.zarrdb` is changed; of its documents nothing but the values at fault.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import unified_diff
from typing import Final, NamedTuple

from zarrdb import jsontext
from zarrdb.db import ContainerFacts, Database, inspect
from zarrdb.db.moment import now, parse
from zarrdb.db.repair import repair
from zarrdb.keys import as_prefix, join, printable
from zarrdb.lint.finding import Finding
from zarrdb.lint.recopy import recopied

_GROUP_DOCUMENTS: Final = {
    ".zgroup": b'{\n    "zarr_format": 2\n}',
    "zarr.json": b'{\n  "zarr_format": 3,\n  "node_type": "group"\n}',
}
_REPLACEMENTS: Final[dict[str, bytes | None]] = {
    "codec/empty-filters": b"null",
    "array/null-member": None,
    "consolidated/null": None,
}
"""What is put in the place of the value that a finding points to; None takes it out."""

_MARK: Final = b"\xef\xbb\xbf"

_SETTLED: Final = {
    "container/wal-mode": "returned to DELETE mode",
    "container/unmerged-log": "the log folded in",
    "container/stale-sidecar": "the leftover removed",
}


class Repair(NamedTuple):
    """One thing that is set right: the rule, the key (if any), and what is done."""

    rule: str
    key: str | None
    what: str

    def line(self, file: str) -> str:
        """`file: key: what [rule]`."""
        place = f"{printable(self.key)}: " if self.key is not None else ""
        return f"{printable(file)}: {place}{self.what} [{self.rule}]"


@dataclass(slots=True)
class Plan:
    """What a fix does to one file: values of documents before (None: absent) and after."""

    file: str
    repairs: list[Repair] = field(default_factory=list)
    before: dict[str, bytes | None] = field(default_factory=dict)
    after: dict[str, bytes] = field(default_factory=dict)
    application_id: bool = False
    modified_at: str | None = None

    def apply(self, *, timeout: float = 5.0) -> None:
        """Write the file. Raises what `zarrdb.db.repair.repair` raises."""
        repair(
            self.file,
            documents=self.after,
            modified_at=self.modified_at,
            application_id=self.application_id,
            timeout=timeout,
        )

    def diff(self) -> Iterator[str]:
        """The changes to documents as a unified diff, line by line."""
        for key, new in self.after.items():
            old = self.before[key]
            name = printable(f"{self.file}/{key}")
            yield from unified_diff(
                [] if old is None else _lines(old),
                _lines(new),
                "/dev/null" if old is None else name,
                name,
                lineterm="",
            )


def plan(file: str, findings: Iterable[Finding], *, timeout: float = 5.0) -> Plan:
    """What to do about the findings of a `.zarrdb` that can be repaired."""
    planned = Plan(file)
    fixable = [finding for finding in findings if finding.fixable]
    if not fixable:
        return planned
    facts = inspect(file, timeout=timeout)
    with Database.open(file, strict=False, timeout=timeout) as source:
        places: dict[str, dict[str, bytes | None]] = defaultdict(dict)
        copies: dict[str, str] = {}
        for finding in fixable:
            if finding.rule.startswith("container/"):
                _container(planned, finding, facts)
            elif finding.rule in _REPLACEMENTS and finding.key is not None:
                places[finding.key][finding.pointer or ""] = _REPLACEMENTS[finding.rule]
                what = "taken out" if _REPLACEMENTS[finding.rule] is None else "set to null"
                planned.repairs.append(
                    Repair(finding.rule, finding.key, f"{finding.pointer} {what}")
                )
            elif finding.rule == "json/byte-order-mark" and finding.key is not None:
                places[finding.key].update({})
                planned.repairs.append(
                    Repair(finding.rule, finding.key, "byte order mark taken out")
                )
            elif finding.rule.startswith("hierarchy/"):
                _group(planned, finding)
            elif finding.key is not None:
                copies.setdefault(finding.key, finding.rule)
        for key, replacements in places.items():
            _document(planned, source, key, replacements)
        for key, rule in copies.items():
            _copy(planned, source, key, rule)
    return planned


def _container(planned: Plan, finding: Finding, facts: ContainerFacts) -> None:
    if finding.rule in _SETTLED:
        what = _SETTLED[finding.rule]
    elif finding.rule == "container/wrong-application-id":
        planned.application_id = True
        what = "the application id set"
    else:
        text = facts.record("modified_at")
        moment = None if text is None else parse(text)
        planned.modified_at = (moment and moment.utc) or now()
        what = f"modified_at set to {planned.modified_at}"
    planned.repairs.append(Repair(finding.rule, None, what))


def _group(planned: Plan, finding: Finding) -> None:
    name = "zarr.json" if "zarr.json" in finding.message else ".zgroup"
    key = join(finding.node or "", name)
    planned.before[key], planned.after[key] = None, _GROUP_DOCUMENTS[name]
    planned.repairs.append(Repair(finding.rule, key, "the document of an empty group written"))


def _document(
    planned: Plan, source: Database, key: str, replacements: dict[str, bytes | None]
) -> None:
    data = source.get(key)
    if data is None:
        return
    new = jsontext.splice(data, replacements) if replacements else data
    planned.before[key] = data
    planned.after[key] = new.removeprefix(_MARK)


def _copy(planned: Plan, source: Database, key: str, rule: str) -> None:
    """Write a consolidated copy anew, from the documents as they will be."""
    data = planned.after.get(key) or source.get(key)
    if data is None:
        return
    path = key.rpartition("/")[0]
    documents = {
        entry.key: planned.after.get(entry.key) or source.get(entry.key) or b""
        for entry in source.entries(as_prefix(path))
        if entry.key.rpartition("/")[2] in (".zarray", ".zgroup", ".zattrs", "zarr.json")
    }
    documents |= {k: v for k, v in planned.after.items() if k.startswith(as_prefix(path))}
    new = recopied(key, data, documents)
    planned.before.setdefault(key, source.get(key))
    planned.after[key] = new
    planned.repairs.append(Repair(rule, key, "the copy written anew"))


def _lines(data: bytes) -> list[str]:
    text = jsontext.decode(data).text
    mark = "\ufeff" if data.startswith(_MARK) else ""
    whole = repr(data) if text is None else mark + text
    return [printable(line) for line in whole.split("\n")]
