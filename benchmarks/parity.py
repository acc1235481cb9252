"""Is our parser the reference's? Compares it with golden vectors of the reference,
stage by stage.

    python benchmarks/parity.py DIR

DIR holds sets (NAME.npz + NAME.json) of the parser, of Kitaev & Klein's parser, of
SSAN, or of semantic roles; the json tells the kind. Each network is rebuilt from its
weights by `spacy_lal.checkpoint`; every sentence is run alone and in one batch with all
others (which must give the same), and for the LAL parser in that batch with the
reference's scrambled label queries. One line for each set and stage: the largest error
(for trees, heads, deprels and ids: whether one differs), the tolerance, the verdict.
Exit code 1 where one is out of tolerance, where a set has a setting that the library
cannot follow, or where it could not be read. Sets of decoders are compared by
`tests/decode/test_decoder_vectors.py`."""

import argparse
import sys
from pathlib import Path
from typing import List, Optional, Tuple

import torch
from parity.encoder_compare import compare_encoder
from parity.encoder_sets import is_kitaev_klein, read_encoder_set
from parity.network import compare_network
from parity.role_sets import kind_of
from parity.roles import compare_role_set
from parity.settings import check_settings
from parity.ssan import compare_ssan
from parity.ssan_sets import is_ssan, read_ssan_set
from parity.stages import Row
from parity.vectors import find_sets, read_json, read_network_set


def check_set(folder: Path, name: str) -> bool:
    """Compare one set and print its lines. RETURNS: Whether all is well."""
    try:
        rows, notes = compare_set(folder, name)
    except Exception as error:  # the other sets are still compared
        reason = f"{type(error).__name__}: {error}"
        print(f"{name:<24} {'-':<36} {'-':>9} {'-':>9}  FAIL: {reason}")
        return False
    all_ok = bool(rows)
    for stage, error, tolerance in rows:
        ok = error <= tolerance  # an error that is no number is not
        all_ok = all_ok and ok
        verdict = "ok" if ok else "FAIL"
        print(f"{name:<24} {stage:<36} {error:9.2e} {tolerance:9.1e}  {verdict}")
    for note in notes:
        print(f"{name:<24} {note}")
    if not rows:
        print(f"{name:<24} FAIL: nothing to compare")
    return all_ok


def compare_set(folder: Path, name: str) -> Tuple[List[Row], List[str]]:
    """Compare one set, whose json tells its kind. RETURNS: The rows, and what was left
    out, in words."""
    info = read_json(folder, name)
    check_settings(info)
    if kind_of(info):
        return compare_role_set(folder, name, kind_of(info)), []
    if is_ssan(info):
        return compare_ssan(read_ssan_set(folder, name)), []
    if is_kitaev_klein(info):
        return compare_encoder(read_encoder_set(folder, name)), []
    return compare_network(read_network_set(folder, name))


def main(arguments: Optional[List[str]] = None) -> int:
    """Compare all sets of a folder. RETURNS: The exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder with golden vectors")
    folder = parser.parse_args(arguments).folder
    torch.manual_seed(0)
    sets = find_sets(folder)
    if not sets:
        print(f"FAIL: no vectors in {folder}")
        return 1
    print(f"{'set':<24} {'stage':<36} {'error':>9} {'tolerance':>9}  verdict")
    verdicts = [check_set(folder, name) for name in sets]
    print(
        f"{sum(verdicts)} of {len(verdicts)} sets equal the reference within tolerance"
    )
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
