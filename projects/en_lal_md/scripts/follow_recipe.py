"""Make a pipeline in many steps: trainings that go on from others, means of weights, parses of text to learn from.

    python scripts/follow_recipe.py recipes/pedigree.yml training/pedigree --set text=../../assets/text

Run it in the project's folder: the paths in a recipe are relative to it.

RECIPE is a YAML file. `files` gives names to files and folders that are there already, `steps` is a list of

    - {train: NAME, from: NAME, read: [NAME, ...], trees: [NAME, ...], seed: 1, steps: 1000}
    - {mean: NAME, of: [NAME, ...]}
    - {parse: NAME, text: NAME, by: [NAME, ...]}

where NAME is an earlier step or one of `files`. `files` must have `dev`, on which trainings are evaluated. A training
without `from` starts from the encoder's own weights and needs --set encoder=NAME. Its other keys:

    schedule    steps of the learning rate; default: the steps of the training
    rate        the highest learning rate
    warmup      steps of warm-up
    rough       shares of texts in lower case, in upper case, without final punctuation, without any punctuation
    teachers    pipelines that give scores of parsed text to learn
    weight      the weight of the teachers' loss
    options     other values of the config, by dotted name

The pipelines of `by` parse together. --set gives a value for {name} in a path.

Each step prints its command and writes OUTPUT/NAME. Finished steps are skipped, and an interrupted training continues
from its checkpoint. --only runs some steps, --jobs several side by side, --list none.
"""

import argparse
import hashlib
import shlex
import subprocess
import sys
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set

import srsly
from treebank import SourceError, run

from spacy_lal.files import write_file

CODE = "scripts/functions.py"
CONFIG, BRANCH_CONFIG = "../../configs/lal_trf.cfg", "configs/lal_trf_branch.cfg"  # from the project's folder
KEYS = {  # of each kind of step, by whether a step must have them
    "train": {
        "read": True, "seed": True, "steps": True, "trees": False, "from": False,
        "schedule": False, "rate": False, "warmup": False, "rough": False, "teachers": False, "weight": False,
        "options": False,
    },
    "mean": {"of": True},
    "parse": {"text": True, "by": True},
}  # fmt: skip
LISTS = ("read", "trees", "of", "by", "teachers")  # keys whose values are lists of names
NAMES = (*LISTS, "from", "text")
ROUGH = ("lower_case", "upper_case", "no_final_punct", "no_punct")


class Step(NamedTuple):
    """A step as it is run.

    name (str): Its name in the recipe. command (List[str]): The command line. before (List[str]): The steps it needs.
    written (Path): The output, `OUTPUT/NAME` or `OUTPUT/NAME.spacy`. made (str): A checksum of this command and the
        commands before it; a finished step keeps it beside the output.
    """

    name: str
    command: List[str]
    before: List[str]
    written: Path
    made: str

    @property
    def done(self) -> bool:
        """Whether the step is finished.

        RAISES (SourceError): It was finished with another command or recipe.
        """
        marker = self.marker
        if not marker.exists():
            return False
        if marker.read_text(encoding="utf8").split("\n")[0] != self.made:
            found = f"remove {marker.with_suffix('')}* to make it anew"
            reason = f"expected what this recipe makes, found what other steps or settings made; {found}"
            raise SourceError(marker, 1, reason)
        return True

    @property
    def marker(self) -> Path:
        """The file that tells that the step is done."""
        return self.written.parent / f"{self.name}.done"

    def run(self) -> None:
        """Run the command.

        RAISES (CalledProcessError): It failed.
        """
        print(f"{self.name}: {shlex.join(self.command)}", flush=True)
        subprocess.run([sys.executable, *self.command[1:]], check=True)
        write_file(self.marker, f"{self.made}\n{shlex.join(self.command)}\n")


