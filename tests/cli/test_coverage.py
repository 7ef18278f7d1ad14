"""Reports of coverage: the table, annotated texts, pages, tracefiles, JSON, and the limit."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import click
import pytest

from callgate.cli.coverage_report import STYLES, falls_short, show, told
from callgate.cli.paint import Painter, cells
from callgate.policytest.coverage import Coverage
from callgate.policytest.coverage.summary import figures
from tests.policytest.coverage.bundle import loaded, run_calls

CALLS: tuple[Mapping[str, Any], ...] = (
    {"tool": "look", "args": {"path": "/x"}},
    {"tool": "save", "args": {"path": "/odd"}, "context": {"channel": "near"}},
    {"tool": "save", "args": {"path": "/x"}},
)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Coverage:
    bundle = loaded(tmp_path_factory.mktemp("reports"))
    return run_calls(bundle, Coverage.of(bundle), *CALLS)


def shown(seen: Coverage, style: str) -> str:
    painter = Painter(io.StringIO())
    show(seen, painter, style)
    stream = painter.stream
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


def test_the_table(seen: Coverage) -> None:
    text = shown(seen, "table")
    rules, _, figures_ = text.partition("\n\n")
    row = next(line for line in rules.splitlines() if line.startswith("saving.far "))
    assert row.split() == ["saving.far", "1", "1", "1"]
    lines = figures_.splitlines()
    assert all(cells(line) <= 100 for line in lines)
    row = next(line for line in lines if line.startswith("  saving.far "))
    assert row.split() == ["saving.far", "1/1", "2/2", "3/4", "85", "18"]
    assert next(line for line in lines if line.startswith("  person ")).split()[1] == "2/8"
    assert "left out: otherwise, as every call is decided before it" in lines
    found = figures(seen)
    total = next(line for line in lines if line.startswith("all "))
    assert f" {found.nodes.reached}/{found.nodes.total} " in total


def test_annotated_text_says_what_never_happened(seen: Coverage) -> None:
    lines = shown(seen, "annotated").splitlines()
    answer = next(i for i, line in enumerate(lines) if line.endswith("timeout: {decide: deny}"))
    assert lines[answer].split()[0] == "0!"
    assert lines[answer + 1].strip() == "^ person.timeout: answer `timeout` never given"
    saving = next(i for i, line in enumerate(lines) if line.endswith("when: far and not trusted"))
    assert lines[saving + 1].strip() == "^ `trusted`: never true"
    assert any(line.strip() == "^ becomes" or "never became a deny" in line for line in lines)


def test_annotated_texts_go_to_a_folder(seen: Coverage, tmp_path: Path) -> None:
    show(seen, Painter(io.StringIO()), "annotated", tmp_path / "a" / "b")
    names = sorted(path.name for path in (tmp_path / "a" / "b").iterdir())
    assert len(names) == len({file["file"] for file in told(seen)["files"]})
    assert all(name.endswith(".yaml.txt") for name in names)


def records(text: str) -> Iterator[dict[str, list[list[str]]]]:
    """The records of a tracefile."""
    for record in text.split("end_of_record\n")[:-1]:
        found: dict[str, list[list[str]]] = {}
        for line in record.splitlines():
            key, _, rest = line.partition(":")
            found.setdefault(key, []).append(rest.split(","))
        yield found


def test_the_tracefile_adds_up(seen: Coverage) -> None:
    text = shown(seen, "lcov")
    assert re.fullmatch(
        r"(?:TN:\nSF:[^\n]+\n(?:FN:\d+,[^,\n]+\n)*(?:FNDA:\d+,[^,\n]+\n)*FNF:\d+\nFNH:\d+\n"
        r"(?:BRDA:\d+,\d+,\d+,(?:\d+|-)\n)*BRF:\d+\nBRH:\d+\n(?:DA:\d+,\d+\n)+LF:\d+\nLH:\d+\n"
        r"end_of_record\n)+",
        text,
    )
    branches = reached = 0
    for record in records(text):
        lines = Path(record["SF"][0][0]).read_text("utf-8").splitlines()
        numbers = [int(number) for number, _ in record["DA"]]
        assert numbers == sorted(set(numbers))
        assert max(numbers) <= len(lines)
        assert int(record["LF"][0][0]) == len(numbers)
        assert int(record["LH"][0][0]) == sum(count != "0" for _, count in record["DA"])
        taken = [row[3] for row in record.get("BRDA", ())]
        assert int(record["BRF"][0][0]) == len(taken)
        assert int(record["BRH"][0][0]) == sum(count not in ("0", "-") for count in taken)
        assert len({tuple(row[:3]) for row in record.get("BRDA", ())}) == len(taken)
        names = [row[1] for row in record.get("FN", ())]
        assert names == [row[1] for row in record.get("FNDA", ())]
        branches += len(taken)
        reached += int(record["BRH"][0][0])
    found = figures(seen)
    both = found.branches + found.parts
    assert (reached, branches) == (both.reached, both.total)


class Page(HTMLParser):
    """Checks that what is opened is closed, and collects ids, links and what is loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        found = dict(attrs)
        if found.get("id"):
            assert found["id"] not in self.ids
            self.ids.add(str(found["id"]))
        if tag == "a":
            self.links.append(str(found["href"]))
        if found.get("src") or tag in ("script", "link", "img"):
            self.loaded.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_pages_are_whole_and_load_nothing(seen: Coverage, tmp_path: Path) -> None:
    show(seen, Painter(io.StringIO()), "html", tmp_path / "html")
    pages = {}
    for path in (tmp_path / "html").iterdir():
        page = Page()
        text = path.read_text("utf-8")
        page.feed(text)
        assert page.open == [] and page.loaded == []
        assert "url(" not in text and "@import" not in text
        assert 'lang="en"' in text and "prefers-color-scheme: dark" in text
        pages[path.name] = page
    for page in pages.values():
        for link in page.links:
            name, _, mark = link.partition("#")
            assert name in pages if name else mark in page.ids
    assert any("answer `timeout` never given" in page.text for page in pages.values())
    assert len(pages["index.html"].links) == len(pages) - 1


