"""The rules of this project, one module a family or half of one."""

from typing import Any, Final

from zarrdb.lint.rule import Rule, rules_of
from zarrdb.lint.rules import (
    array,
    chunk,
    chunk_data,
    chunk_value,
    codec,
    consolidated,
    container_file,
    container_tables,
    document,
    dtype,
    fill_value,
    frame,
    group,
    hierarchy,
    key,
    orphan,
    portability,
    remark,
)

RULES: Final[tuple[Rule[Any], ...]] = rules_of(
    container_file,
    container_tables,
    key,
    remark,
    document,
    group,
    array,
    dtype,
    fill_value,
    codec,
    chunk,
    chunk_value,
    chunk_data,
    orphan,
    hierarchy,
    consolidated,
    portability,
    frame,
)
"""In the order in which they are listed."""