class Recipe:
    """The steps of a recipe, in order.

    path (Path): Its file. output (Path): Where the steps write. settings (Dict[str, str]): The values of --set.
    n_steps (int): Steps of each training, for a trial. 0: as in the recipe.
    RAISES (SourceError): The file is missing or is no recipe.
    """

    def __init__(self, path: Path, output: Path, settings: Dict[str, str], n_steps: int = 0) -> None:
        self.path, self.output, self.settings, self.n_steps = path, output, settings, n_steps
        try:
            data = srsly.read_yaml(path)
        except ValueError as error:
            raise self._wrong("the file", f"expected YAML or JSON ({error})") from error
        if not isinstance(data, dict) or set(data) != {"files", "steps"}:
            raise self._wrong("the file", "expected `files` and `steps`, and nothing else")
        self._results: Dict[str, str] = {str(name): self._fill(where) for name, where in data["files"].items()}
        if "dev" not in self._results:
            raise self._wrong("`files`", "expected `dev`, the treebanks by which trainings are evaluated")
        self.steps: Dict[str, Step] = {}
        for entry in data["steps"]:
            step = self._step(entry)
            self.steps[step.name] = step

    def _wrong(self, what: str, reason: str) -> SourceError:
        return SourceError(self.path, 0, f"{what}: {reason}")

    def _fill(self, where: str) -> str:
        try:
            return str(where).format(**self.settings)
        except KeyError as error:
            raise self._wrong(f"{where!r}", f"expected --set {error.args[0]}=...") from error

    def _step(self, entry: Dict[str, Any]) -> Step:
        kinds = [kind for kind in KEYS if kind in entry] if isinstance(entry, dict) else []
        if len(kinds) != 1:
            raise self._wrong(f"step {entry!r}", f"expected one of {', '.join(KEYS)}")
        kind, name = kinds[0], str(entry[kinds[0]])
        values = {key: value for key, value in entry.items() if key != kind}
        for key, needed in KEYS[kind].items():
            if needed and key not in values:
                raise self._wrong(f"step {name!r}", f"expected {key!r}")
        if unknown := set(values) - set(KEYS[kind]):
            raise self._wrong(f"step {name!r}", f"expected keys of {', '.join(KEYS[kind])}, got {min(unknown)!r}")
        if name in self._results or "/" in name:
            raise self._wrong(f"step {name!r}", "expected a name that nothing else has, without a slash")
        if len(values.get("rough", ROUGH)) != len(ROUGH):
            raise self._wrong(f"step {name!r}", f"expected shares of {', '.join(ROUGH)}, got {values['rough']!r}")
        before: List[str] = []
        for key in (key for key in NAMES if key in values):
            names = values[key] if key in LISTS else [values[key]]
            if not isinstance(names, list) or not names:
                raise self._wrong(f"step {name!r}", f"expected a list of names as {key!r}, got {names!r}")
            if missing := [one for one in names if str(one) not in self._results]:
                raise self._wrong(f"step {name!r}", f"{key!r}: expected a step before it or a file, got {missing[0]!r}")
            before += [str(one) for one in names if str(one) in self.steps]
            found = [self._results[str(one)] for one in names]
            values[key] = found if key in LISTS else found[0]
        written = self.output / (f"{name}.spacy" if kind == "parse" else name)
        command = getattr(self, f"_{kind}")(written, **{"base" if k == "from" else k: v for k, v in values.items()})
        self._results[name] = str(written / "model-last" if kind == "train" else written)
        made = [*command, *(self.steps[one].made for one in before)]
        return Step(name, command, before, written, hashlib.sha256("\n".join(made).encode("utf8")).hexdigest())

    def _train(self, written: Path, read: List[str], seed: int, steps: int, **values: Any) -> List[str]:
        base = values.get("base")
        command = [*_lal("train", BRANCH_CONFIG if base else CONFIG), "--output", str(written)]
        command += ["--gpu-id", self.settings.get("gpu_id", "-1"), *(["--code", CODE] if base else [])]
        total = values.get("schedule", steps)
        if self.n_steps:
            steps = total = self.n_steps
        options: Dict[str, Any] = {
            "paths.train": srsly.json_dumps(read),
            "paths.dev": self._results["dev"],
            "system.seed": seed,
        }
        if values.get("trees"):
            options["paths.trees_only"] = srsly.json_dumps(values["trees"])
        if base:
            options["paths.base"] = base
        else:
            options["components.transformer.model.name"] = self._fill("{encoder}")
        options["training.max_steps"] = options["training.eval_frequency"] = steps
        options["training.optimizer.learn_rate.total_steps"] = total
        for key, option in (("rate", "initial_rate"), ("warmup", "warmup_steps")):
            if key in values:
                options[f"training.optimizer.learn_rate.{option}"] = values[key]
        for key, share in zip(ROUGH, values["rough"], strict=True) if "rough" in values else ():
            options[f"corpora.train.augmenter.{key}"] = share
        if values.get("teachers"):
            options["training.before_update.pipelines"] = srsly.json_dumps(values["teachers"])
            options["training.before_update.weight"] = values.get("weight", 1.0)
        options.update(values.get("options", {}))
        return [*command, *(word for key, value in options.items() for word in (f"--{key}", str(value)))]

    def _mean(self, written: Path, of: List[str]) -> List[str]:
        return ["python", str(Path(__file__).with_name("average.py")), *of, "--output", str(written)]

    def _parse(self, written: Path, text: str, by: List[str]) -> List[str]:
        if len(by) > 1:
            return ["python", str(Path(__file__).with_name("parse_together.py")), text, str(written), *by]
        gpu_id = self.settings.get("gpu_id", "-1")
        return [
            *_lal("parse", text, "--model", by[0]),
            "--format",
            "docbin",
            "--output",
            str(written),
            "--gpu-id",
            gpu_id,
        ]


