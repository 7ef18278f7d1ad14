"""What must not make a difference: quotes, wrappers, separators, the spelling of options."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from callgate.effects import Surroundings
from callgate.model.effect import EffectSet
from callgate.model.values import UNKNOWN
from tests.effects.reading import HERE, all_shown, effects

DELETES = st.sampled_from(
    [
        *("rm -rf /x", "rm -r -f /x", "rm --recursive /x", "/bin/rm -fr /x", "rm /x -R"),
        *("find /x -delete", "cd / && rm -r x", "rm -r y /x", "rm -rf /../x", "rm -r '/x'"),
    ]
)
WRAPPERS = st.sampled_from(
    [
        *("sudo {}", "sudo -u root {}", "env A=1 {}", "nohup {}", "timeout 5 {}", "nice -n 5 {}"),
        *("time {}", "command {}", "xargs {}", "sudo --unlisted {}", "stdbuf -o L {}", "exec {}"),
    ]
)
AROUND = st.sampled_from(
    [
        *("{}; ls", "ls; {}", "ls && {}", "false || {}", "ls | {{ {}; }}", "{} | cat", "{} & wait"),
        *(
            "( {} )",
            "{{ {}; }}",
            "if a; then {}; fi",
            "while a; do {}; done",
            "for i in 1; do {}; done",
        ),
        *("f() {{ {}; }}; f", "! {}", "echo $( {} )", 'echo "$( {} )"', "echo `{}`", "cat <({})"),
        *("A=$( {} ) ls", "ls\n{}", "ls # x\n{}", "case x in x) {};; esac", "{} > /dev/null 2>&1"),
        *(
            "cat <<E\n$( {} )\nE",
            "bash <<E\n{}\nE",
            "echo ${{A:-$( {} )}}",
            "{} <<E\nx\nE",
            "[[ -n $( {} ) ]]",
        ),
    ]
)
LETTERS = st.sampled_from(["{}", "'{}'", '"{}"', "\\{}", "''{}", "{}''", '""{}', "$'{}'"])


def deletes_x(text: str, place: Surroundings = HERE) -> bool:
    """Whether a text is seen to delete /x with all in it, or may."""
    found = effects(text, place)
    return not found.complete or any(
        effect.fields["path"] in ("/x", "/x/*", UNKNOWN) and effect.fields["recursive"] is not False
        for effect in found.by_kind.get("delete", [])
    )


def surely(text: str) -> bool:
    """Whether a text is seen to delete /x with all in it."""
    return any(
        effect.fields["path"] in ("/x", "/x/*") and effect.fields["recursive"] is True
        for effect in effects(text).by_kind.get("delete", [])
    )


@given(DELETES, st.lists(AROUND, max_size=3))
def test_nothing_around_a_command_hides_it(command: str, around: list[str]) -> None:
    text = command
    for wrapping in around:
        if "`" in wrapping and "`" in text:
            continue
        text = wrapping.format(text)
    assert surely(text) or not effects(text).complete
    if len(around) < 2 and "bash" not in text:
        assert surely(text), text


@given(st.sampled_from(["rm -rf /x", "/bin/rm -fr /x"]), st.lists(WRAPPERS, max_size=4))
def test_no_wrapper_hides_a_command(command: str, wrappers: list[str]) -> None:
    text = command
    for wrapper in wrappers:
        text = wrapper.format(text)
    assert surely(text)


@given(st.data())
def test_no_quoting_hides_a_command(data: st.DataObject) -> None:
    words = ["rm", "-rf", "/x"]
    written = ["".join(data.draw(LETTERS).format(letter) for letter in word) for word in words]
    assert surely(" ".join(written))


@given(
    st.permutations(["-r", "-f", "-v", "--one-file-system"]),
    st.integers(0, 4),
    st.booleans(),
)
def test_the_order_of_options_does_not_matter(options: list[str], at: int, merge: bool) -> None:
    if merge:
        options = ["-rfv", "--one-file-system"]
    words = [*options[:at], "/x", *options[at:]]
    assert surely(" ".join(["rm", *words]))


@given(DELETES, st.integers(1, 8))
def test_shells_in_shells_hide_nothing(command: str, depth: int) -> None:
    text = command
    for level in range(depth):
        quoted = text.replace("'", "'\\''")
        text = f"sh -c '{quoted}'" if level < 4 else f"eval {text!r}" if "'" not in text else text
    assert deletes_x(text)


TEXTS = st.sampled_from(
    ["ls", "git status", "rm -r y", "cat a > b", "cd /y", "A=1 b", "$X", "sudo a"]
)


def kinds(found: EffectSet) -> dict[str, int]:
    return {kind: len(items) for kind, items in found.by_kind.items()}


@given(DELETES, TEXTS)
def test_more_text_never_takes_an_effect_away(command: str, more: str) -> None:
    assert surely(f"{command}; {more}")
    assert deletes_x(f"{more}; {command}")
    assert deletes_x(f"{more}\n{command}")


@given(
    DELETES,
    st.sampled_from(
        ["echo '{}'", "grep '{}' x", "ls # {}", "cat <<'E'\n{}\nE", "git commit -m '{}'"]
    ),
)
def test_text_that_is_data_deletes_nothing(command: str, around: str) -> None:
    text = around.format(command.replace("'", ""))
    assert "delete" not in effects(text).by_kind
    assert effects(text).complete


@given(
    st.sampled_from(["/x", "/etc/y", "a/b"]),
    st.sampled_from(["cat {}", "rm -r {}", "echo > {}", "cp a {}"]),
)
def test_hiding_a_path_behind_a_variable_makes_it_unknown(path: str, command: str) -> None:
    plain = all_shown(command.format(path))
    hidden = all_shown(command.format("$P"))
    assert len(hidden) >= len(plain) - command.startswith("cp")
    assert any("path=?" in item for item in hidden)
