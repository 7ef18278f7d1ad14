"""Write what the documentation shows and does not say by itself.

`python docs/generate.py` (or `make docs`) writes docs/rule-files.md from the schemas in grammar/,
docs/images/desk.svg from the tutorial's policy, and the outputs of the commands in README.md,
docs/tutorial.md, docs/extending.md and docs/effects.md. tests/docs checks that all of them are up
to date.
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
EXTENDING: Final = ROOT / "docs" / "extending.md"
EFFECTS: Final = ROOT / "docs" / "effects.md"
PICTURE: Final = ROOT / "docs" / "images" / "desk.svg"

KINDS: Final = (
    "bundle",
    "vocabulary",
    "tools",
    "risk-map",
    "profiles",
    "security-profiles",
    "settings-checks",
    "programs",
    "languages",
    "guards",
    "flow",
    "gate",
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

_LAYERS: Final = """\
## Bundles that extend bundles

`extends` in the manifest names an embedded bundle, or a folder as a path from the bundle's own;
that one may extend a third. The result is one bundle: the inherited files come first, then one's
own. [extending.md](extending.md) shows it step by step.

| what | may be added | what is inherited of it |
|---|---|---|
| guards, invariants, `raise` rules, settings checks | yes; inherited guards are tried first | \
replaced or removed by id: `rule` |
| steps of a flow, rules in them, `otherwise` | no: they may allow | `step` replaces one as a \
whole, in its place (`otherwise` is the last word, `visibility.otherwise` that of the second \
flow); `rule` removes one rule |
| rules under `declared` | no: they may lower a risk | `rule` |
| tools, dynamic tools, capabilities, needs | yes | `tool`, `dynamic`, `capability`, `need` |
| risk levels of tools | of new tools; `levels` and `default` are inherited | `risk`, with the \
tool's name |
| programs, languages | yes | `program`, `language` |
| lists, enums, facts, settings, what is known of the context | yes | `list`, `enum`, `fact`, \
`setting`, `context` |
| members of lists | of lists that say `open: true`, with `add` | |
| profiles, security profiles | yes | `profile`, `security_profile` |
| masking | yes | `masking` for a pattern |
| what the gate must know | of an inherited gate file, but for `approvers`, `grants.families` and \
`reviewer`: these let more be approved | `gate`, with the key: `wait_seconds`, `grants.lasting` |
| tests | yes; inherited ones run against the result | `test` for a case or a table, `NAME, row 3` \
for one row |
| a flow, a risk map, what an example stands for | where none is inherited | |

An entry of `replaces` holds one of these words with a name, and a `reason`. What the bundle defines
under that name takes the place of the inherited; what it does not define is removed, and what still
refers to it is an error. An inherited name that is defined again without an entry is an error
([C021](errors/C021.md)), and so is an entry that names nothing inherited ([C020](errors/C020.md)).
`callgate lint` lists every entry ([C024](errors/C024.md)).

So a bundle without `replaces` never decides less strictly than the one it extends by its guards and
its additions to lists: an open list is read only where more members make a decision stricter
([T022](errors/T022.md)), and more guards can't lift what was asked or denied. A tool or a program
that is described more exactly may be judged otherwise than one that nothing is known of, and a
raised risk takes the way that the flow has for it.
"""

_LOOSER: Final = """\
## Shadows and exceptions

A new rule may first be tried: with `enforce: shadow` it is looked at like any other, and what it
would have decided shows in `matched` and in `explain`, but it decides nothing and the walk goes on.
Its examples are tried as ever.

```yaml
- id: deploy.production-database
  title: Statements that change the production database
  enforce: shadow
  decide: ask
  each: s in effects.sql
  when: call.environment == "production"
  reason: this changes the production database
```

An exception lets a rule that denies or asks leave some calls alone, until some day:

```yaml
  exceptions:
    - id: deploy.migration-in-january
      when: >-
        call.agent_id == "migrator"
        and during(observed.time, "Mon-Fri 09:00-18:00", "Europe/Berlin")
      until: 2027-02-01
      owner: database team
      reason: the tables are split in January
```

- It counts only where its `when` is surely true, and the time was observed and is before `until`. A
  day begins at midnight in UTC: `until: 2027-02-01` is over when January is. Unknown, the rule does
  what it always does.
- Where a guard says `each`, its exceptions are tried on every effect: a call of which one effect is
  excepted and another is not is still denied.
- Where it counts, the rule shows in `matched` with `exception` and does nothing. After a rule of
  the flow the walk goes on: what follows a rule that asks may also deny.
- It loosens, so it reads effects as a rule that allows does ([T010](errors/T010.md),
  [T011](errors/T011.md)), and tests places with `under` ([T023](errors/T023.md)).
- `callgate lint` warns of those that have ended ([L001](rules/L001.md)), and tells two weeks ahead
  which will ([L002](rules/L002.md)).

Rules that allow and notes have no exceptions ([C050](errors/C050.md)), and what consults somebody
can't be a shadow ([C052](errors/C052.md)).
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
    contents.append("- [Shadows and exceptions](#shadows-and-exceptions)")
    contents.append("- [Bundles that extend bundles](#bundles-that-extend-bundles)")
    contents.append("- [Shared definitions](#shared-definitions)")
    parts = [_HEAD, "\n".join(contents) + "\n"]
    for kind, schema in zip(KINDS, schemas, strict=True):
        parts += _Page(kind, schema).text()
    parts += [_LOOSER, _LAYERS]
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
    for page in (TUTORIAL, EXTENDING, EFFECTS, ROOT / "README.md"):
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
