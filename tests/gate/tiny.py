"""The smallest bundle whose version can be told from its decisions: it denies with a word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from callgate.runtime.interpreter import Program

__all__ = ["CALL", "say", "settings_file", "spoil", "word_of", "write_bundle"]

CALL = {"tool": "look", "context": {"channel": "ops"}}

_MANIFEST = """\
kind: bundle
name: tiny
version: 1.0.0
title: Tiny
files: [vocabulary.yaml, flow.yaml]
"""
_VOCABULARY = """\
kind: vocabulary
settings:
  mode: {type: string, default: plain, doc: the second word}
  api.key: {type: string, default: "", doc: a key, secret: true}
"""
_FLOW = """\
kind: flow
steps:
  - id: s
    title: S
    rules:
      - id: s.a
        title: A
        when: call.channel == "ops"
        decide: deny
        reason: "{word} {{settings.mode}}"
otherwise: {{decide: allow, reason: fine}}
"""


def write_bundle(folder: Path, word: str = "first") -> Path:
    """Make the bundle in a folder that is made."""
    folder.mkdir(parents=True)
    (folder / "bundle.yaml").write_text(_MANIFEST)
    (folder / "vocabulary.yaml").write_text(_VOCABULARY)
    say(folder, word)
    return folder


def say(bundle: Path, word: str) -> None:
    """Change the word."""
    (bundle / "flow.yaml").write_text(_FLOW.format(word=word))


def spoil(bundle: Path) -> None:
    """Leave a file as if it was saved by half."""
    text = _FLOW.format(word="half")
    (bundle / "flow.yaml").write_text(text[: len(text) // 2])


def settings_file(path: Path, **settings: Any) -> Path:
    """A settings file."""
    path.write_text("".join(f"{name}: {value}\n" for name, value in settings.items()) or "{}\n")
    return path


def word_of(program: Program) -> str:
    """The words by which a program denies `CALL`."""
    return str(program.decide(CALL).to_dict()["reason"])
