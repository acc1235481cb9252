"""A hook of MkDocs: links that leave docs/, and those to notebooks, lead to the
repository on the site."""

import posixpath
import re
from typing import Any

LINK = re.compile(r"(\]\()(?!https?:|#)([^)#\s]+)((?:#[^)\s]*)?\))")


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """The Markdown of a page with absolute links to files that the site does not
    have."""
    folder = posixpath.join("docs", posixpath.dirname(page.file.src_uri))

    def absolute(found: "re.Match[str]") -> str:
        path = posixpath.normpath(posixpath.join(folder, found[2]))
        if path.startswith("docs/") and not path.endswith(".ipynb"):
            return found[0]
        return f"{found[1]}{config['repo_url']}/blob/main/{path}{found[3]}"

    return LINK.sub(absolute, markdown)
