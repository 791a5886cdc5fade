"""Checking one Blosc2 frame: facts first, then the rules on them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from zarrdb.lint.collector import Collector
from zarrdb.lint.rule import Rule, rules_of
from zarrdb.lint.rules import container_file
from zarrdb.lint.rules import frame as frame_rules

if TYPE_CHECKING:
    from zarrdb.frame import FrameFacts

_RULES = rules_of(frame_rules)


def judge_frame(facts: "FrameFacts", collector: Collector, more: Iterable[Rule[Any]]) -> str | None:
    """Report what is wrong with a frame; the message where it is none that can be read.

    `more` are rules that plugins bring.
    """
    for problem in facts.problems:
        if problem.reason == "unreadable":
            hit = frame_rules.hit_of(facts, problem)
            collector.add(container_file.unreadable, hit)
            return hit.message
    collector.apply((*_RULES, *more), facts, set())
    return None
