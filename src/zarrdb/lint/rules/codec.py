"""Rules on compressors, filters and pipelines."""

from collections.abc import Iterator
from typing import Final

from zarrdb.lint.arraydocument import ArrayDocument
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import declaration, rule
from zarrdb.metadata.problem import shown

_JSON: Final = ("json/*",)
_FORM: Final = ("json/*", "codec/invalid-form")

_UNSAFE: Final = "pickle"

# What the first codec of a v2 pipeline can be given, where that is not everything.
_TAKES: Final = {
    "vlen-utf8": ("object",),
    "vlen-bytes": ("object",),
    "vlen-array": ("object",),
    "bitround": ("float",),
    "packbits": ("bool",),
}

# Packages that have codecs which are often met and outside the core.
_PACKAGES: Final = {
    "imagecodecs_": "imagecodecs",
    "zfpy": "numcodecs[zfpy]",
    "pcodec": "numcodecs[pcodec]",
    "msgpack2": "numcodecs[msgpack]",
    "json2": "numcodecs",
    "pickle": "numcodecs",
    "categorize": "numcodecs",
    "base64": "numcodecs",
    "blosc2": "blosc2",
    "n5_wrapper": "zarr 2 (N5)",
}


@declaration(
    "codec/invalid-form",
    level="error",
    subject="array",
    requires=_JSON,
    reasons=("codec:wrong-form", "codec:missing-name", "codec:wrong-name"),
)
def invalid_form() -> None:
    """A codec is not written as one.

    Why: v2 writes an object with an `id`, v3 an object with a `name`; readers refuse the
    array.

    Fix: write the codec in the form of this format.
    """


@declaration(
    "codec/missing-parameter",
    level="error",
    subject="array",
    requires=_FORM,
    reasons=("codec:missing-member",),
)
def missing_parameter() -> None:
    """A codec lacks a parameter that it must have.

    Why: readers refuse the array, or take a default and read other values.

    Fix: add the parameter that the array was written with.
    """


@declaration(
    "codec/wrong-parameter",
    level="error",
    subject="array",
    requires=_FORM,
    reasons=("codec:*",),
)
def wrong_parameter() -> None:
    """A parameter of a codec has a value that it cannot have.

    Why: readers refuse the array, or the codec does when it runs.

    Fix: give it a value of the type and within the bounds that the message names.
    """


@declaration(
    "codec/unknown-parameter",
    level="error",
    subject="array",
    requires=_FORM,
    reasons=("codec:unknown-member",),
)
def unknown_parameter() -> None:
    """A codec is given a parameter that it does not have.

    Why: readers refuse it, or ignore what may change every value.

    Fix: remove the parameter, or correct its name.
    """


@rule("codec/unsafe", level="error", subject="array", requires=_FORM)
def unsafe(array: ArrayDocument) -> Iterator[Hit]:
    """The codec `pickle` is in the pipeline.

    Why: decoding it runs whatever code the file holds. zarrdb never decodes it.

    Fix: store the objects with `vlen-utf8` or as JSON.
    """
    for loc, field in array.codecs:
        if field.name == _UNSAFE:
            yield array.hit(loc, "decoding `pickle` runs code that the file holds")


@rule("codec/unclaimed", level="info", subject="array", requires=_FORM)
def unclaimed(array: ArrayDocument) -> Iterator[Hit]:
    """A codec that nobody in scope knows.

    Why: it may be an extension that other readers have installed; without it the array
    cannot be read, and nothing about its parameters can be judged.

    Fix: correct the name if it is misspelled, or add it to the project's scope.
    """
    for each in array.strangers("codecs"):
        if each.name != _UNSAFE:
            yield array.hit(
                each.loc, f"codec {shown(each.name)} is outside the scope", _about(array, each.name)
            )


@rule("codec/outside-project-scope", level="error", subject="array", requires=_FORM)
def outside_project_scope(array: ArrayDocument) -> Iterator[Hit]:
    """A codec or data type that the project's scope leaves out.

    Why: the project has said that it uses others only, so that its readers need no more.

    Fix: write the array with one of those, or widen `only` in `[tool.zarrdb.scope]`.
    """
    for each in array.left_out():
        yield array.hit(each.loc, f"{shown(each.name)} is not among those that the project uses")


@rule(
    "codec/wrong-data-type",
    level="error",
    subject="array",
    requires=("dtype/invalid", "dtype/invalid-record", "codec/wrong-parameter"),
    reasons=("codec:not-a-float-type", "*:wrong-data-type"),
)
def wrong_data_type(array: ArrayDocument) -> Iterator[Hit]:
    """A codec cannot take the data type that it gets.

    Why: it fails on every chunk.

    Fix: remove the codec, or use the one for this data type.
    """
    family = array.family
    if array.zarr_format != 2 or family is None:
        return
    for loc, field in array.codecs:
        takes = _TAKES.get(field.name or "")
        if takes is not None and family not in takes and loc in (("filters", 0), ("compressor",)):
            yield array.hit(loc, f"{field.name} cannot take {shown(array.value['dtype'])}")


@declaration(
    "codec/renamed", level="warning", subject="array", requires=_FORM, reasons=("*:renamed",)
)
def renamed() -> None:
    """A codec has the name that a draft of the specification gave it.

    Why: readers of the final specification do not know it.

    Fix: write the final name, `bytes` for `endian`.
    """


@declaration(
    "codec/broken-pipeline",
    level="error",
    subject="array",
    requires=_FORM,
    reasons=("*:no-array-to-bytes", "*:second-array-to-bytes", "*:codec-order"),
)
def broken_pipeline() -> None:
    """The codecs do not make a pipeline.

    Why: one codec, and only one, makes bytes of an array; those that work on arrays come
    before it and those that work on bytes behind it.

    Fix: correct the list; most arrays need `bytes` and a compressor.
    """


@declaration(
    "codec/bad-shard",
    level="error",
    subject="array",
    requires=("codec/wrong-parameter",),
    reasons=("*:not-divided", "*:variable-size", "shard:*"),
)
def bad_shard() -> None:
    """The parameters of a sharding codec do not fit the array or one another.

    Why: inner chunks have to divide the shard along each axis, and the size of the index has
    to be known before it is read.

    Fix: correct `chunk_shape`, `index_codecs` or `index_location`.
    """


@declaration(
    "codec/not-skippable",
    level="error",
    subject="array",
    requires=_FORM,
    reasons=("*:not-skippable",),
)
def not_skippable() -> None:
    """A codec, data type, grid or encoding says `must_understand: false`.

    Why: nothing can be read without it, so that there is nothing to skip; readers refuse it.

    Fix: take `must_understand` out.
    """


@rule("codec/empty-filters", level="info", subject="array", requires=_FORM, fixable=True)
def empty_filters(array: ArrayDocument) -> Iterator[Hit]:
    """`filters` is an empty list instead of null.

    Why: some readers refused it.

    Fix: write null; `--fix` does.
    """
    if array.zarr_format == 2 and array.value.get("filters") == []:
        yield array.hit(("filters",), "an empty list where null is usual")


def _about(array: ArrayDocument, name: str) -> str | None:
    for start, package in _PACKAGES.items():
        if name.startswith(start):
            return f"the package {package} has it"
    from difflib import get_close_matches

    near = get_close_matches(name, array.names("codecs"), n=1)
    return f"did you mean {near[0]}?" if near else None
