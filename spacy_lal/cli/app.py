"""`python -m spacy lal app`: an interactive page in the browser."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, List, Optional

import typer

from spacy_lal.cli.child_processes import ChildProcesses
from spacy_lal.cli.options import ModelOption, model_and_words
from spacy_lal.cli.streams import fail

LIGHT, DARK, DARK_FIELD = "#ffffff", "#16181d", "#24272e"  # backgrounds, as in pages of `explain`; of fields
_INSTALLED = Path(sys.prefix) / "share" / "spacy_lal" / "page.py"
PAGE = _INSTALLED if _INSTALLED.is_file() else Path(__file__).parents[2] / "examples" / "app" / "page.py"


def app_cli(
    words: Annotated[
        Optional[List[str]],
        typer.Argument(hidden=True, help="The pipeline: the former form of --model"),
    ] = None,
    model: ModelOption = None,
    port: Annotated[int, typer.Option("--port", "-p", min=1, max=65535, help="Port of the page")] = 8501,
    host: Annotated[
        str, typer.Option("--host", help="Address to serve at; 0.0.0.0 lets other machines in")
    ] = "localhost",
    headless: Annotated[bool, typer.Option("--headless", help="Don't open a browser")] = False,
) -> None:
    """Play with a pipeline in the browser: type a text, click a constituent, see its heads, alternatives and margin.

    Runs until Ctrl-C. The page is served to this machine only, unless --host names another address. No usage data are
    sent.
    """
    from spacy.util import is_package

    model, _ = model_and_words(model, words)
    if find_spec("streamlit") is None:
        fail("the page needs Streamlit: pip install 'spacy-lal[app]'")
    if not (is_package(model) or Path(model).exists()):
        fail(f"can't find the pipeline {model!r}: expected a path or an installed package")
    code = run_until_stopped(app_command(model, port=port, host=host, headless=headless))
    raise typer.Exit(code)


def app_command(model: str, *, port: int, host: str, headless: bool) -> List[str]:
    """The command that serves the page."""
    options = {
        "server.port": port,
        "server.address": host,
        "server.headless": str(headless).lower(),
        "server.showEmailPrompt": "false",
        "server.fileWatcherType": "none",  # the watcher would walk through all modules of torch
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "viewer",
        "theme.light.backgroundColor": LIGHT,
        "theme.dark.backgroundColor": DARK,
        "theme.dark.secondaryBackgroundColor": DARK_FIELD,
    }
    given = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    return [sys.executable, "-m", "streamlit", "run", str(PAGE), *given, "--", model]


def run_until_stopped(command: List[str]) -> int:
    """Run a server and forward this process's signals to it.

    RETURNS (int): Its exit code.
    """
    server = ChildProcesses()
    with server.handed_on():
        return server.run(command)
