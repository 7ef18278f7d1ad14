"""Every diagnostic code with its title. Codes never change meaning; each has docs/errors/<code>.md.

`Y` YAML and files, `S` schema, `P` parse, `T` type, `C` compile, `R` run time,
`E` settings ("environment").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["CODES"]

CODES: Final[Mapping[str, str]] = {
    # YAML and files
    "Y001": "not YAML",
    "Y002": "duplicate key",
    "Y003": "tag",
    "Y004": "merge key",
    "Y005": "alias",
    "Y006": "tab in indentation",
    "Y007": "not UTF-8",
    "Y008": "empty file",
    "Y009": "file too large",
    "Y010": "more than one document",
    "Y011": "key is not a string",
    "Y012": "nested too deep",
    "Y013": "file can't be read",
    "Y014": "listed file is missing",
    "Y015": "file is not listed in bundle.yaml",
    "Y016": "no bundle here",
    # schema
    "S001": "unknown key",
    "S002": "missing key",
    "S003": "wrong type",
    "S004": "value not allowed",
    "S005": "unknown kind of file",
    "S006": "keys that exclude each other",
    # settings
    "E001": "misspelt setting",
    "E002": "setting of the wrong type",
    "E003": "setting with a value that is not allowed",
    "E004": "two spellings of one setting",
    "E005": "unknown setting",
    # parse
    "P001": "condition can't be parsed",
    "P002": "condition cut off by YAML",
    "P003": "command pattern can't be parsed",
    "P004": "symbol of another language",
    "P005": "condition too long or nested too deep",
    "P006": "regular expression can't be used",
    "P007": "reason can't be parsed",
    # types
    "T001": "unknown name",
    "T002": "not a member of the enum",
    "T003": "no such field",
    "T004": "types that can never be equal",
    "T005": "operator does not fit the type",
    "T006": "optional value used without a guard",
    "T007": "unknown function",
    "T008": "wrong arguments",
    "T009": "condition is not a bool",
    "T010": "effects read in the wrong direction",
    "T011": "allowing rule reads effects without effects.complete",
    "T012": "flow rule reads effects",
    "T013": "open command pattern in an allowing position",
    "T014": "secret setting read",
    "T015": "definition that uses itself",
    "T016": "step condition may be unknown",
    "T017": "has on a value that is never absent",
    "T018": "name already taken",
    "T019": "path that depends on nothing known",
    "T020": "argument that the tools do not have",
    "T021": "asks read in the wrong direction",
    # compile
    "C001": "duplicate id",
    "C002": "flow without otherwise",
    "C003": "answer missing or unknown",
    "C004": "allow before the guards",
    "C005": "unknown tool",
    "C006": "unknown capability",
    "C007": "unknown risk level",
    "C008": "example that does not behave",
    "C009": "rule that can never decide",
    "C010": "step that can never be reached",
    "C011": "bundle lacks a file of this kind",
    "C012": "despite where nothing can be carried",
    "C013": "unknown profile",
    "C014": "tool without a risk level",
    "C015": "two files define the same thing",
    "C016": "cache refused",
    "C017": "no program is described",
    "C018": "person who can't lift an ask",
    "C019": "guard that is stricter in doubt",
    # run time
    "R001": "not a call",
    "R002": "unknown key in a call",
    "R003": "wrong type in a call",
    "R004": "call too large or nested too deep",
    "R005": "answer not understood",
    "R006": "condition failed at run time",
    "R009": "settings of a call not usable",
    "R010": "unexpected failure",
}
