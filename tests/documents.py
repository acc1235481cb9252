"""Pages of documentation as programs: their Python blocks and commands in order, run in
this process, and what the pages say that they print."""

import contextlib
import io
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
    r"^(?:[A-Z_]+=\S+ )*(python|lal|make|pip|cat|mkdir|git|cd|uvicorn|curl|spacy) "
)
# What says in the code itself what is printed: `print(x)  # its value`.
SAID = re.compile(r"print\(.*\)  # |^\s*\)  # ", re.MULTILINE)
DECIMAL = re.compile(r"-?\d+\.\d+")
CLOSE = 0.11  # decimals that another processor may print


class Block(NamedTuple):
    language: str  # "python", or "command"
    code: str  # of commands one line
    shown: str = ""  # the output that a page has below Python


def blocks(path: Path) -> List[Block]:
    """The Python blocks of a page and the lines of its command blocks, in order. Output
    and configs are left out."""
    found: List[Block] = []
    page = path.read_text(encoding="utf8")
    end_of_python = None
    for fence in FENCE.finditer(page):
        language, code = fence.groups()
        is_command = bool(COMMAND.match(code))
        is_next = (
            end_of_python is not None
            and not page[end_of_python : fence.start()].strip()
        )
        if is_next and language in ("", "text") and not is_command:
            found[-1] = found[-1]._replace(shown=code)
        end_of_python = fence.end() if language == "python" else None
        if language == "python":
            found.append(Block(language, code))
        elif language in ("", "console", "bash") and is_command:
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
    """Run a line of `cat`, `mkdir`, `lal` and `python -m spacy` in the current folder;
    an error is an AssertionError.

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
            if words[:3] == ["python", "-m", "spacy"]:
                words = words[3:]
            elif words[0] != "lal":
                raise AssertionError(f"no program to run here: {' '.join(words)}")
            result = CliRunner().invoke(
                app, [*words, *more], input=data, prog_name="python -m spacy"
            )
            # grep's 1: no match
            accepted = (0, 1) if words[:2] == ["lal", "search"] else (0,)
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


def printed_by(code: str, path: Path, names: Dict[str, Any]) -> str:
    """Run a block, and give what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        run_python(code, path, names)
    return printed.getvalue()


def says_the_same(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed: `...` in a line is any text, a line of
    `...` any lines, and decimals may differ a little."""
    parts = [re.escape(part) for part in DECIMAL.sub("0.0", shown).split("...")]
    text = ".*?".join(parts)
    if not re.fullmatch(text, DECIMAL.sub("0.0", printed), re.DOTALL):
        return False
    if "..." in shown:
        return True
    pairs = zip(DECIMAL.findall(shown), DECIMAL.findall(printed), strict=True)
    return all(abs(float(one) - float(other)) <= CLOSE for one, other in pairs)
