"""Characters that people don't see, or take for others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.bundles import findings, found, subject


def guards(title: str = "G", path: str = "/srv/a", comment: str = "") -> str:
    return f"""\
kind: guards   # {comment}
rules:
  - id: g
    title: {title}
    decide: deny
    each: w in effects.write
    when: w.path under "{path}"
    reason: no
"""


@pytest.mark.parametrize(
    ("code", "files", "lines"),
    [
        ("L209", {"title": "Notes \u202eof ours"}, [4]),
        ("L209", {"comment": "\u2066ours\u2069"}, [1, 1]),
        ("L209", {"title": '"Notes \\u202eof ours"'}, []),
        ("L209", {"title": "Заметки для команды"}, []),
        ("L210", {"path": "/srv/s\u0430les"}, [7]),
        ("L210", {"title": "p\u0443thon and gіt"}, [4, 4]),
        ("L210", {"path": "/srv/\uff41bc"}, [7]),
        ("L210", {"comment": "for \u0430cme.example"}, [1]),
        ("L210", {"title": "Заметки для команды"}, []),
        ("L210", {"title": "Größe, naïve, café, 10 µs, Ω and λ"}, []),
        ("L210", {"title": "Δt of ours — and more…"}, []),
        ("L210", {"path": "/srv/заметки/2026"}, []),
        ("L211", {"title": "a\u200bb"}, [4]),
        ("L211", {"title": "no\u00adtes"}, [4]),
        ("L211", {"comment": "of\u00a0ours"}, [1]),
        ("L211", {"comment": "of\u202fours"}, [1]),
        # Typography of French, German and others.
        ("L211", {"comment": "attention\u00a0: 10\u202f000 fois, «\u00a0non\u00a0»"}, []),
        ("L211", {"comment": "z.\u202fB. das"}, []),
        ("L211", {"title": "Notes à lire\u202f! Herr\u00a0Mai"}, []),
        ("L211", {"title": "Notes\u2003of ours"}, [4]),
        ("L211", {"title": "tag \U000e0041\U000e0042"}, [4]),
        ("L211", {"title": "می\u200cخواهم"}, []),
        ("L211", {"title": "Family 👩\u200d👩\u200d👧 and ✔\ufe0f"}, []),
        ("L211", {"title": '"no\\u200btes"'}, []),
        ("L211", {"title": "an — ordinary “text”"}, []),
    ],
)
def test_characters(code: str, files: dict[str, str], lines: list[int], tmp_path: Path) -> None:
    rows = found(subject(tmp_path, guards=guards(**files)), code)
    assert [line for _, _, line, _ in rows] == lines


def test_only_comments_are_mended(tmp_path: Path) -> None:
    text = guards(title="a\u200bb", comment="of\u00a0ours and\u200b more")
    items = findings(subject(tmp_path, guards=text), "L211")
    assert [[edit.text for edit in item.fix] for item in items] == [[" "], [""], []]


def test_what_a_word_looks_like_is_told(tmp_path: Path) -> None:
    ((*_, message),) = found(subject(tmp_path, guards=guards(path="/srv/s\u0430les")), "L210")
    assert "`sales`" in message and "U+0430" in message
