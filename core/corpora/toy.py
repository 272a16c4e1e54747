"""Fifteen French-English pairs: few enough to learn in seconds and to read in full."""

from __future__ import annotations

from core.records import Pair

PAIRS: tuple[Pair, ...] = (
    Pair("bonjour", "hello"),
    Pair("merci", "thank you"),
    Pair("je suis étudiant", "i am a student"),
    Pair("je suis fatigué", "i am tired"),
    Pair("où est la gare", "where is the station"),
    Pair("je veux de l eau", "i want water"),
    Pair("je veux un café", "i want coffee"),
    Pair("je ne comprends pas", "i do not understand"),
    Pair("pouvez vous aider", "can you help"),
    Pair("bonne nuit", "good night"),
    Pair("comment ça va", "how are you"),
    Pair("je vais bien", "i am fine"),
    Pair("je viens d indonésie", "i come from indonesia"),
    Pair("j aime apprendre", "i like learning"),
    Pair("j aime tensorflow", "i like tensorflow"),
)
