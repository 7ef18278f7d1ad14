"""Every mistake in a condition: its code, its place, its help."""

from __future__ import annotations

import pytest

from callgate.lang.check_uses import Use
from tests.check.standard import check, marked

G, A, F, S, D = Use.GUARD, Use.ALLOW, Use.FLOW, Use.STEP, Use.DEFINITION
RUNS, WATCHED = "r in effects.run where", "p in settings.watched where"

# Condition with the place marked, code, a part of the message, a part of the help.
PLAIN = [
    # T001 unknown name
    ("⟦interactve⟧", "T001", "`interactve`", "did you mean `interactive`?"),
    ("⟦nothing_near⟧ == 3", "T001", "is not known here", "a name is a fact"),
    ("call.cwd under ⟦workspace⟧", "T001", "`workspace`", ""),
    ("⟦sttings⟧.approval.mode == smart", "T001", "`sttings`", "did you mean `settings`?"),
    ("call.sender_id == ⟦ann⟧", "T001", "`ann`", 'in quotes: `"ann"`'),
    ("any(d in effects.delete where ⟦e⟧.recursive)", "T001", "`e`", ""),
    # T002 enum members
    ("risk == ⟦exce⟧", "T002", "`exce` is not a member of `risk`", "did you mean `exec`?"),
    ('settings.approval.mode == ⟦"on"⟧', "T002", '`"on"`', "`off`"),
    ("call.origin == ⟦nowhere⟧", "T002", "`nowhere`", 'it has `""`, `cron`'),
    ("call.tool == ⟦exce⟧", "T002", "`exce`", "did you mean `exec`?"),
    ("call.tool == ⟦fly⟧", "T002", "`fly`", '`"fly"` for a name that is not in the policy'),
    ("risk in write|⟦exexx⟧", "T002", "`exexx`", ""),
    ("⟦fs.raed⟧ in capabilities", "T002", "`fs.raed`", "did you mean `fs.read`?"),
    ("call.tool == ⟦bash⟧", "T002", "alias of the tool `exec`", "write `exec`"),
    # T003 no such field
    ("any(d in effects.⟦deletes⟧ where true)", "T003", "`deletes`", "did you mean `delete`?"),
    ("settings.⟦aproval⟧.mode == smart", "T003", "of `settings`", "did you mean `approval`?"),
    ("settings.approval.⟦mod⟧ == smart", "T003", "of `settings.approval`", "`mode`"),
    ("call.⟦chanel⟧ == cli", "T003", "of `call`", "did you mean `channel`?"),
    ("any(d in effects.delete where d.⟦recursiv⟧)", "T003", "of `delete`", "`recursive`"),
    ('call.sender_id.⟦name⟧ == "x"', "T003", "is a string and has no fields", ""),
    ('"x" in settings.allow_from.⟦cli⟧', "T003", "has no fields", 'settings.allow_from["cli"]'),
    # T004 never equal
    ('⟦call.attempt_index == "3"⟧', "T004", "is an int and", ""),
    ("⟦call.sender_id == 3⟧", "T004", "they can never be equal", ""),
    ("⟦call.cwd == call.sender_id⟧", "T004", "a path", "path(call.sender_id, call.workspace)"),
    ("⟦call.channel == risk⟧", "T004", "one of `channel`", ""),
    ("⟦call.sender_id == people.admins⟧", "T004", "a list of string", "call.sender_id in …"),
    ("⟦call.attempt_index in people.admins⟧", "T004", "can never be in", ""),
    ('call.tool == ⟦"bash"⟧', "T004", "alias of the tool `exec`", "call.called_as"),
    ('call.sender_id in ["a", ⟦3⟧]', "T004", "of type `int`", "values of one type"),
    ("settings.note ?? ⟦3⟧ == 3", "T004", "its default an int", "same type"),
    # T005 operator and type
    ('⟦call.sender_id⟧ under "/etc"', "T005", "takes paths or hosts", "path(call.sender_id"),
    ("call.cwd under ⟦call.sender_id⟧", "T005", "a string", "path(call.sender_id"),
    ('⟦call.attempt_index⟧ covers "/etc"', "T005", "is an int", ""),
    ('⟦call.attempt_index⟧ like "3*"', "T005", "takes a text", ""),
    ("call.sender_id like ⟦call.user_id⟧", "T005", "a quoted text", ""),
    ('call.sender_id matches ⟦"a.*"⟧', "T005", "regular expression", '`r"a.*"`'),
    ('call.sender_id like ⟦r"a.*"⟧', "T005", "", 'matches r"a.*"'),
    ('call.sender_id == ⟦r"a.*"⟧', "T005", "only after `matches`", 'matches r"a.*"'),
    ("⟦call.sender_id⟧ is `git push`", "T005", "a `run` effect", "effects.run"),
    ('any(r in effects.run where r is ⟦"git"⟧)', "T005", "a command pattern", "with `==`"),
    ("⟦call.channel⟧ < cli", "T005", "have no order", "in a|b"),
    ("⟦call.unattended⟧ < true", "T005", "is a bool", ""),
    ("⟦call.sender_id⟧ > call.user_id", "T005", "is a string", ""),
    ("⟦risk < call.attempt_index⟧", "T005", "no common order", ""),
    ('"a" in ⟦call.sender_id⟧', "T005", "takes a list", 'call.sender_id like "*…*"'),
    ('"a" in ⟦settings.allow_from⟧', "T005", "a map of list", 'has settings.allow_from["a"]'),
    ('has args.x and "a" in ⟦args.x⟧', "T005", "json of any shape", "`tools:`"),
    ("any(x in ⟦call.sender_id⟧ where true)", "T005", "takes a list", ""),
    ("any(x in ⟦settings.allow_from⟧ where true)", "T005", "takes a list", "by its keys"),
    ("⟦count(d in effects.delete where true)⟧", "T005", "is a number", ">= 1"),
    ("⟦settings.approval⟧ == smart", "T005", "group of names", "`settings.approval.mode`"),
    ("has ⟦args⟧", "T005", "not a value", "args.path"),
    ("has args[⟦call.channel⟧]", "T005", "in quotes", ""),
    ('⟦call.sender_id⟧["a"] == "b"', "T005", "takes a map", ""),
    ("has settings.allow_from[⟦3⟧]", "T005", "a text as key", ""),
    ('call.sender_id in [⟦call.user_id⟧, "a"]', "T005", "not a literal", "join with `or`"),
    ('settings.deadline > ⟦"tomorrow"⟧', "T005", "is not a time", "2026-12-01T09:00:00Z"),
    ('⟦"a b"⟧ in settings.hosts', "T005", "is not a host", "example.org"),
    ('⟦"*.a.test"⟧ in settings.hosts', "T005", "is not a host", "`a.test`: its sub-domains"),
    ('⟦"a.test:80"⟧ in settings.hosts', "T005", "is not a host", "write `a.test`"),
    ('⟦"http://a.test/x"⟧ in settings.hosts', "T005", "is not a host", "write `a.test`"),
    ('⟦"10.0.0.0/8"⟧ in settings.hosts', "T005", "is not a host", "`address_class`"),
    # T006 optional
    ('⟦settings.note⟧ == "x"', "T006", "may be absent", "has settings.note and …"),
    ('⟦settings.allow_from["a"]⟧ == ["b"]', "T006", "may be absent", "??"),
    ('call.sender_id in ⟦settings.allow_from["a"]⟧', "T006", "may be absent", "has settings"),
    ("⟦settings.strict⟧", "T006", "may be absent", ""),
    ('has settings.note or ⟦settings.note⟧ == "x"', "T006", "", ""),
    ('not has settings.note and ⟦settings.note⟧ == "x"', "T006", "", ""),
    ('⟦settings.note⟧ == "x" and has settings.note', "T006", "", ""),
    ('(noted or interactive) and ⟦settings.note⟧ == "x"', "T006", "", ""),
    ('⟦args.command⟧ like "x*"', "T006", "may be absent", ""),
    ('⟦as_string(call.extra["a"])⟧ == "x"', "T006", "may be absent", "give a default"),
    ('lower(⟦settings.note⟧) == "x"', "T006", "may be absent", ""),
    ('path(⟦args.path⟧, call.workspace) under "/etc"', "T006", "may be absent", "has args.path"),
    # T007, T008 functions
    ('⟦pth⟧(call.workspace, "/") under "/etc"', "T007", "no function `pth`", "`path`"),
    ("⟦risk⟧(3) == 3", "T007", "", "without arguments"),
    ("⟦all⟧(3) == 3", "T007", "", "there are `as_bool`"),
    ('⟦lower("a", "b")⟧ == "a"', "T008", "takes one argument, not 2", "lower(text)"),
    ('lower(⟦3⟧) == "a"', "T008", "takes a string, and `3` is an int", ""),
    ('basename(⟦call.sender_id⟧) == "a"', "T008", "takes a path", "path(call.sender_id"),
    ('⟦time("tomorrow")⟧ < settings.deadline', "T008", "means nothing", "2026-12-01T"),
    # T009 not a condition
    ("⟦call.sender_id⟧", "T009", "is a string, not a condition", ""),
    ("interactive and ⟦call.attempt_index⟧", "T009", "is an int", ""),
    ("not ⟦risk⟧", "T009", "one of `risk`", ""),
    ("any(p in people.admins where ⟦p⟧)", "T009", "is a string", ""),
    ("has args.x and ⟦args.x⟧", "T009", "json", "as_bool(args.x) ?? false"),
    # Settings without their first word, globs as paths, functions of other languages
    ("⟦approval.mode⟧ == off", "T001", "`approval.mode`", "did you mean `settings.approval.mode`?"),
    ('call.channel == "x" and ⟦limits.retries⟧ > 3', "T001", "", "`settings.limits.retries`"),
    ('call.cwd == ⟦"*.key"⟧', "T024", "is a pattern", "named(path, …)"),
    ('call.cwd under ⟦"/srv/*"⟧', "T024", "is a pattern", "write `/srv`: what lies in it"),
    ('call.cwd under ["/a", ⟦"~/x/**"⟧]', "T024", "", "write `~/x`"),
    ('call.cwd under ⟦"/a/k?"⟧', "T024", "", "write `/a`"),
    ('call.cwd under ⟦"/[ab]/x"⟧', "T024", "", "name each path"),
    ('call.cwd under ⟦"~foo/x"⟧', "T019", "a user whom only the system knows", "from `/`"),
    ('⟦startswith⟧(call.channel, "a")', "T007", "", 'write `call.channel like "a*"`'),
    ('⟦ends_with⟧(call.channel, "a")', "T007", "", 'write `call.channel like "*a"`'),
    # T014 secrets
    ('⟦settings.keys.search⟧ != ""', "T014", "is secret", "has settings.keys.search"),
    # T017 never absent
    ("⟦has call.cwd⟧", "T017", "is never absent", "leave the test out"),
    ("⟦has call.unattended⟧", "T017", "", "write `call.unattended`"),
    # T018 taken
    ("any(⟦call⟧ in people.admins where true)", "T018", "already means", ""),
    ("any(⟦interactive⟧ in people.admins where true)", "T018", "", "of its own"),
    (
        "any(x in people.admins where any(⟦x⟧ in people.admins where true))",
        "T018",
        "",
        "of its own",
    ),
    # T019 paths
    ('call.cwd under ⟦"docs"⟧', "T019", "depends on the folder", 'path("docs", call.workspace)'),
    ('call.cwd under ["/a", ⟦"b"⟧]', "T019", "", ""),
    ('call.cwd under ⟦"~/../x"⟧', "T019", "above the home folder", ""),
    ('call.cwd under ⟦path("a", "b")⟧', "T019", "means nothing", ""),
    # C013 profiles
    ('has profiles[⟦"minimla"⟧]', "C013", "`minimla`", "did you mean `minimal`?"),
    ('has security_profiles[⟦"x"⟧]', "C013", "", "`daemon`"),
]


