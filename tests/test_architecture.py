"""The structure that DESIGN promises: one-way imports, small modules, everything packaged."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import callgate

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "engine" / "callgate"

# A package may import itself and what stands in lower rows.
LAYERS = [
    {"__main__"},
    {"cli"},
    {"tools", "lint", "scaffold"},
    {"gate"},
    {"policytest", "analysis", "record", "formatting"},
    {"storage"},
    {"engine"},
    {"compiler"},
    {"load", "lang"},
    {"runtime"},
    {"effects"},
    {"stdlib"},
    {"model", "resources", "grammar", "policies", "error_pages", "rule_pages"},
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
MODULES = sorted(SOURCE.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_one_way(path: Path) -> None:
    part = part_of(path)
    if part == "__init__":
        return
    for line, name in imported(path):
        if name.startswith("callgate."):
            other = name.split(".")[1]
            allowed = other == part or RANK[other] > RANK[part]
            assert allowed, f"{path}:{line}: {part} must not import {other}"


def test_the_runtime_sees_neither_yaml_nor_lark() -> None:
    for path in MODULES:
        if part_of(path) in {"model", "stdlib", "runtime", "effects", "engine"}:
            names = {name.split(".")[0] for _, name in imported(path)}
            assert not names & {"yaml", "lark", "jsonschema", "pydantic"}, path


def test_the_reference_stands_alone() -> None:
    for path in SOURCE.glob("runtime/reference*.py"):
        for _, name in imported(path):
            if name.startswith("callgate."):
                assert name.startswith(("callgate.model", "callgate.runtime.reference")), path


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_are_read_in_one_sitting(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= 300


def test_every_package_is_shipped() -> None:
    listed = set(
        tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    )
    data = ("grammar", "policies", "error_pages", "rule_pages")
    found = {"callgate", *(f"callgate.{name}" for name in data)} | {
        ".".join(("callgate", *path.parent.relative_to(SOURCE).parts))
        for path in SOURCE.rglob("__init__.py")
        if path.parent != SOURCE
    }
    assert listed == found


def modules() -> Iterator[str]:
    for info in pkgutil.walk_packages(callgate.__path__, "callgate."):
        if info.name != "callgate.__main__":
            yield info.name


@pytest.mark.parametrize("name", sorted(modules()))
def test_all_is_exact_and_documented(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__, name
    exported = getattr(module, "__all__", [])
    assert exported == sorted(
        set(exported), key=lambda item: (not item.isupper(), not item[0].isupper(), item)
    ), name
    for item in exported:
        value = getattr(module, item)
        if callable(value) and getattr(value, "__module__", None) == name:
            assert value.__doc__, f"{name}.{item}"