def _lal(*words: str) -> List[str]:
    return ["python", "-m", "spacy", "lal", *words]


def follow(steps: Sequence[Step], n_jobs: int) -> None:
    """Run the unfinished steps in the order of their needs.

    n_jobs (int): Steps side by side. After a failure no step is started.
    RAISES (CalledProcessError): A step failed. (SourceError): A step was finished with another command.
    """
    named = {step.name: step for step in steps}
    order = TopologicalSorter({step.name: [one for one in step.before if one in named] for step in steps})
    order.prepare()
    running: Dict[Future[None], str] = {}
    with ThreadPoolExecutor(n_jobs) as pool:
        while order.is_active():
            for name in order.get_ready():
                if named[name].done:
                    print(f"{name}: done", flush=True)
                    order.done(name)
                else:
                    running[pool.submit(named[name].run)] = name
            finished, _ = wait(running, return_when=FIRST_COMPLETED) if running else (set(), set())
            for future in finished:
                name = running.pop(future)
                try:
                    future.result()
                except BaseException:
                    pool.shutdown(cancel_futures=True)
                    raise
                order.done(name)


def setting(argument: str) -> Sequence[str]:
    """Name and value of NAME=VALUE.

    RAISES (ArgumentTypeError): It is none.
    """
    name, sign, value = argument.partition("=")
    if not name or not sign:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {argument!r}")
    return name, value


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Read the command line, and run the steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", type=Path, help="YAML file of steps")
    parser.add_argument("output", type=Path, help="folder that the steps write to")
    parser.add_argument(
        "--set", type=setting, nargs="+", default=[], help="NAME=VALUE for {NAME} in paths", dest="settings"
    )
    parser.add_argument("--jobs", type=int, default=1, help="how many steps side by side")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="steps to do; those that they need are done already")
    parser.add_argument(
        "--n-steps", type=int, default=0, help="of each training, whatever the recipe says: for a trial"
    )
    parser.add_argument("--list", action="store_true", help="print the commands, and run none")
    args = parser.parse_args(arguments)
    recipe = Recipe(args.recipe, args.output, dict(args.settings), args.n_steps)
    wanted: Set[str] = set(args.only or recipe.steps)
    if unknown := wanted - set(recipe.steps):
        parser.error(f"--only: expected steps of {args.recipe}, got {min(unknown)!r}")
    steps = [step for step in recipe.steps.values() if step.name in wanted]
    if args.list:
        print("\n".join(f"{step.name}: {shlex.join(step.command)}" for step in steps))
        return
    args.output.mkdir(parents=True, exist_ok=True)
    try:
        follow(steps, args.jobs)
    except subprocess.CalledProcessError as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {shlex.join(error.cmd)} failed with exit code {error.returncode}")


if __name__ == "__main__":
    run(main)
