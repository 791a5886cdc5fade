"""Why a text stands where a number belongs, where old or foreign writers are known to put one."""

from typing import Final

from zarrdb.metadata import reasons

_NAMES: Final = frozenset({"nan", "inf", "infinity", "nat"})


def reason_for_text(text: str) -> str | None:
    """The reason that the text itself gives away, None when it gives none."""
    if text.lower().lstrip("+-") in _NAMES:
        return reasons.WRONG_SPELLING
    try:
        float(text)
    except ValueError:
        return None
    return reasons.NUMBER_AS_TEXT
