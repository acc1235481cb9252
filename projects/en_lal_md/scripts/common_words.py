"""The most frequent words of a language, in lower case and capitalised, a line each: cut_e5.py keeps their pieces.

    python -m pip install wordfreq==3.1.1
    python scripts/common_words.py is ../../assets/sources/words_is.txt

The words stand in no package: they only decide which pieces a tokenizer knows.
"""

import argparse
from pathlib import Path


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", help="ISO code, as wordfreq has it")
    parser.add_argument("output", type=Path)
    parser.add_argument("--most", type=int, default=100_000, help="of words")
    args = parser.parse_args()
    from wordfreq import top_n_list

    words = top_n_list(args.language, args.most)
    args.output.write_text("".join(f"{word}\n" for word in [*words, *map(str.capitalize, words)]), encoding="utf8")
    print(f"{args.output}: {len(words)} words")


if __name__ == "__main__":
    main()
