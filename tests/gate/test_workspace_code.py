"""What runs a file that an agent may change is never allowed for good."""

from __future__ import annotations

import pytest

from tests.gate.subjects import of


@pytest.mark.parametrize(
    "command",
    [
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
    ],
)
def test_no_always_where_the_agent_can_change_what_runs(command: str) -> None:
    assert "always" not in of(command).levels


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
    ],
)
def test_always_where_nothing_of_the_workspace_runs(command: str) -> None:
    assert "always" in of(command).levels
