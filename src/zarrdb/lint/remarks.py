"""Findings made of what a source remarks about its files and rows."""

from collections.abc import Iterable
from typing import Any

from zarrdb.keys import Remark
from zarrdb.lint.collector import Collector
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import Rule
from zarrdb.lint.rules import container_file
from zarrdb.lint.rules import key as key_rules
from zarrdb.lint.rules.key import Name
from zarrdb.lint.rules.remark import remark_hit
from zarrdb.lint.tally import Tally


def take_remarks(
    remarks: Iterable[Remark], collector: Collector, rules: Iterable[Rule[Any]]
) -> None:
    """Report remarks by the rules that list their kinds."""
    by_kind = {reason: rule for rule in rules for reason in rule.reasons}
    superseded = Tally()
    for remark in remarks:
        if remark.kind == "superseded-member":
            superseded.add(remark.key, 0)
        elif remark.kind == "junk":
            collector.apply((key_rules.left_over,), _name(remark.key), set())
        elif remark.kind in by_kind:
            collector.add(by_kind[remark.kind], remark_hit(remark))
    if superseded.count:
        message = f"{superseded.text('member')} stored again later {superseded.examples()}"
        hit = Hit(message, "the last one counts", count=superseded.count)
        collector.add(container_file.superseded_entry, hit)


def _name(key: str) -> Name:
    """The last component of a key, or of a folder, whose path ends with a slash."""
    path = key.removesuffix("/")
    return Name(path, path.rpartition("/")[2], is_directory=path != key)