def test_texts_of_a_policy_cannot_write_the_page(seen: Coverage) -> None:
    from callgate.cli.coverage_html import pages
    from callgate.policytest.coverage.lines import files_of

    files = files_of(seen)
    files[0].text = "<script>alert(1)</script> \u202e # </td>\n"
    page = pages(seen, files)["file-001.html"]
    assert "<script>" not in page and "\u202e" not in page


def test_json(seen: Coverage, tmp_path: Path) -> None:
    show(seen, Painter(io.StringIO()), "json", tmp_path / "coverage.json")
    found = json.loads((tmp_path / "coverage.json").read_text("utf-8"))
    assert found == told(seen)
    assert found["nodes"]["total"] == sum(file["nodes"]["total"] for file in found["files"])
    assert found["excluded"] == [{"id": "otherwise", "reason": "every call is decided before it"}]
    (one,) = [item for item in found["missing"] if item["id"] == "person.timeout"]
    assert (one["kind"], one["message"]) == ("node", "answer `timeout` never given")
    (part,) = [
        i for i in found["missing"] if (i["id"], i["condition"]) == ("saving.far", "trusted")
    ]
    assert (part["never"], part["line"]) == (True, 18)


def test_a_limit(seen: Coverage) -> None:
    found = figures(seen)
    both = found.nodes + found.branches
    assert falls_short(seen, both.percent) == ""
    assert falls_short(seen, 0) == ""
    assert falls_short(seen, 100).endswith(f"{both.total - both.reached} not reached")


def test_pages_need_a_folder(seen: Coverage, tmp_path: Path) -> None:
    with pytest.raises(click.UsageError, match="folder"):
        show(seen, Painter(io.StringIO()), "html")
    (tmp_path / "x").write_text("")
    for style in set(STYLES) - {"table"}:
        with pytest.raises(click.ClickException, match="can't write"):
            show(seen, Painter(io.StringIO()), style, tmp_path / "x" / "y")
