"""Rules on consolidated metadata, the copy of all documents below a group."""

from typing import Final

from zarrdb.lint.rule import declaration

_JSON: Final = ("json/*",)
_VALID: Final = ("consolidated/invalid",)


@declaration(
    "consolidated/invalid",
    level="error",
    subject="group",
    requires=_JSON,
    reasons=("consolidated:*",),
)
def invalid() -> None:
    """Consolidated metadata is not of the form that readers know.

    Why: readers fail on it, or ignore it and become slow; a bad key in it makes the whole
    group look absent to some.

    Fix: consolidate again, or delete the copy.
    """


@declaration(
    "consolidated/null",
    level="warning",
    subject="group",
    requires=_JSON,
    reasons=("consolidated:null-member",),
    fixable=True,
)
def null() -> None:
    """`consolidated_metadata` is null instead of absent.

    Why: strict readers refuse the group.

    Fix: remove the member; `--fix` does.
    """


@declaration("consolidated/stale", level="error", subject="group", requires=_VALID, fixable=True)
def stale() -> None:
    """Consolidated metadata says something else about a node than the node's own document.

    Why: readers that take the copy see another shape, data type or codec than the data has,
    and give out wrong values or too few of them.

    Fix: consolidate again; `--fix` writes the copy anew.
    """


@declaration(
    "consolidated/stale-attributes",
    level="warning",
    subject="group",
    requires=_VALID,
    fixable=True,
)
def stale_attributes() -> None:
    """Consolidated metadata has other attributes than the node.

    Why: which attributes a reader sees depends on whether it takes the copy.

    Fix: consolidate again; `--fix` writes the copy anew.
    """


@declaration(
    "consolidated/missing-node", level="warning", subject="group", requires=_VALID, fixable=True
)
def missing_node() -> None:
    """Consolidated metadata does not list a node.

    Why: readers that take the copy do not see it.

    Fix: consolidate again; `--fix` writes the copy anew.
    """


@declaration(
    "consolidated/absent-node", level="error", subject="group", requires=_VALID, fixable=True
)
def absent_node() -> None:
    """Consolidated metadata lists a node that is not there.

    Why: readers that take the copy show it and find no chunks, or only fill values.

    Fix: consolidate again; `--fix` writes the copy anew.
    """


@declaration("consolidated/unusual", level="info", subject="group")
def unusual() -> None:
    """Consolidated metadata in a place where few readers look, or without its nodes.

    Why: it is named `zmetadata`, lies in a subgroup, or stands there without the documents
    that it is a copy of.

    Fix: nothing, if the readers that matter know it.
    """
