"""The only reader of what is packaged with Callgate: the grammars, the schemas, the bundles,
the pages of codes."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = [
    "bundle_names",
    "bundle_root",
    "grammar_bytes",
    "grammar_names",
    "grammar_text",
    "lint_data",
    "packaged_folders",
    "template_names",
    "template_root",
]


def grammar_bytes(name: str) -> bytes:
    """The bytes of a file of `grammar/`. Raises FileNotFoundError when there is none."""
    return (files("callgate.grammar") / name).read_bytes()


def grammar_text(name: str) -> str:
    """The text of a file of `grammar/`. Raises FileNotFoundError when there is none."""
    return grammar_bytes(name).decode()


def grammar_names() -> tuple[str, ...]:
    """The names of all files in `grammar/` but code, sorted."""
    names = (entry.name for entry in files("callgate.grammar").iterdir() if entry.is_file())
    return tuple(sorted(name for name in names if not name.endswith((".py", ".pyc"))))


@cache
def bundle_names() -> tuple[str, ...]:
    """The names of the embedded bundles, sorted."""
    entries = files("callgate.policies").iterdir()
    return tuple(sorted(e.name for e in entries if (e / "bundle.yaml").is_file()))


def bundle_root(name: str) -> Traversable:
    """The folder of an embedded bundle. Raises KeyError when no bundle has this name."""
    if name not in bundle_names():
        raise KeyError(name)
    return files("callgate.policies") / name


def lint_data(name: str) -> str:
    """The text of a data file of the lint catalogue. Raises FileNotFoundError when there is
    none."""
    return (files("callgate.lint") / name).read_text("utf-8")


@cache
def template_names() -> tuple[str, ...]:
    """The names of the templates for new bundles, sorted."""
    entries = (files("callgate.scaffold") / "templates").iterdir()
    return tuple(sorted(e.name for e in entries if (e / "bundle.yaml").is_file()))


def template_root(name: str) -> Traversable:
    """The folder of a template. Raises KeyError when none has this name."""
    if name not in template_names():
        raise KeyError(name)
    return files("callgate.scaffold") / "templates" / name


def page_text(code: str) -> str:
    """The page (Markdown) of a code of `callgate.model.codes`. Raises FileNotFoundError when there
    is none."""
    package = "callgate.rule_pages" if code.startswith("L") else "callgate.error_pages"
    return (files(package) / f"{code}.md").read_text("utf-8")


def packaged_folders() -> tuple[str, ...]:
    """The folders of Callgate's code, of the grammars and of the embedded bundles."""
    names = ("callgate", "callgate.grammar", "callgate.policies")
    return tuple(str(files(name)) for name in names)
