"""How to reach what is far away, as the command line and the library are told."""

import json
import os
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from zarrdb.errors import UsageError

TIMEOUT: Final = 30.0
"""Seconds without a byte after which a server is given up."""

_WORDS: Final = frozenset({"true", "false", "null"})


class RemoteOptions(NamedTuple):
    """What goes with a URL."""

    storage_options: Mapping[str, Any] = MappingProxyType({})
    """For fsspec."""
    timeout: float = TIMEOUT
    max_bytes: int | None = None
    """A cap on what is fetched of one file."""
    download: bool = False
    """Whether to fetch the whole file once."""
    temp_dir: str | None = None
    """Where to."""
    strict: bool = True
    """Whether a file is refused that breaks the format, though it can be read."""


def parse_storage_options(texts: Iterable[str]) -> dict[str, Any]:
    """The options out of `KEY=VALUE`, `KEY=@FILE` and `KEY=env:NAME`.

    A value that is a JSON object or list, `true`, `false` or `null`, is taken as that; the
    same key with a dot, `client_kwargs.endpoint_url=…`, sets a member of an object. Raises
    UsageError, which never shows a value.
    """
    found: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UsageError("--storage-option takes KEY=VALUE", hint="for example anon=true")
        *objects, last = key.split(".")
        place = found
        for name in objects:
            place = place.setdefault(name, {})
            if not isinstance(place, dict):
                raise UsageError(f"--storage-option {key}: {name} has a value of its own already")
        place[last] = _value(key, value)
    return found


def _value(key: str, text: str) -> Any:
    if text.startswith("@"):
        try:
            with open(text[1:], encoding="utf-8") as file:
                return _typed(key, file.read().rstrip("\r\n"))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else "no text"
            raise UsageError(
                f"--storage-option {key}: cannot read {text[1:]}: {reason.lower()}"
            ) from error
    if text.startswith("env:"):
        found = os.environ.get(text[4:])
        if found is None:
            raise UsageError(f"--storage-option {key}: there is no environment variable {text[4:]}")
        return _typed(key, found)
    return _typed(key, text)


def _typed(key: str, text: str) -> Any:
    if text not in _WORDS and not text.startswith(("{", "[")):
        return text
    try:
        return json.loads(text)
    except ValueError:
        raise UsageError(
            f"--storage-option {key}: the value begins like JSON and is none"
        ) from None
