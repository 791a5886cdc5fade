"""Every rule has a case file: stores in which it finds something, and such in which not."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from helpers_lint import Case, check_case, rules_found
from zarrdb.lint.rule import Rule
from zarrdb.lint.rules import RULES

CASES = Path(__file__).parent / "cases"


def path_of(rule: str) -> Path:
    return CASES / f"{rule.replace('-', '_')}.py"


def load(rule: str) -> ModuleType:
    path = path_of(rule)
    name = f"case_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cases(kind: str) -> list[object]:
    return [
        pytest.param(rule.id, case, id=f"{rule.id}-{number}")
        for rule in RULES
        if path_of(rule.id).exists()
        for number, case in enumerate(getattr(load(rule.id), kind))
    ]


@pytest.mark.parametrize(("rule", "case"), cases("FAILING"))
def test_found(rule: str, case: Case, tmp_path: Path) -> None:
    report = check_case(case, str(tmp_path))
    findings = [finding for finding in report.findings if finding.rule == rule]
    assert len(findings) == len(case.places), [f.message for f in report.findings]
    for finding, place in zip(findings, case.places, strict=True):
        assert {name: getattr(finding, name) for name in place} == place
    others = rules_found(report.findings, "error", "warning") - {rule}
    assert others == set(case.also)


@pytest.mark.parametrize(("rule", "case"), cases("PASSING"))
def test_not_found(rule: str, case: Case, tmp_path: Path) -> None:
    report = check_case(case, str(tmp_path))
    assert rule not in rules_found(report.findings)
    assert rules_found(report.findings, "error", "warning") == set(case.also)


def test_every_case_file_is_that_of_a_rule() -> None:
    files = {f"{p.parent.name}/{p.stem}".replace("_", "-") for p in CASES.rglob("*.py")}
    assert files <= {rule.id for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_has_cases_of_both_kinds(rule: Rule[Any]) -> None:
    module = load(rule.id)
    assert module.FAILING
    assert module.PASSING
