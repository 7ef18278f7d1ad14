"""What code in other languages does, by its tokens."""

from __future__ import annotations

import pytest

from tests.effects.code.code_reading import opaque_of, shown_of

ROOT = "delete path=/ recursive=True"
ETC = "delete path=/etc recursive=True"
SHADOW = "read path=/etc/shadow"
BOMB = "forkbomb function=fork"
SOCKET = "connect scheme=tcp host=192.0.2.1 port=80 address_class=reserved"

FOUND = [
    ("javascript", 'require("child_process").exec("rm -rf /")', [ROOT]),
    ("javascript", 'const cp = require("node:child_process"); cp.execSync("rm -rf /")', [ROOT]),
    ("javascript", 'const {exec} = require("child_process"); exec("rm -rf /")', [ROOT]),
    ("javascript", 'const {exec: x} = require("child_process"); x("rm -rf /")', [ROOT]),
    ("javascript", 'import {exec as x} from "child_process"; x("rm -rf /")', [ROOT]),
    ("javascript", 'const e = require("child_process").exec; e("rm -rf /")', [ROOT]),
    ("javascript", 'require("child_process")["exec"]("rm -rf /")', [ROOT]),
    ("typescript", 'import cp from "child_process"; cp.spawn("rm", ["-rf", "/"])', [ROOT]),
    ("javascript", '`${require("child_process").execSync("rm -rf /")}`', [ROOT]),
    ("javascript", 'eval("require(\'child_process\').exec(\'rm -rf /\')")', [ROOT]),
    ("javascript", 'fs.rmSync("/etc", {recursive: true, force: true})', [ETC]),
    ("javascript", 'fs.unlinkSync("a")', ["delete path=/w/a"]),
    ("javascript", 'const p = "/etc/" + "shadow"; fs.readFileSync(p)', [SHADOW]),
    ("javascript", 'fs.readFileSync(path.join("/etc", "shadow"))', [SHADOW]),
    ("javascript", 'fs.writeFileSync("a", text)', ["write path=/w/a"]),
    ("javascript", "db.dropDatabase()", ["sql statement=drop tables=[one]"]),
    ("javascript", "db.users.deleteMany({})", ["sql statement=delete tables=[one]"]),
    ("javascript", "db.users.deleteMany({a: 1})", []),
    ("ruby", 'system "rm -rf /"', [ROOT]),
    ("ruby", 'system("rm", "-rf", "/")', [ROOT]),
    ("ruby", "exec %w[rm -rf /]", [ROOT]),
    ("ruby", "`rm -rf /`", [ROOT]),
    ("ruby", "%x(rm -rf /)", [ROOT]),
    ("ruby", "puts \"a #{`rm -rf /`}\"", [ROOT]),
    ("ruby", 'd = "/"\n`rm -rf #{d}`', [ROOT]),
    ("perl", 'my $d = "/"; system("rm -rf $d");', [ROOT]),
    ("php", '$d = "/"; exec("rm -rf {$d}");', [ROOT]),
    ("javascript", 'const d = "/"; require("child_process").exec(`rm -rf ${d}`)', [ROOT]),
    ("ruby", "Kernel.system 'rm -rf /'", [ROOT]),
    ("ruby", "FileUtils.rm_rf('/etc')", [ETC]),
    ("ruby", "require 'fileutils'\ninclude FileUtils\nrm_rf '/etc'", [ETC]),
    ("ruby", "File.read('/etc/shadow')", [SHADOW]),
    ("ruby", "File.open('a', 'w') { |f| f.puts 1 }", ["write path=/w/a"]),
    ("ruby", "open('|rm -rf /')", [ROOT]),
    ("perl", 'system("rm -rf /");', [ROOT]),
    ("perl", "exec 'rm', '-rf', '/';", [ROOT]),
    ("perl", "print `rm -rf /`;", [ROOT]),
    ("perl", "my $x = qx{rm -rf /};", [ROOT]),
    ("perl", 'open(F, "rm -rf / |");', [ROOT]),
    ("perl", 'open(F, "/etc/shadow");', [SHADOW]),
    ("perl", 'open(my $f, "<", "/etc/shadow");', [SHADOW]),
    ("perl", 'open(my $f, ">", "a");', ["write path=/w/a"]),
    ("perl", 'unlink "a";', ["delete path=/w/a"]),
    ("php", 'shell_exec("rm -rf /");', [ROOT]),
    ("php", "<p>it's</p><?php system('rm -rf /'); ?>don't", [ROOT]),
    ("php", 'echo file_get_contents("/etc/shadow");', [SHADOW]),
    ("lua", 'os.execute("rm -rf /")', [ROOT]),
    ("lua", "os.execute [[rm -rf /]]", [ROOT]),
    ("awk", 'BEGIN { system("rm -rf /") }', [ROOT]),
    ("awk", 'BEGIN { "rm -rf /" | getline }', [ROOT]),
    ("awk", '{ print $1 > "a" }', ["write path=/w/a"]),
    ("sed", "s/a/b/w /etc/x", ["write path=/etc/x"]),
    ("sed", "1e rm -rf /", [ROOT]),
    ("sed", "/x/{r /etc/shadow\n}", [SHADOW]),
    ("make", "all: x\n\t@rm -rf /\n", [ROOT]),
    ("make", "X := $(shell rm -rf /)\n", [ROOT]),
    ("r", 'system("rm -rf /")', [ROOT]),
    ("r", 'unlink("/etc", recursive = TRUE)', [ETC]),
    ("go", 'exec.Command("rm", "-rf", "/").Run()', [ROOT]),
    ("go", 'os.RemoveAll("/etc")', [ETC]),
    ("rust", 'std::fs::remove_dir_all("/etc")', [ETC]),
    ("rust", 'std::process::Command::new("rm").args(["-rf", "/"]).status();', [ROOT]),
    ("rust", 'Command::new("rm")\n    .arg("-rf")\n    .arg("/")\n    .spawn();', [ROOT]),
    ("java", 'Runtime.getRuntime().exec(new String[]{"rm", "-rf", "/"});', [ROOT]),
    ("java", 'new ProcessBuilder("rm", "-rf", "/").start();', [ROOT]),
    ("perl", "fork while 1;", [BOMB]),
    ("perl", "fork while fork", [BOMB, BOMB]),
    ("perl", "while (1) { fork }", [BOMB]),
    ("ruby", "loop { fork }", [BOMB]),
    ("ruby", "while true do\n  fork\nend", [BOMB]),
    ("c", "int main() { while (1) fork(); }", [BOMB]),
    ("c", "int main() { for (;;) { fork(); } }", [BOMB]),
    ("javascript", 'process.kill(-1, "SIGKILL")', ["signal target=-1 signal=KILL"]),
    ("c", "kill(-1, SIGKILL);", ["signal target=-1 signal=KILL"]),
    ("perl", 'system(sprintf("rm -rf %s", "/"));', [ROOT]),
    ("awk", 'BEGIN { s = "/inet/tcp/0/192.0.2.1/80"; s |& getline x }', [SOCKET]),
    ("awk", 'BEGIN { c = "rm -rf /"; c | getline x }', [ROOT]),
    ("awk", '{ print $1 | cmd }', ["interpret language=shell source=stdin"]),
    ("java", 'Runtime.getRuntime().exec("rm -rf /")', [ROOT]),
    ("c", 'int main() { system("rm -rf /"); }', [ROOT]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "text", "wanted"), FOUND, ids=[f"{a}: {b}" for a, b, _ in FOUND]
)
def test_calls(language: str, text: str, wanted: list[str]) -> None:
    assert shown_of(text, language) == wanted


