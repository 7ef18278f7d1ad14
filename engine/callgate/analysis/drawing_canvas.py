"""A page that is filled from the top: SVG shapes and text with a current height."""

from __future__ import annotations

from typing import Final

from callgate.analysis.drawing_text import MONO, SANS, clean, escape, fit, width_of, wrap

__all__ = ["Canvas", "Ink"]

_FONTS: Final = {
    SANS: "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif",
    MONO: "'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace",
}


class Ink:
    """The colours. Allow, ask and deny keep apart for colour-blind eyes, also in lightness."""

    TEXT: Final = "#1b2430"
    SOFT: Final = "#5a6675"
    LINE: Final = "#d5dbe3"
    PAGE: Final = "#f5f7fa"
    BLUE: Final = "#2f5d8c"


_CHIPS: Final = {
    "allow": ("#0b7a53", "#ffffff", "ALLOW", "M-4.5 0.5 -1.5 3.8 4.5 -3.8"),
    "ask": ("#f2b233", "#3a2800", "ASK", ""),
    "deny": ("#b3261e", "#ffffff", "DENY", "M-4 -4 4 4M4 -4 -4 4"),
    "show": ("#0b7a53", "#ffffff", "SHOW", "M-4.5 0.5 -1.5 3.8 4.5 -3.8"),
    "hide": ("#b3261e", "#ffffff", "HIDE", "M-4 -4 4 4M4 -4 -4 4"),
    "note": ("#dfe6ee", "#33404f", "NOTE", "M-4 0H4"),
    "next": ("#ffffff", "#5a6675", "NEXT", "M0 -4.5V4M-3.5 0.8 0 4.5 3.5 0.8"),
}


class Canvas:
    """Collects SVG elements; `y` is the height down to which the page is used."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.y = 0.0
        self._below: list[str] = []
        self._above: list[str] = []

    def under(self, element: str) -> None:
        """Add an element that lies beneath all text: a card, a line."""
        self._below.append(element)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        *,
        fill: str = Ink.TEXT,
        family: str = SANS,
        bold: bool = False,
        middle: bool = False,
        end: bool = False,
        within: float = 1000,
    ) -> None:
        """One line of text with its baseline at `y`, cut to `within` pixels."""
        shown = fit(text, size, within, family, bold)
        anchor = ' text-anchor="middle"' if middle else ' text-anchor="end"' if end else ""
        weight = ' font-weight="600"' if bold else ""
        kind = ' class="m"' if family == MONO else ""
        self._above.append(
            f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size:g}" fill="{fill}"'
            f"{kind}{weight}{anchor}>"
            f"{escape(shown)}</text>"
        )

    def lines(
        self,
        x: float,
        text: str,
        size: float,
        width: float,
        *,
        fill: str = Ink.TEXT,
        family: str = SANS,
        bold: bool = False,
    ) -> None:
        """Wrapped text whose first baseline is the current height; ends at the last baseline."""
        for index, line in enumerate(wrap(text, size, width, family)):
            if index:
                self.y += round(size * 1.4)
            self.text(x, self.y, line, size, fill=fill, family=family, bold=bold)

    def lines_below(
        self,
        x: float,
        text: str,
        size: float,
        *,
        width: float = 1000,
        fill: str = Ink.TEXT,
        family: str = SANS,
        bold: bool = False,
    ) -> None:
        """Wrapped text that starts on the next line."""
        self.y += round(size * 1.4)
        self.lines(x, text, size, width, fill=fill, family=family, bold=bold)

    def circle(
        self,
        x: float,
        y: float,
        radius: float,
        *,
        fill: str,
        stroke: str = "",
        dashed: bool = False,
    ) -> None:
        """A circle above the lines."""
        line = f' stroke="{stroke}" stroke-width="2"' if stroke else ""
        dash = ' stroke-dasharray="3 2"' if dashed else ""
        self._above.append(
            f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius:g}" fill="{fill}"{line}{dash}/>'
        )

    def chip(self, x: float, y: float, verdict: str) -> None:
        """A decision: coloured, with its symbol and word; 84 × 24 pixels from the top left."""
        fill, ink, word, mark = _CHIPS[verdict]
        edge = f' stroke="{Ink.LINE}"' if verdict == "next" else ""
        symbol = (
            f'<path d="{mark}" transform="translate({x + 16:.1f} {y + 12:.1f})" fill="none" '
            f'stroke="{ink}" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/>'
            if mark
            else f'<text x="{x + 16:.0f}" y="{y + 17:.0f}" font-size="15" font-weight="700" '
            f'fill="{ink}" text-anchor="middle">?</text>'
        )
        self._above.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="84" height="24" rx="12" fill="{fill}"{edge}/>'
            f"{symbol}"
            f'<text x="{x + 29:.0f}" y="{y + 16.5:.1f}" font-size="12" font-weight="700" '
            f'fill="{ink}">{word}</text>'
        )

    def tag(self, x: float, y: float, text: str) -> float:
        """A small grey label with its top left corner at x, y; returns its width."""
        shown = fit(text, 12, 140, MONO)
        width = width_of(shown, 12, MONO) + 16
        self._above.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="20" rx="5" fill="#edf1f5"/>'
        )
        self.text(x + 8, y + 14, shown, 12, family=MONO)
        return width

    def rule(self, left: float, right: float) -> None:
        """A thin line across at the current height."""
        self.under(f'<path d="M{left} {self.y:.0f}H{right}" stroke="#e8ecf1"/>')

    def document(self, title: str, description: str) -> str:
        """The whole SVG text."""
        height = round(self.y + 14)
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {height}" '
                f'width="{self.width}" height="{height}" role="img" aria-labelledby="t d">',
                f'<title id="t">{escape(clean(title))}</title>',
                f'<desc id="d">{escape(clean(description))}</desc>',
                f"<style>text{{font-family:{_FONTS[SANS]}}}.m{{font-family:{_FONTS[MONO]}}}</style>",
                f'<rect width="100%" height="100%" fill="{Ink.PAGE}"/>',
                *reversed(self._below),
                *self._above,
                "</svg>\n",
            ]
        )
