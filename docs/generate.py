"""Write what the documentation shows and does not say by itself.

`python docs/generate.py` (or `make docs`) writes docs/rule-files.md from the schemas in grammar/,
docs/images/desk.svg from the tutorial's policy, and the outputs of the commands in README.md and
docs/tutorial.md. tests/docs checks that all of them are up to date.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from console import refreshed, write_files

from callgate.analysis.drawing import draw
from callgate.engine import Engine

__all__ = ["PAGE", "PICTURE", "main", "picture", "rule_files"]

ROOT: Final = Path(__file__).parent.parent
GRAMMAR: Final = ROOT / "grammar"
PAGE: Final = ROOT / "docs" / "rule-files.md"
TUTORIAL: Final = ROOT / "docs" / "tutorial.md"
PICTURE: Final = ROOT / "docs" / "images" / "desk.svg"

KINDS: Final = (
    "bundle",
    "vocabulary",
    "tools",
    "risk-map",
    "profiles",
    "security-profiles",
    "programs",
    "guards",
    "flow",
    "masking",
    "invariants",
    "tests",
)

_HEAD: Final = """\
# Rule files

<!-- Made by docs/generate.py from grammar/*.schema.json: change those, then run `make docs`. -->

A bundle is a folder of YAML files. Each file begins with its `kind`; each kind has the keys below
and no others. The schemas in [grammar/](../grammar) say the same to editors.

- Files are read as YAML 1.2: `on`, `off`, `yes` and `no` are strings. Tags, merge keys, duplicate
  keys, empty files and files over 4 MiB are refused.
- A key that is not known is an error; the message names the key that was probably meant.
- The manifest lists all files of a bundle. One that is missing or not listed is an error.
- In the tables, keys in **bold** are required, `NAME` is a name of your own, and `[]` stands for
  each item of a list.

Conditions are explained in [language.md](language.md), calls in [formats.md](formats.md), terms in
[glossary.md](glossary.md).
"""

_SCALARS: Final = {
    "string": "text",
    "boolean": "true or false",
    "integer": "integer",
    "number": "number",
    "null": "null",
    "object": "mapping",
    "array": "list",
}

Schema = Mapping[str, Any]


def rule_files() -> str:
    """The text of docs/rule-files.md."""
    common = _read("common")
    schemas = [_read(kind) for kind in KINDS]
    contents = [
        f"- [{schema['title']}](#{_anchor(schema['title'])}): {_first_sentence(schema)}"
        for schema in schemas
    ]
    contents.append("- [Shared definitions](#shared-definitions)")
    parts = [_HEAD, "\n".join(contents) + "\n"]
    for kind, schema in zip(KINDS, schemas, strict=True):
        parts += _Page(kind, schema).text()
    parts += ["## Shared definitions\n", f"{common['description']}\n"]
    parts += _Page("common", common).definitions()
    return "\n".join(parts)


def picture() -> str:
    """The decision graph of the tutorial's policy as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(TUTORIAL, Path(folder))
        engine = Engine.load(Path(folder) / "policies" / "desk")
    return draw(engine.graph, engine.source_map, "svg")


def main() -> None:
    """Write everything."""
    PAGE.write_text(rule_files(), encoding="utf-8")
    for page in (TUTORIAL, ROOT / "README.md"):
        page.write_text(refreshed(page), encoding="utf-8")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")


class _Page:
    """The part of the page about one schema."""

    def __init__(self, kind: str, schema: Schema) -> None:
        self.kind = kind
        self.schema = schema

    def text(self) -> Iterator[str]:
        """Heading, description, table, an example with every key, and the definitions."""
        schema = self.schema
        yield f"## {schema['title']}\n"
        yield f"{schema['description']}\n"
        yield from self.table(schema)
        example = {key: part["examples"][0] for key, part in schema["properties"].items()}
        yield f"```yaml\n{_block(example)}```\n"
        yield from self.definitions()

    def definitions(self) -> Iterator[str]:
        """The schema's own definitions, each with a heading."""
        for name, schema in self.schema.get("definitions", {}).items():
            yield f"### {self.heading(name)}\n"
            yield f"{schema['description']}{_lists(schema)}\n"
            properties = schema.get("properties")
            if properties:
                yield from self.table(schema)
                yield from _together(schema)
            elif self.kind != "common":
                yield f"Value: {self.type_of(schema)}.\n"
            if self.kind == "common" and "examples" in schema:
                yield f"For example `{_flow(schema['examples'][0])}`.\n"

    def heading(self, name: str) -> str:
        """A definition's heading; unique on the page."""
        return name if self.kind == "common" else f"{self.kind}: {name}"

    def table(self, schema: Schema) -> Iterator[str]:
        """A table of an object's keys; those of objects inside it have dotted names."""
        lines = ["| key | value | meaning | example |", "|---|---|---|---|"]
        lines.extend(self.rows(schema, ""))
        yield "\n".join(lines) + "\n"

    def rows(self, schema: Schema, prefix: str) -> Iterator[str]:
        """The rows of an object's keys."""
        required = schema.get("required", ())
        for key, part in schema["properties"].items():
            name = f"`{prefix}{key}`"
            name = f"**{name}**" if key in required else name
            example = f"`{_flow(part['examples'][0])}`" if "examples" in part else ""
            meaning = f"{part.get('description', '')}{_lists(part)}"
            cells = (name, self.type_of(part), meaning, example)
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
            yield from self.inside(part, f"{prefix}{key}")

    def inside(self, part: Schema, name: str) -> Iterator[str]:
        """The rows of objects that a key's value holds."""
        for choice in part.get("anyOf", ()):
            yield from self.inside(choice, name)
        if "properties" in part:
            yield from self.rows(part, f"{name}.")
        values = part.get("additionalProperties")
        if isinstance(values, dict):
            yield from self.inside(values, f"{name}.NAME")
        items = part.get("items")
        if isinstance(items, dict):
            yield from self.inside(items, f"{name}[]")

    def type_of(self, part: Schema) -> str:
        """What a value may be, in words."""
        if "$ref" in part:
            return self.link(part["$ref"])
        if "const" in part:
            return f"`{_flow(part['const'])}`"
        if "enum" in part:
            return ", ".join(f"`{_flow(item)}`" for item in part["enum"])
        if "anyOf" in part:
            return " or ".join(dict.fromkeys(self.type_of(choice) for choice in part["anyOf"]))
        kinds = part.get("type", ())
        if isinstance(kinds, list):
            return ", ".join(_SCALARS[kind] for kind in kinds)
        if kinds == "array" and isinstance(part.get("items"), dict):
            return f"list of {self.type_of(part['items'])}"
        values = part.get("additionalProperties")
        if kinds == "object" and isinstance(values, dict):
            return f"mapping of names to {self.type_of(values)}"
        return _SCALARS[kinds] if kinds else "any value"

    def link(self, reference: str) -> str:
        """A definition's name, as a link to its heading."""
        file, _, path = reference.partition("#")
        name = path.rpartition("/")[2]
        heading = name if file else self.heading(name)
        return f"[{name}](#{_anchor(heading)})"


def _read(kind: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((GRAMMAR / f"{kind}.schema.json").read_text("utf-8"))
    return schema


def _anchor(heading: str) -> str:
    kept = "".join(char for char in heading.lower() if char.isalnum() or char in " -_")
    return kept.replace(" ", "-")


def _first_sentence(schema: Schema) -> str:
    text: str = schema["description"]
    return text.partition(". ")[0].removesuffix(".") + "."


def _together(schema: Schema) -> Iterator[str]:
    """Which keys go together and which exclude each other."""
    sentences = []
    choices = [_quoted(choice["required"]) for choice in schema.get("oneOf", ())]
    if choices:
        sentences.append(f"Exactly one of these: {'; '.join(choices)}.")
    for key, needed in schema.get("dependencies", {}).items():
        if isinstance(needed, dict):
            others = needed.get("not", {}).get("required", ())
            excluded = _quoted(other for other in others if other != key)
            sentences.append(f"`{key}` excludes {excluded}." if excluded else "")
            needed = needed.get("required", ())
        sentences.append(f"`{key}` needs {_quoted(needed)}." if needed else "")
    if any(sentences):
        yield " ".join(filter(None, sentences)) + "\n"


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _lists(part: Schema) -> str:
    """What the table's columns have no room for: patterns of names."""
    pattern = part.get("propertyNames", {}).get("pattern")
    return f" Names match `{pattern}`." if pattern else ""


def _flow(value: Any) -> str:
    """A value as YAML on one line."""
    text = yaml.safe_dump(
        value, default_flow_style=True, sort_keys=False, width=10_000, allow_unicode=True
    )
    return text.removesuffix("...\n").strip()


def _block(value: Any) -> str:
    """A value as YAML, with collections that hold only scalars on one line."""
    return yaml.safe_dump(
        value, default_flow_style=None, sort_keys=False, width=96, allow_unicode=True
    )


if __name__ == "__main__":
    main()