UNSEEN = [
    ("javascript", "eval(x)"),
    ("javascript", "new Function(x)()"),
    ("javascript", 'require("child_process").exec(x)'),
    ("javascript", "require(x)"),
    ("javascript", '[1].map(require("child_process").exec)'),
    ("ruby", "system cmd"),
    ("ruby", "instance_eval text"),
    ("ruby", 'system "ls #{x}"'),
    ("perl", "system($cmd);"),
    ("perl", "eval $text;"),
    ("php", "eval($x);"),
    ("php", "shell_exec($x);"),
    ("lua", "load(x)()"),
    ("sed", "s/x/y/e"),
    ("cobol", "DISPLAY 1"),
    ("brainfuck", "+++"),
]


@pytest.mark.parametrize(("language", "text"), UNSEEN, ids=[f"{a}: {b}" for a, b in UNSEEN])
def test_what_the_text_does_not_show_is_opaque(language: str, text: str) -> None:
    assert opaque_of(text, language)


NOTHING = [
    ("javascript", "/a/.exec(s)"),
    ("javascript", "model.eval()"),
    ("javascript", "// rm -rf / in /etc/shadow\n1"),
    ("javascript", "/* require('child_process').exec('x') */ 1"),
    ("javascript", 'console.log("rm -rf /")'),
    ("javascript", 'console.log("/etc/shadow")'),
    ("javascript", "const s = a / b / c; const r = /['\"]/; f(s)"),
    ("javascript", "function exec(x) { return x }"),
    ("javascript", "prefetch(rows)"),
    ("ruby", 'puts "rm -rf /"'),
    ("ruby", "# system 'rm -rf /'\n1"),
    ("ruby", "x = 7 % w"),
    ("perl", 'print "rm -rf /";'),
    ("perl", "$h{system} = 1;"),
    ("perl", "s/system/x/;"),
    ("php", 'echo "rm -rf /";'),
    ("lua", '-- os.execute("x")\nprint("rm -rf /")'),
    ("awk", "{ print $1 }"),
    ("awk", '/rm -rf/ { print "x" }'),
    ("sed", "s/rm -rf \\//w \\/x/g"),
    ("sed", "/e/d;y/abc/wer/"),
    ("go", '// exec.Command("x")\nfmt.Println("rm -rf /")'),
    ("make", "# rm -rf /\nall:\n"),
]


@pytest.mark.parametrize(("language", "text"), NOTHING, ids=[f"{a}: {b}" for a, b in NOTHING])
def test_data_is_not_code(language: str, text: str) -> None:
    assert shown_of(text, language) == []


@pytest.mark.parametrize("language", ["javascript", "ruby", "perl", "php", "lua", "go", "cobol"])
def test_paths_in_texts_are_mentions(language: str) -> None:
    assert "mention path=/etc/shadow (doubtful)" in shown_of('f("/etc/shadow")', language)


def test_a_text_in_a_language_nobody_knows_is_looked_at() -> None:
    assert f"{ROOT} (doubtful)" in shown_of('RUN "rm -rf /"', "cobol")
