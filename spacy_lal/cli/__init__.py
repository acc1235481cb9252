"""`python -m spacy lal ...`: one Typer group, one module per command. spaCy loads this module for each of its own
commands, so commands import heavy libraries only when they run."""

from typing import Any, Callable, Optional

import typer
from spacy.cli._util import app as spacy_app

from spacy_lal.cli.app import app_cli
from spacy_lal.cli.average import average_cli
from spacy_lal.cli.compact import compact_cli
from spacy_lal.cli.complete import complete_cli
from spacy_lal.cli.evalb import evalb_cli
from spacy_lal.cli.evaluate import evaluate_cli
from spacy_lal.cli.explain import explain_cli
from spacy_lal.cli.explain_label import explain_label_cli
from spacy_lal.cli.heads import heads_cli
from spacy_lal.cli.import_official import import_official_cli
from spacy_lal.cli.options import PlainUsage
from spacy_lal.cli.parse import parse_cli
from spacy_lal.cli.roles import roles_cli
from spacy_lal.cli.search import search_cli
from spacy_lal.cli.srl_eval import srl_eval_cli
from spacy_lal.cli.streams import ends_in_order
from spacy_lal.cli.train import train_cli
from spacy_lal.cli.treebank import check_cli, convert_cli


class _Commands(typer.Typer):
    """Commands with plain usage lines."""

    def command(self, name: Optional[str] = None, **settings: Any) -> Callable[[Any], Any]:  # type: ignore[override]
        return super().command(name, **{"cls": PlainUsage, **settings})


lal_cli = _Commands(name="lal", help="Train, score, import and use Label Attention Layer parsers", no_args_is_help=True)
lal_cli.command("train", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(
    ends_in_order(train_cli)
)
lal_cli.command("parse")(ends_in_order(parse_cli))
lal_cli.command("explain")(ends_in_order(explain_cli))
lal_cli.command("explain-label")(ends_in_order(explain_label_cli))
lal_cli.command("roles")(ends_in_order(roles_cli))
lal_cli.command("search")(ends_in_order(search_cli))
lal_cli.command("app")(app_cli)
lal_cli.command("label-heads")(ends_in_order(heads_cli))
lal_cli.command("heads", hidden=True)(ends_in_order(heads_cli))  # its former name
lal_cli.command("evaluate")(ends_in_order(evaluate_cli))
lal_cli.command("evalb")(ends_in_order(evalb_cli))
lal_cli.command("srl-eval")(ends_in_order(srl_eval_cli))
lal_cli.command("check")(ends_in_order(check_cli))
lal_cli.command("convert")(ends_in_order(convert_cli))
lal_cli.command("complete")(ends_in_order(complete_cli))
lal_cli.command("import-official")(ends_in_order(import_official_cli))
lal_cli.command("average")(ends_in_order(average_cli))
lal_cli.command("compact")(ends_in_order(compact_cli))
spacy_app.add_typer(lal_cli)

__all__ = ["lal_cli"]
