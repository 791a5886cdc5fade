"""Rules: a declaration of id, level, subject and what must hold before, and a page.

A rule function's docstring is its page: a summary line, a paragraph that begins with `Why:`
and one that begins with `Fix:`. `--explain`, the manual and the table of rules are rendered
from it, and nothing about a rule is written anywhere else.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import ModuleType
from typing import Any, Generic, Literal, TypeVar

from zarrdb.lint.finding import Hit, Level

Subject = Literal["container", "key", "document", "group", "array", "node", "hierarchy"]

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Rule(Generic[S]):
    """One bad thing that a check can find.

    `requires` are ids, or patterns like `json/*`, of rules that must have found nothing on
    the same subject or on the document it rests on. A rule without a `function` is a
    declaration: it is fed the metadata problems whose reason is one of `reasons`.
    """

    id: str
    level: Level
    subject: Subject
    page: str = field(repr=False, compare=False)
    requires: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    fixable: bool = False
    function: Callable[[S], Iterable[Hit]] | None = field(default=None, compare=False)

    @property
    def family(self) -> str:
        """The part of the id before the slash."""
        return self.id.partition("/")[0]

    @property
    def summary(self) -> str:
        """The first line of the page, without its full stop."""
        return self.page.partition("\n")[0].rstrip(".")

    @property
    def why(self) -> str:
        """The paragraph that says what goes wrong."""
        return self._paragraph("Why:")

    @property
    def fix(self) -> str:
        """The paragraph that says what to do."""
        return self._paragraph("Fix:")

    def _paragraph(self, label: str) -> str:
        for paragraph in self.page.split("\n\n"):
            if paragraph.startswith(label):
                return " ".join(paragraph.removeprefix(label).split())
        return ""


def rule(
    id: str,
    *,
    level: Level,
    subject: Subject,
    requires: tuple[str, ...] = (),
    reasons: tuple[str, ...] = (),
    fixable: bool = False,
) -> Callable[[Callable[[S], Iterable[Hit]]], Rule[S]]:
    """Make the decorated function, from a subject to its hits, a rule.

    `reasons` are those of problems that are hits of it besides.
    """

    def decorate(function: Callable[[S], Iterable[Hit]]) -> Rule[S]:
        return Rule(
            id=id,
            level=level,
            subject=subject,
            page=_page(function),
            requires=requires,
            reasons=reasons,
            fixable=fixable,
            function=function,
        )

    return decorate


def declaration(
    id: str,
    *,
    level: Level,
    subject: Subject,
    reasons: tuple[str, ...] = (),
    requires: tuple[str, ...] = (),
    fixable: bool = False,
) -> Callable[[Callable[[], None]], Rule[object]]:
    """Make the decorated function, of which only the docstring counts, a declaration.

    Its hits come from elsewhere: metadata problems of one of the reasons, or the runner.
    """

    def decorate(function: Callable[[], None]) -> Rule[object]:
        return Rule(
            id=id,
            level=level,
            subject=subject,
            page=_page(function),
            requires=requires,
            reasons=reasons,
            fixable=fixable,
        )

    return decorate


def rules_of(*modules: ModuleType) -> tuple[Rule[Any], ...]:
    """The rules that the modules define, in the order of definition."""
    return tuple(
        value for module in modules for value in vars(module).values() if isinstance(value, Rule)
    )


def matching(pattern: str, ids: Iterable[str]) -> Iterator[str]:
    """The ids that a pattern selects: an id, a family, a glob, or `all`."""
    if pattern == "all":
        yield from ids
        return
    if "/" not in pattern and "*" not in pattern:
        pattern += "/*"
    for id in ids:
        if fnmatchcase(id, pattern):
            yield id


def _page(function: Callable[..., object]) -> str:
    from inspect import cleandoc

    return cleandoc(function.__doc__ or "")
