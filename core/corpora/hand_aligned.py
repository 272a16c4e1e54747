"""Sentence pairs whose words were aligned by hand, to measure attention by.

The guideline, after Och & Ney 2003, section 5: a link is sure where two words translate each other in this
sentence, also where one word stands for several ("quantas", "how many"). It is possible where a word has no
counterpart of its own and belongs to a neighbour's: an article that the other language leaves out, "do" in a
negation, a dropped pronoun in its verb, the words of an idiom among each other. Punctuation is linked to
punctuation. The Portuguese sentences were written for this project in the style of talks.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.corpora.toy import PAIRS
from core.records import Pair

Link = tuple[int, int]  # source word, target word, from 0


@dataclass(frozen=True)
class AlignedPair:
    """Words are what spaces separate."""

    pair: Pair
    sure: frozenset[Link]
    possible: frozenset[Link]  # the sure ones too


def _aligned(pair: Pair, links: str) -> AlignedPair:
    """Links as "0-0 2?1": sure, and possible alone."""
    sure = frozenset(_link(each, "-") for each in links.split() if "-" in each)
    return AlignedPair(pair, sure, sure | {_link(each, "?") for each in links.split() if "?" in each})


def _link(text: str, mark: str) -> Link:
    source, target = text.split(mark)
    return int(source), int(target)


_TOY_LINKS = (
    "0-0", "0-0 0-1", "0-0 1-1 2-3 2?2", "0-0 1-1 2-2", "0-0 1-1 2-2 3-3", "0-0 1-1 2?2 3?2 4-2", "0-0 1-1 2?2 3-2",
    "0-0 1-2 2-3 2?1 3-2", "0-0 1-1 2-2", "0-0 1-1", "0-0 1?1 1?2 2?1 2?2", "0-0 1-1 2-2", "0-0 1-1 2-2 3-3",
    "0-0 1-1 2-2", "0-0 1-1 2-2",
)  # fmt: skip

_PORTUGUESE = """
eu quero contar uma história . | i want to tell a story . | 0-0 1-1 2-3 2?2 3-4 4-5 5-6
este é um problema difícil . | this is a difficult problem . | 0-0 1-1 2-2 3-4 4-3 5-5
onde fica a estação ? | where is the station ? | 0-0 1-1 2-2 3-3 4-4
nós não sabemos a resposta . | we do not know the answer . | 0-0 1-2 2-3 2?1 3-4 4-5 5-6
a minha mãe era professora . | my mother was a teacher . | 0?0 1-0 2-1 3-2 4-4 4?3 5-5
há dez anos , tudo mudou . | ten years ago , everything changed . | 0-2 1-0 2-1 3-3 4-4 5-5 6-6
o cérebro humano é incrível . | the human brain is amazing . | 0-0 1-2 2-1 3-3 4-4 5-5
quantas pessoas vivem nesta cidade ? | how many people live in this city ? | 0-0 0-1 1-2 2-3 3-4 3-5 4-6 5-7
temos de mudar o mundo . | we have to change the world . | 0?0 0-1 1-2 2-3 3-4 4-5 5-6
as crianças aprendem muito depressa . | children learn very quickly . | 0?0 1-0 2-1 3-2 4-3 5-4
ela comprou um carro vermelho . | she bought a red car . | 0-0 1-1 2-2 3-4 4-3 5-5
não há água suficiente . | there is not enough water . | 0-2 1-0 1-1 2-4 3-3 4-5
o que podemos fazer agora ? | what can we do now ? | 0?0 1-0 2-1 2?2 3-3 4-4 5-5
muito obrigado pela vossa atenção . | thank you very much for your attention . | 0-2 0-3 1-0 1-1 2-4 3-5 4-6 5-7
a música mudou a minha vida . | music changed my life . | 0?0 1-0 2-1 3?2 4-2 5-3 6-4
eles trabalham juntos há anos . | they have worked together for years . | 0-0 1?1 1-2 2-3 3-4 4-5 5-6
a ciência precisa de novas ideias . | science needs new ideas . | 0?0 1-0 2-1 3?1 4-2 5-3 6-4
o meu pai leu o livro ontem . | my father read the book yesterday . | 0?0 1-0 2-1 3-2 4-3 5-4 6-5 7-6
é difícil , mas não é novo . | it is difficult , but it is not new . | 0-1 0?0 1-2 2-3 3-4 4-7 5-6 5?5 6-8 7-9
a maioria das pessoas gosta de música . | most people like music . | 0?0 1-0 2?0 3-1 4-2 5?2 6-3 7-4
"""

FRENCH_ENGLISH = tuple(_aligned(pair, links) for pair, links in zip(PAIRS, _TOY_LINKS, strict=True))

PORTUGUESE_ENGLISH = tuple(
    _aligned(Pair(source.strip(), target.strip()), links)
    for source, target, links in (line.split("|") for line in _PORTUGUESE.strip().splitlines())
)


def aligned_pairs(source_language: str, target_language: str) -> tuple[AlignedPair, ...] | None:
    """The pairs for two languages, named in English; None where there are none."""
    return {
        ("French", "English"): FRENCH_ENGLISH,
        ("", ""): FRENCH_ENGLISH,  # a model of the classroom pairs and others does not say what it learned
        ("Portuguese", "English"): PORTUGUESE_ENGLISH,
    }.get((source_language, target_language))
