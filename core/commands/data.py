"""The command `data`: list corpora and fetch them."""

import argparse

from core.commands.flags import check_minimum
from core.commands.pairs import read_corpus
from core.commands.terminal.quiet import print_stderr
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
    split = options.split or corpus.splits[0]
    shown = 0
    for number, pair in enumerate(read_corpus(corpus, split), start=1):
        if number <= options.show:
            print(f"{pair.source}\t{pair.target}")
        shown = number
    print_stderr(f"{shown:,} pairs in the {split} split of {corpus.title}. {corpus.licence}.")
    return 0
