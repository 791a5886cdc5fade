"""Files by their first bytes."""

import blosc2  # type: ignore[import-untyped]
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.magic import HINTS, identify_bytes, is_blosc_chunk

NAMES = st.sampled_from(["", "zarr.json", "x.zarrdb"])


@given(st.binary(max_size=600), NAMES)
def test_every_beginning_is_of_some_kind(head: bytes, name: str) -> None:
    kind, detail = identify_bytes(head, name)
    assert kind
    assert detail.startswith(("is ", "looks like "))
    assert isinstance(is_blosc_chunk(head, len(head)), bool)


@given(st.text(max_size=200).filter(lambda text: text.isprintable() and text.strip()))
def test_text_is_text_wherever_it_is_cut(text: str) -> None:
    data = text.encode()
    kinds = {identify_bytes(data[:size], "")[0] for size in range(4, len(data) + 1)}
    assert kinds <= {"text", "html", "xml", "lfs-pointer", "compressed", "tiff", "netcdf"}


def test_a_chunk_of_blosc2_is_one() -> None:
    chunk = blosc2.compress2(np.arange(1000, dtype="i4"))
    assert is_blosc_chunk(chunk[:512], len(chunk))
    assert not is_blosc_chunk(chunk[:512], len(chunk) + 1)
    assert not is_blosc_chunk(chunk[:15], 15)


def test_hints_are_sentences_of_what_to_do() -> None:
    assert all(hint == hint.strip() and not hint.endswith(".") for hint in HINTS.values())
