"""Rules on group documents."""

from typing import Final

from zarrdb.lint.rule import declaration

_JSON: Final = ("json/*",)


@declaration(
    "group/missing-member",
    level="error",
    subject="group",
    requires=_JSON,
    reasons=("member:missing-member", "format:missing-member"),
)
def missing_member() -> None:
    """A group document lacks a member that it must have.

    Why: `zarr_format` (and `node_type` in v3) tell what the document is; readers do not see
    the group, or not as one.

    Fix: add the member.
    """


@declaration(
    "group/unknown-member",
    level="error",
    subject="group",
    requires=_JSON,
    reasons=("member:unknown-member", "member:misplaced-member", "member:*"),
)
def unknown_member() -> None:
    """A group document has a member that readers must not ignore.

    Why: a `.zgroup` has one member, its attributes lie in `.zattrs`; in a `zarr.json` a
    reader must stop at a member that it does not know, unless it says
    `"must_understand": false`.

    Fix: move it to the attributes.
    """


@declaration(
    "group/wrong-type",
    level="error",
    subject="group",
    requires=_JSON,
    reasons=("attributes:*",),
)
def wrong_type() -> None:
    """The attributes of a group are no object.

    Why: readers refuse the group.

    Fix: write an object, or leave `attributes` out where there are none.
    """