@pytest.mark.parametrize(("text", "code", "message", "help"), PLAIN, ids=[row[0] for row in PLAIN])
def test_mistake(text: str, code: str, message: str, help: str) -> None:
    plain, columns = marked(text)
    condition, problems = check(plain)
    assert condition is None
    assert [problem.code for problem in problems] == [code], problems
    (problem,) = problems
    assert problem.span is not None
    assert (problem.span.column, problem.span.end_column) == columns
    assert message in problem.message
    assert help in problem.help
    assert problem.message[0] == "`" or problem.message[0].islower()
    assert not problem.message.endswith(".")
    assert not problem.help.endswith(".")


# The same with what the condition is for, the tools it is about, and what `each:` binds.
USED = [
    # T010 direction
    (G, "none(d in ⟦effects.delete⟧ where true)", "T010", "might not fire"),
    (G, "not any(d in ⟦effects.delete⟧ where true)", "T010", "might not fire"),
    (G, "count(d in ⟦effects.delete⟧ where true) < 3", "T010", ""),
    (G, "3 > count(d in ⟦effects.delete⟧ where true)", "T010", ""),
    (G, "count(d in ⟦effects.delete⟧ where true) == 3", "T010", ""),
    (G, "any(d in effects.delete where none(w in ⟦effects.write⟧ where true))", "T010", ""),
    (G, "not ⟦deletes⟧", "T010", "`effects.delete`"),
    (G, "⟦effects.complete⟧", "T010", "can't require"),
    (G, "length(⟦effects.delete⟧) > 2", "T010", ""),
    (G, "⟦deletes⟧ == true", "T010", ""),
    (A, "effects.complete and any(d in ⟦effects.delete⟧ where true)", "T010", "might allow"),
    (A, "⟦deletes⟧ and effects.complete", "T010", "might allow"),
    (A, "not ⟦effects.complete⟧", "T010", "were not understood"),
    # T011 completeness
    (A, "none(d in ⟦effects.delete⟧ where true)", "T011", "not understood"),
    (A, "effects.complete or none(d in ⟦effects.delete⟧ where true)", "T011", ""),
    (A, "(effects.complete or interactive) and not ⟦deletes⟧", "T011", ""),
    # T012 no effects
    (F, "any(d in ⟦effects.delete⟧ where true)", "T012", "a flow rule that does not allow"),
    (F, "⟦deletes⟧", "T012", "`effects.delete`"),
    (S, "⟦effects.complete⟧", "T012", "a step's condition"),
    (Use.RISK, "⟦deletes⟧", "T012", "the risk map"),
    (Use.TOOLS, "⟦deletes⟧", "T012", "the catalogue"),
    # T013 open patterns
    (A, "effects.complete and not any(r in effects.run where not r is ⟦`git status`⟧)", "T013", ""),
    (G, "any(r in effects.run where not r is ⟦`git status`⟧)", "T013", "is open"),
    (A, f"effects.complete and none({RUNS} none({WATCHED} r is ⟦p⟧))", "T013", "may be an open"),
    (G, f"any({RUNS} not any({WATCHED} r is ⟦p⟧))", "T013", "may be an open pattern"),
    # T005 patterns of the settings
    (G, f"any({RUNS} r is ⟦settings.approval.users⟧)", "T005", "command pattern on its right"),
    (G, f"any({RUNS} r is ⟦r.program⟧)", "T005", "command pattern on its right"),
    (G, f"any({RUNS} r is ⟦settings.watched⟧)", "T005", "command pattern on its right"),
    (G, f"any({RUNS} r is ⟦settings.command⟧)", "T006", "may be absent"),
    (G, f"any({RUNS} ⟦count({WATCHED} r is p)⟧ > 1)", "T005", "can't count"),
    (G, f'any({WATCHED} ⟦p⟧ like "git*")', "T005", "a text"),
    # T016 unknown steps
    (S, '⟦path(call.workspace, "/") under "/srv"⟧', "T016", "may be unknown"),
    (S, "⟦observed.time > settings.deadline⟧", "T016", "may be unknown"),
    # T001 what is not there yet
    (G, "⟦guards.asks⟧ == none", "T001", "not known yet in a guard"),
    (G, "⟦asked⟧", "T001", "`guards.asks`"),
    (Use.RISK, "⟦risk⟧ == exec", "T001", "not known yet in the risk map"),
    (Use.TOOLS, "⟦risky⟧", "T001", "`risk`"),
    (Use.TOOLS, "fs.read in ⟦capabilities⟧", "T001", ""),
]


