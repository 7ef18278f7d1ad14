"""Reading calls from files: every line is a call or a diagnostic with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.cli import calls
from callgate.cli.calls import Item, read_calls, total_bytes


def read(tmp_path: Path, content: bytes) -> list[Item]:
    path = tmp_path / "calls.jsonl"
    path.write_bytes(content)
    return list(read_calls([str(path)]))


def told(items: list[Item]) -> list[tuple[int, object]]:
    return [(item.line, item.problem.message if item.problem else item.value) for item in items]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"\n\n  \n", []),
        (b'{"tool": "a"}\n{"tool": "b"}', [(1, {"tool": "a"}), (2, {"tool": "b"})]),
        (
            b'\xef\xbb\xbf{"tool": "a"}\r\n\r\n{"tool": "b"}\r\n',
            [(1, {"tool": "a"}), (3, {"tool": "b"})],
        ),
        (b'{"tool": \xff}\n{"tool": "b"}\n', [(1, "not UTF-8"), (2, {"tool": "b"})]),
        (b"null\n3\n[]\n", [(1, None), (2, 3), (3, [])]),
        (b"nonsense\n", [(1, "not JSON: expecting value")]),
        (b'{\n "tool": "a"\n}\n', [(1, {"tool": "a"})]),
        (b'[\n{"tool": "a"},\n\n{"tool": "b"}]', [(2, {"tool": "a"}), (4, {"tool": "b"})]),
        (b"{\n oops\n}", [(2, "not JSON: expecting property name enclosed in double quotes")]),
        # What the first line begins may go on below.
        (b'[{"tool": "a"},\n {"tool": "b"}]\n', [(1, {"tool": "a"}), (2, {"tool": "b"})]),
        (b'\xef\xbb\xbf{"tool":\r\n"a"}\r\n', [(1, {"tool": "a"})]),
        (b'[{"tool": "a"},\n {"tool": }]\n', [(2, "not JSON: expecting value")]),
        (b'[{"tool": "a"},\n', [(1, "not JSON: expecting value")]),
        (
            b'{"tool": "a",\n\n{"tool": "b"}\n',
            [
                (1, "not JSON: expecting property name enclosed in double quotes"),
                (3, {"tool": "b"}),
            ],
        ),
        (b'{"tool"\n', [(1, "not JSON: expecting ':' delimiter")]),
        (b"[\n\xff]", [(1, "not UTF-8")]),
    ],
)
def test_lines(tmp_path: Path, content: bytes, expected: list[tuple[int, object]]) -> None:
    assert told(read(tmp_path, content)) == expected


def test_a_line_that_is_too_long_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "MAX_LINE", 64)
    items = read(tmp_path, b'{"tool": "a"}\n"' + b"x" * 1000 + b'"\n{"tool": "b"}\n')
    assert [(item.line, item.problem is None) for item in items] == [
        (1, True),
        (2, False),
        (3, True),
    ]
    assert items[1].problem is not None
    assert items[1].problem.code == "R004"


@pytest.mark.parametrize("length", range(20, 90))
def test_a_broken_first_line_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    """However the part that may be one document ends, lines stay lines."""
    monkeypatch.setattr(calls, "MAX_GUESS", 40)
    monkeypatch.setattr(calls, "MAX_LINE", 32)
    lines = b'{"tool": "b"}\n' * 3
    items = read(tmp_path, b'{"tool": "a",\n"' + b"x" * length + b'"\n' + lines)
    assert [(item.line, item.problem is None) for item in items] == [
        (1, False),
        (2, length + 3 <= 32),
        (3, True),
        (4, True),
        (5, True),
    ]


def test_a_list_that_is_too_long_to_be_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "MAX_GUESS", 40)
    (item,) = read(tmp_path, b'[{"tool": "a"},\n' + b'{"tool": "a"},\n' * 9 + b"]")
    assert item.problem is not None
    assert (item.problem.code, "JSON Lines" in item.problem.help) == ("R004", True)


def test_a_line_of_exactly_the_bound_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = b'{"tool": "a"}'
    monkeypatch.setattr(calls, "MAX_LINE", len(line) + 1)
    items = read(tmp_path, line + b"\n" + line + b"\n")
    assert [item.value for item in items] == [{"tool": "a"}] * 2


def test_a_document_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MAX_DOCUMENT", 64)
    (item,) = read(tmp_path, b'[\n{"tool": "' + b"x" * 100 + b'"}\n]')
    assert item.problem is not None
    assert "JSON Lines" in item.problem.help


def test_columns_are_counted_in_the_line(tmp_path: Path) -> None:
    (item,) = read(tmp_path, '{"tool": "é", "tool": "b"}\n'.encode())
    assert item.problem is not None
    assert str(item.problem.span).endswith(":1:15")


def test_inline_json() -> None:
    (item,) = read_calls([' {"tool": "a"}'])
    assert item == Item("<call>", 1, {"tool": "a"})


def test_bytes_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_bytes(b'{"tool": "a"}\n' * 3)
    counted: list[int] = []
    assert len(list(read_calls([str(path)], counted.append))) == 3
    assert sum(counted) == total_bytes([str(path)]) == 42
    assert total_bytes([str(path), "-"]) is None
