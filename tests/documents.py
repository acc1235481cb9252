"""Pages of documentation as programs: their Python blocks and commands in order, run in
this process."""

import re
import shlex
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from spacy.cli._util import app
from spacy.util import registry
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```([\w-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(
    r"^(?:[A-Z_]+=\S+ )*(python|make|pip|cat|mkdir|git|cd|uvicorn|curl|spacy) "
)


class Block(NamedTuple):
    language: str  # "python", or "command"
    code: str  # of commands one line


def blocks(path: Path) -> List[Block]:
    """The Python blocks of a page and the lines of its command blocks, in order. Output
    and configs are left out."""
    found: List[Block] = []
    for language, code in FENCE.findall(path.read_text(encoding="utf8")):
        if language == "python":
            found.append(Block(language, code))
        elif language in ("", "console", "bash") and COMMAND.match(code):
            lines = re.sub(r"\s*\\\n\s*", " ", code).splitlines()
            found += [
                Block("command", line)
                for line in lines
                if line.strip() and not line.startswith(" ")
            ]
    return found


def split_command(line: str) -> Tuple[List[List[str]], str]:
    """The programs of a pipe, and the file that `>` names, or nothing."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>")
    lexer.whitespace_split, lexer.commenters = True, "#"
    stages: List[List[str]] = [[]]
    output, words = "", iter(list(lexer))
    for word in words:
        if word == "|":
            stages.append([])
        elif word == ">":
            output = next(words)
        elif not re.fullmatch(r"[A-Z_]+=\S*", word) or stages[-1]:
            stages[-1].append(word)
    return stages, output


def run_command(line: str, more: Sequence[str] = ()) -> bytes:
    """Run a line of `cat`, `mkdir` and `python -m spacy ...` in the current folder; an
    error is an AssertionError.

    line (str): The line.
    more (Sequence[str]): Arguments that follow the line's own.
    RETURNS (bytes): The output of its last program.
    """
    registry.cli.get_all()
    stages, output = split_command(line)
    data = b""
    for words in stages:
        if words[0] == "cat":
            data = b"".join(Path(name).read_bytes() for name in words[1:])
        elif words[0] == "mkdir":
            Path(words[-1]).mkdir(parents=True, exist_ok=True)
        else:
            if words[:3] != ["python", "-m", "spacy"]:
                raise AssertionError(f"no program to run here: {' '.join(words)}")
            result = CliRunner().invoke(
                app, [*words[3:], *more], input=data, prog_name="python -m spacy"
            )
            accepted = (
                (0, 1) if words[3:5] == ["lal", "search"] else (0,)
            )  # grep's 1: no match
            assert result.exit_code in accepted, (
                f"{line}\n{result.output[-3000:]}\n{result.exception!r}"
            )
            data = result.stdout_bytes
    if output:
        Path(output).write_bytes(data)
    return data


def run_python(code: str, path: Path, names: Dict[str, Any]) -> None:
    """Run a block in the namespace of its page."""
    exec(compile(code, str(path), "exec"), names)
