"""Rules: a declaration of id, level, subject and what must hold before, and a page.

A rule function's docstring is its page: a summary line, a paragraph that begins with `Why:`
and one that begins with `Fix:`. `--explain`, the manual and the table of rules are rendered
from it, and nothing about a rule is written anywhere else.
"""

from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any, Generic, Literal, TypeVar

from zarrdb.lint.finding import Hit, Level

Subject = Literal["container", "key", "document", "group", "array", "node", "hierarchy", "frame"]

S = TypeVar("S")


class Rule(Generic[S]):
    """One bad thing that a check can find; never changed.

    `requires` are ids, or patterns like `json/*`, of rules that must have found nothing on
    the same subject or on the document it rests on. `reasons` are those of problems that are
    hits of it. A rule without a `function` is a declaration: all its hits are such problems,
    or come from the runner.
    """

    __slots__ = ("_doc", "fixable", "function", "id", "level", "reasons", "requires", "subject")

    def __init__(
        self,
        id: str,
        level: Level,
        subject: Subject,
        doc: str | None,
        *,
        requires: tuple[str, ...],
        reasons: tuple[str, ...],
        fixable: bool,
        function: Callable[[S], Iterable[Hit]] | None = None,
    ) -> None:
        self.id = id
        self.level = level
        self.subject = subject
        self._doc = doc or ""
        self.requires = requires
        self.reasons = reasons
        self.fixable = fixable
        self.function = function

    def with_function(self, function: Callable[[S], Iterable[Hit]]) -> "Rule[S]":
        """The same rule with another function."""
        return Rule(
            self.id,
            self.level,
            self.subject,
            self._doc,
            requires=self.requires,
            reasons=self.reasons,
            fixable=self.fixable,
            function=function,
        )

    def __repr__(self) -> str:
        return f"<Rule {self.id}: {self.level}>"

    @property
    def page(self) -> str:
        """The page: a summary line, then paragraphs."""
        from inspect import cleandoc

        return cleandoc(self._doc)

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
            id,
            level,
            subject,
            function.__doc__,
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
            id,
            level,
            subject,
            function.__doc__,
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
    if "*" not in pattern:
        yield from (id for id in ids if id == pattern)
        return
    from fnmatch import fnmatchcase

    yield from (id for id in ids if fnmatchcase(id, pattern))
