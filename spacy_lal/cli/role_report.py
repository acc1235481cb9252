"""The report of `lal check` on semantic roles, as text."""

from typing import TYPE_CHECKING, Iterator

from spacy_lal.cli.tables import table_lines

if TYPE_CHECKING:
    from spacy_lal.treebanks.role_report import RoleReport


def role_lines(report: "RoleReport", top: int) -> Iterator[str]:
    """The report as lines.

    top (int): Rows of each table, 0 for all.
    """
    yield f"Roles: {report.path}"
    yield ""
    for name, count in [
        ("sentences with roles", report.sentences),
        ("  without a predicate", report.without_predicate),
        ("predicates", report.predicates),
        ("  auxiliaries and modals", report.auxiliaries),
        ("  without arguments", report.without_arguments),
        ("  of several words", report.wide_predicates),
        ("arguments", report.arguments),
        ("  parts (C-)", report.continuations),
        ("  references (R-)", report.references),
        ("  adjacent, of one role", report.adjacent),
    ]:
        yield f"{name:<28}{count:>12,}"
    if report.on_constituents_share is not None:
        yield f"{'  that are constituents':<28}{report.on_constituents_share:>12.2%}"
        yield f"{'  misaligned':<28}{report.compared_with_trees - report.on_constituents:>12,}"
        for argument in report.misaligned:
            yield f"    {argument}"
    if report.on_subtrees_share is not None:
        yield f"{'  that are subtrees':<28}{report.on_subtrees_share:>12.2%}"
    for title, counter in (("roles", report.roles), ("rolesets", report.rolesets)):
        if counter:
            yield from table_lines(title, counter, top)
