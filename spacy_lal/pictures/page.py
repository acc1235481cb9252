"""A self-contained HTML page: no script, font or picture from elsewhere, dark or light by the reader's setting, fit to
print. Its markup is also well-formed XML."""

from typing import Iterable, NamedTuple, Sequence

from .markup import escape, fold

# Nothing is fetched and no script runs, even if unescaped markup gets in.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_LIGHT = "--lal-canvas: #ffffff; --lal-ink: #1a1a1a; --lal-soft: #5c5c5c"
_DARK = "--lal-canvas: #16181d; --lal-ink: #e8e8e8; --lal-soft: #a5a8b0"
_COLORS = {
    "auto": f":root {{ color-scheme: light dark; {_LIGHT} }} "
    f"@media (prefers-color-scheme: dark) {{ :root {{ {_DARK} }} }}",
    "light": f":root {{ color-scheme: light; {_LIGHT} }}",
    "dark": f":root {{ color-scheme: dark; {_DARK} }}",
}
_STYLE = """
body { background: var(--lal-canvas); color: var(--lal-ink); margin: 0 auto; padding: 2rem clamp(1rem, 4vw, 2rem);
  max-width: 90rem; font: 16px/1.5 -apple-system, "Segoe UI", Helvetica, Arial, sans-serif }
h1 { font-size: 1.1rem; color: var(--lal-soft); font-weight: normal; margin: 0 0 .4rem }
section { margin: 0 0 2.5rem; border-top: 1px solid #8886; padding-top: 1rem }
h2 { font-size: 1.35rem; line-height: 1.35; margin: 0 0 1rem; overflow-wrap: anywhere }
summary { cursor: pointer; padding: .3rem 0 }
section > details > summary { font-weight: bold }
p { color: var(--lal-soft) }
.lal-intro { max-width: 46rem }
@media print {
  :root { --lal-canvas: #ffffff; --lal-ink: #000000; --lal-soft: #444444 }
  body { padding: 0; max-width: none }
  details::details-content { content-visibility: visible; block-size: auto }
  .lal-scroll { overflow: visible !important }
  .lal-scroll > svg { max-width: 100% !important; height: auto !important }
}
"""


class Picture(NamedTuple):
    """One fold of a section: its heading (plain text), its markup, and whether it is open at first."""

    heading: str
    markup: str
    is_open: bool = True


class Section(NamedTuple):
    """One part of a page: its heading (plain text), and its pictures."""

    heading: str
    pictures: Sequence[Picture]


def page(title: str, sections: Iterable[Section], *, intro: str = "", **options: str) -> str:
    """An HTML page of sections.

    title, intro (str): Its title, and a description, in English; plain text. options (str): As for `html_page`.
    """
    body = [f'<p class="lal-intro" lang="en" dir="ltr">{escape(intro)}</p>'] if intro else []
    for section in sections:
        folds = "\n".join(
            fold(escape(one.heading), f"<div>{one.markup}</div>", one.is_open) for one in section.pictures
        )
        body.append(f'<section>\n<h2 dir="auto">{escape(section.heading)}</h2>\n{folds}\n</section>')
    return html_page(title, "\n".join(body), **options)


def html_page(
    title: str, body: str, *, note: str = "", lang: str = "en", direction: str = "ltr", theme: str = "auto"
) -> str:
    """An HTML page around markup.

    title, note (str): Its title, and its first line (default: the title); plain text.
    lang, direction (str): As in spaCy's vocabularies. theme (str): "light", "dark", or "auto": as the reader's system.
    """
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(lang)}" dir="{escape(direction)}">\n<head>\n<meta charset="utf-8" />\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}" />\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1" />\n'
        f"<title>{escape(title)}</title>\n<style>\n{_COLORS[theme]}{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(note or title)}</h1>\n{body}\n</body>\n</html>\n"
    )
