"""What runs a file that an agent may change is never allowed for good, nor with all that a session
does."""

from __future__ import annotations

import pytest

from tests.gate.subjects import of

RUNS = [
    "kubectl apply -f x.yaml",
    "kubectl create -f x.yaml",
    "kubectl replace -f x.yaml",
    "dpkg -i x.deb",
    "rpm -U x.rpm",
    "helm install a ./chart",
    "helm upgrade a chart",
    "pm2 start x.js",
    "pm2 restart x",
    "supervisorctl restart x",
    "mypy src",
    "flake8",
    "pylint src",
    "ansible all -m ping",
    "docker start web",
    "docker container start web",
    # Hooks.
    "git commit -m x",
    "git checkout main",
    "git switch main",
    "git merge main",
    "git rebase main",
    "git cherry-pick main",
    "git revert HEAD",
    "git pull origin main",
    "git am x.patch",
    "git worktree add ../x",
    # Compilers load what they are told to.
    "gcc -fplugin=./x a.c",
    "g++ -fplugin=./x a.c",
    "clang -fplugin=./x a.c",
    "clang -fpass-plugin=./x a.c",
    "clang -Xclang -load a.c",
    "cc -specs=x a.c",
    "gcc @x",
    "gcc -B ./x a.c",
    "gcc -B./x a.c",
    "gcc -wrapper ./x a.c",
    "gcc -fuse-ld=./x a.c",
    "rustc -C linker=./x a.rs",
    "javac A.java",
    "objcopy --plugin ./x a",
    "m4 x",
    "bison a.y",
    "dc x",
    "dc -e '!ls'",
    "pandoc --lua-filter y a",
    "pandoc -d y a",
    "groff -U a",
    "asciidoctor -r ./x a",
    "install -s --strip-program=./x a b",
    "ldd ./x",
    # Another repository, or another setting.
    "git --git-dir=x status",
    "git -C x status",
    "git -c core.attributesFile=x log",
    "git --exec-path=. status",
    "git instaweb --httpd=./x",
    "git mergetool",
    "git foo",
    "hg status",
    # Packages that lie in the workspace.
    "apt install ./x.deb",
    "apt-get install ../x.deb",
    "dnf install ./x.rpm",
    "yum localinstall x.rpm",
    "zypper install ./x.rpm",
    "apk add ./x.apk",
    "snap install ./x.snap",
    "flatpak install ./x.flatpak",
    "brew install ./x.rb",
    "helm plugin install ./x",
    "gh extension install .",
    "openssl req -config x",
    "openssl req -engine ./x",
    "openssl engine -t ./x",
    "kubectl --kubeconfig ./x get pods",
    "helm --kubeconfig ./x list",
    "docker --config x ps",
    "sqlite3 -init x db",
    "mysql --defaults-file=x -e 'select 1'",
    "mysql --plugin-dir=x -e 'select 1'",
    "pg_restore x",
    "tmux -f x ls",
    "ip -batch x",
    "ip netns exec x ./y",
    "insmod ./x.ko",
    "chroot x ls",
    "curl -K x",
    "modprobe -C x y",
    "systemctl link ./x.service",
    "systemctl enable ./x.service",
    "npm config set script-shell ./x",
    "go env -w CC=./x",
    "cargo tree",
    "yarn list",
    "uv pip list",
    "vagrant status",
    # Variables that are obeyed.
    "GIT_DIR=repo git status",
    "PYTHONPATH=. black .",
    "CC=./x gcc a.c",
    "NODE_OPTIONS='-r ./x' ls",
    "export GIT_DIR=repo; git status",
]


@pytest.mark.parametrize("command", RUNS)
def test_no_always_where_the_agent_can_change_what_runs(command: str) -> None:
    assert "always" not in of(command).levels


@pytest.mark.parametrize("command", RUNS)
def test_no_session_for_all_either(command: str) -> None:
    assert "session-all" not in of(command).levels


@pytest.mark.parametrize(
    "command",
    [
        "kubectl get pods",
        "dpkg -l",
        "helm list",
        "pm2 list",
        "mypy --version",
        "docker stop web",
        "git status",
        "git fetch origin",
        "git -c color.ui=never log",
        "gcc -Wall -O2 -o a a.c",
        "rustc -o a a.rs",
        "pandoc -o a.html a.md",
        "ip addr",
        "ldd --version",
        "apt install curl",
        "systemctl enable nginx",
        "openssl x509 -in a.pem -noout",
        "sqlite3 db 'select 1'",
        "npm config set color false",
        "go env",
        "tmux ls",
    ],
)
def test_always_where_nothing_of_the_workspace_runs(command: str) -> None:
    assert "always" in of(command).levels


@pytest.mark.parametrize(
    "command",
    ["git status", "gcc -Wall -O2 -o a a.c", "ip addr", "rm -r build", "ip netns exec x ls"],
)
def test_a_session_covers_what_is_seen(command: str) -> None:
    assert "session-all" in of(command).levels


@pytest.mark.parametrize(
    "command",
    [
        "ssh prod rm -rf /srv/data",
        "ls --of-which-nobody-knows ./x",
        "cd sub && git status",
        "systemctl -H h restart x",
    ],
)
def test_a_session_covers_nothing_else(command: str) -> None:
    assert "session-all" not in of(command).levels