@pytest.mark.parametrize(("use", "text", "code", "message"), USED, ids=[row[1] for row in USED])
def test_use(use: Use, text: str, code: str, message: str) -> None:
    plain, columns = marked(text)
    condition, problems = check(plain, use)
    assert condition is None
    assert [problem.code for problem in problems] == [code], problems
    assert problems[0].span is not None
    assert (problems[0].span.column, problems[0].span.end_column) == columns
    assert message in problems[0].message
    assert problems[0].help


FINE = [
    (G, "any(d in effects.delete where d.recursive)"),
    (G, "not none(d in effects.delete where true)"),
    (G, "count(d in effects.delete where true) >= 3"),
    (G, "3 <= count(d in effects.delete where true)"),
    (G, "deletes and interactive"),
    (G, "not effects.complete"),
    (G, "not (effects.complete and none(d in effects.delete where true))"),
    (G, "any(r in effects.run where r is `git push`)"),
    (G, "any(r in effects.run where not r is `git status $`)"),
    (G, "risk == exec and fs.read in capabilities"),
    (A, "effects.complete and none(d in effects.delete where true)"),
    (A, "none(d in effects.delete where true) and effects.complete and interactive"),
    (A, "interactive or effects.complete and not deletes"),
    (A, "harmless"),
    (A, "harmless and risk < exec"),
    (A, "effects.complete and count(d in effects.delete where d.recursive) < 1"),
    (A, "effects.complete and none(r in effects.run where not r is `git status $`)"),
    (A, "effects.complete and none(r in effects.run where r is `git push`)"),
    (F, "guards.asks == person and risk == exec"),
    (F, "observed.time > settings.deadline"),
    (S, "guards.asks > none and interactive"),
    (Use.RISK, "fs.read in capabilities and call.nested"),
    (Use.TOOLS, 'declared.mcp_server != ""'),
    (Use.INVARIANT, "deletes and not effects.complete"),
    (D, "not deletes"),
]


@pytest.mark.parametrize(("use", "text"), FINE, ids=[row[1] for row in FINE])
def test_fine(use: Use, text: str) -> None:
    condition, problems = check(text, use)
    assert not problems
    assert condition is not None


def test_a_default_for_what_is_never_absent_is_a_warning() -> None:
    condition, (problem,) = check('call.cwd under (call.cwd ?? "/x")')
    assert condition is not None
    assert (problem.code, problem.severity) == ("T017", "warning")


def test_all_mistakes_of_a_condition_are_shown() -> None:
    text = (
        "risk == exce and settings.note == 3 and lowr(call.sender_id) like 5 or call.chanel == cli"
    )
    _, problems = check(text)
    assert [problem.code for problem in problems] == ["T002", "T006", "T007", "T005", "T003"]


def test_an_error_brings_no_others_with_it() -> None:
    for text in (
        "nothing_near.a.b == exec and true",
        'any(x in effects.deletes where x.recursive and x.path under "/etc")',
        'risk == exce or call.sender_id like "a*"',
        "settings.aproval.mode in write|exec",
        "lowr(call.sender_id).x.y < 3",
        "not (interactve == 3)",
    ):
        assert len(check(text)[1]) == 1, text
