"""`lal app`: an interactive page in the browser, `examples/app/page.py`, served by
Streamlit."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from spacy_lal.cli import io
from spacy_lal.cli.io import ModelOption, fail
from spacy_lal.lang import DEFAULT_PIPELINE

# Backgrounds, as in pages of `explain`; of fields.
LIGHT = "#ffffff"
DARK = "#16181d"
DARK_FIELD = "#24272e"
_INSTALLED = Path(sys.prefix) / "share" / "spacy_lal" / "page.py"
PAGE = (
    _INSTALLED
    if _INSTALLED.is_file()
    else Path(__file__).parents[2] / "examples" / "app" / "page.py"
)


def app_cli(
    model: ModelOption = None,
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="Port of the page")
    ] = 8501,
    host: Annotated[
        str,
        typer.Option(help="Address to serve at; 0.0.0.0 lets other machines in"),
    ] = "localhost",
    headless: Annotated[
        bool, typer.Option("--headless", help="Don't open a browser")
    ] = False,
) -> None:
    """Play with a pipeline in the browser.

    Type a text, click a constituent, see its heads, alternatives and margin. Runs until
    Ctrl-C. The page is served to this machine only, unless --host names another
    address. No usage data are sent."""
    from spacy.util import is_package

    model = model or DEFAULT_PIPELINE
    if find_spec("streamlit") is None:
        fail("the page needs Streamlit: pip install 'spacy-lal[app]'")
    if not (is_package(model) or Path(model).exists()):
        fail(
            f"can't find the pipeline {model!r}: expected a path or an installed "
            f"package.{io.how_to_install(model)}"
        )
    options = {
        "server.port": port,
        "server.address": host,
        "server.headless": str(headless).lower(),
        "server.showEmailPrompt": "false",
        # The watcher would walk through all modules of torch.
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "viewer",
        "theme.light.backgroundColor": LIGHT,
        "theme.dark.backgroundColor": DARK,
        "theme.dark.secondaryBackgroundColor": DARK_FIELD,
    }
    settings = [f"--{name}={value}" for name, value in options.items()]
    command = ["streamlit", "run", str(PAGE), *settings, "--", model]
    # The server takes this process's place, and gets its signals.
    os.execv(sys.executable, [sys.executable, "-m", *command])
