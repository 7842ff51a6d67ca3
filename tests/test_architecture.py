"""The shape of the house: who may import whom, what is pure, and what no file may contain."""

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

from config import tracked
from config.supervisor import BASE_DIR

APPS = ("config", "audit", "progressives", "tables")
# What would make a settlement depend on more than the round: the clock, chance, the outside.
IMPURE = {"asyncio", "os", "random", "secrets", "socket", "subprocess", "threading", "time", "uuid"}
LONGEST_FUNCTION, LONGEST_MODULE = 70, 450
INLINE = re.compile(
    r"<style\b|<script\b(?![^>]*\bsrc=)(?![^>]*application/json)|\sstyle=|\son[a-z]+=|javascript:",
    re.IGNORECASE,
)


def sources(*folders: str) -> list[Path]:
    """Return our own modules, without migrations: those are written once and stay."""
    return sorted(
        path
        for folder in folders
        for path in (BASE_DIR / folder).rglob("*.py")
        if "migrations" not in path.parts
    )


def imported_by(path: Path) -> Iterator[str]:
    """Yield the full names of the modules that a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_imports_go_down_only() -> None:
    assert lint_imports(config_filename=os.fspath(BASE_DIR / "pyproject.toml"), no_cache=True) == 0


def test_the_rules_use_the_standard_library_and_nothing_impure() -> None:
    allowed = ("tables.rules", "progressives.meters")
    for path in sources("tables/rules"):
        for name in imported_by(path):
            if name.startswith(allowed):
                continue
            root = name.partition(".")[0]
            assert root in sys.stdlib_module_names, f"{path}: {name}"
            if path.name != "__main__.py":  # reads the files it is given
                assert root not in IMPURE, f"{path}: {name}"


def test_functions_and_modules_fit_a_reader() -> None:
    for path in sources(*APPS):
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= LONGEST_MODULE, f"{path} is too long: split it by verb"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                assert length <= LONGEST_FUNCTION, f"{path}: {node.name} has {length} lines"


def test_no_test_replaces_our_own_code() -> None:
    for path in sources("tests"):
        assert not [name for name in imported_by(path) if "mock" in name], path


def test_no_template_has_anything_inline() -> None:
    for app in APPS:
        for path in (BASE_DIR / app).rglob("*.html"):
            found = INLINE.search(path.read_text(encoding="utf-8"))
            assert not found, f"{path}: {found.group() if found else ''}"


def test_no_tracked_file_names_a_registry_or_a_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert tracked.main() == 0, capsys.readouterr().out


@pytest.mark.parametrize("name", ["requirements", "tests/requirements"])
def test_each_pin_has_a_reason_and_each_package_a_hash(name: str) -> None:
    pins = [line for line in (BASE_DIR / f"{name}.in").read_text().splitlines() if "==" in line]
    assert pins
    assert all(re.fullmatch(r"\S+==\S+  # .+", line) for line in pins)

    packages = re.split(r"\n(?=[a-z])", (BASE_DIR / f"{name}.txt").read_text())[1:]
    assert len(packages) > len(pins)
    assert all("--hash=sha256:" in package for package in packages)
    compiled = {package.split()[0].lower() for package in packages}
    for pin in pins:
        assert re.sub(r"\[.*\]", "", pin.split()[0].lower()) in compiled
