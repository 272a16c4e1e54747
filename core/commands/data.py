"""The command `data`: list corpora and fetch them."""

from __future__ import annotations

import argparse

from core.commands.flags import check_minimum
from core.commands.terminal.quiet import import_tensorflow_quietly, print_stderr
from core.corpora.catalogue import CORPORA, find_corpus
from core.corpora.corpus import data_folder


def data(options: argparse.Namespace) -> int:
    """List the corpora, or fetch one and print some of its pairs; return the exit code."""
    check_minimum(options, show=0)
    if options.corpus is None:
        print(f"Data folder: {data_folder()}")
        width = max(map(len, CORPORA))
        for corpus in CORPORA.values():
            print(f"{'here' if corpus.is_available else '-':<5} {corpus.name:<{width}} {corpus.title}")
        return 0

    corpus = find_corpus(options.corpus)
    if not corpus.is_available:
        print_stderr(f"Fetching {corpus.title}. {corpus.licence}.")
        import_tensorflow_quietly()
    shown = 0
    for number, pair in enumerate(corpus.read(options.split), start=1):
        if number <= options.show:
            print(f"{pair.source}\t{pair.target}")
        shown = number
    print_stderr(f"{shown:,} pairs in the {options.split} split of {corpus.title}. {corpus.licence}.")
    return 0
