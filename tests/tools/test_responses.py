"""What kind of failure an HTTP response tells of."""

from __future__ import annotations

import pytest

from callgate.tools import kind_of_response


@pytest.mark.parametrize(
    ("status", "headers", "kind"),
    [
        (200, {}, None),
        (204, {"Server": "cloudflare"}, None),
        (304, {}, None),
        (403, {"CF-Mitigated": "challenge"}, "challenge"),
        (200, {"cf-mitigated": " Challenge "}, "challenge"),
        (403, {"cf-mitigated": "block"}, "business"),
        (503, {"cf-chl-bypass": "1"}, "challenge"),
        (200, {"cf-chl-bypass": "1"}, None),
        (429, {"x-vercel-mitigated": "challenge"}, "challenge"),
        (202, {"x-amzn-waf-action": "challenge"}, "challenge"),
        (405, {"x-amzn-waf-action": "captcha"}, "challenge"),
        (403, {"x-datadome": "protected"}, "challenge"),
        (200, {"x-datadome": "protected"}, None),
        (429, {"x-kpsdk-ct": "a"}, "challenge"),
        (403, {"Server": "ddos-guard"}, "challenge"),
        (403, {"Server": "nginx"}, "business"),
        (404, {}, "business"),
        (401, {"www-authenticate": "Basic"}, "business"),
        (408, {}, "timeout"),
        (504, {}, "timeout"),
        (429, {"retry-after": "5"}, "dependency"),
        (500, {}, "dependency"),
        (503, {"server": "cloudflare"}, "dependency"),
    ],
)
def test_what_a_response_tells_of(status: int, headers: dict[str, str], kind: str | None) -> None:
    assert kind_of_response(status, headers) == kind
