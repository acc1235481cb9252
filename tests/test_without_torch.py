"""What parses needs no torch: see `without_torch.py`."""

import subprocess
import sys
from pathlib import Path


def test_everything_of_parsing_works_where_torch_is_refused():
    program = Path(__file__).with_name("without_torch.py")
    done = subprocess.run(
        [sys.executable, str(program), "--refuse"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("without torch: parse, roles")
