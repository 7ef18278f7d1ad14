"""Grants as JSON and for people: those of calls, and those of scheduled jobs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from callgate.runtime.masking import escape

if TYPE_CHECKING:
    from callgate.cli.paint import Line
    from callgate.gate.cron import CronGrant
    from callgate.gate.grants import Grant
    from callgate.gate.requests import ApprovalRequest

__all__ = ["form_lines", "grant_form", "job_form"]


def grant_form(grant: Grant) -> dict[str, Any]:
    """A grant as JSON."""
    subject = grant.subject
    return {
        "id": grant.id,
        "level": grant.level,
        "kind": subject.kind,
        "tool": subject.tool,
        "text": subject.text,
        "family": subject.family,
        "asks": sorted(subject.asks),
        "user": grant.user,
        "agent": grant.agent,
        "session": grant.session,
        "by": grant.by,
        "decision": grant.decision_id,
        "made": grant.made.isoformat(),
        "expires": grant.expires and grant.expires.isoformat(),
        "ended": grant.ended and grant.ended.isoformat(),
        "ended_by": grant.ended_by,
    }


def job_form(grant: CronGrant, request: ApprovalRequest | None) -> dict[str, Any]:
    """A job's grant as JSON, with the same keys. `request`: what the person approved, None where
    it is not kept any more."""
    made_by = "" if request is None else " ".join(map(str.strip, request.text.split("\n")))
    return {
        "id": grant.job,
        "level": "always",
        "kind": "job",
        "tool": "" if request is None else request.tool,
        "text": made_by,
        "family": None,
        "asks": [],
        "user": "" if request is None else request.user,
        "agent": "" if request is None else request.agent,
        "session": "",
        "by": "" if request is None else request.decided_by,
        "decision": grant.request,
        "made": grant.made.isoformat(),
        "expires": None,
        "ended": grant.ended and grant.ended.isoformat(),
        "ended_by": grant.ended_by,
    }


def form_lines(form: dict[str, Any]) -> Iterator[Line]:
    """Lines for a form of either kind, with what callers named it by escaped."""
    job = form["kind"] == "job"
    ended = f"  ended by {escape(form['ended_by'])}" if form["ended"] else ""
    named = [f"{what} {escape(form[what])}" for what in ("user", "agent", "session") if form[what]]
    until = f", until {_time(form['expires'])}" if form["expires"] else ""
    covers = form["text"]
    if form["level"] == "session-all":
        covers = f"every call of `{form['family']}`, first {covers}"
    if job:
        covers = f"runs by itself, as it was made: {covers or 'by a call that is not kept'}"
    kind = "job" if job else form["level"]
    yield [(escape(form["id"]), "name"), ("  ", ""), (kind, "strong"), (ended, "dim")]
    yield [("  " + covers, "")]
    yield [(f"  for {', '.join(named) or 'no user'}{until}", "dim")]
    yield [(f"  by {escape(form['by']) or 'a person'} at {_time(form['made'])}", "dim")]


def _time(text: str) -> str:
    return f"{datetime.fromisoformat(text):%Y-%m-%d %H:%M}Z"
