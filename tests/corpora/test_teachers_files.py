"""Twenty files as teachers have them: each opens right at once, without a word on how it is to be read."""

import csv
import io
from typing import NamedTuple

import pytest

from core.corpora.delimited import read_pairs, recognize_format
from core.records.text import Pair

SENTENCES = {
    "cs": ["Kde je kniha?", "Můj přítel žije v Praze.", "Nevím, co mám říct.", "Děti si hrají na zahradě.",
           "Zítra půjdeme do školy.", "Mám rád černou kávu.", "Žlutý kůň běžel k řece."],
    "de": ["Wo ist das Buch?", "Mein Freund lebt in München.", "Ich weiß nicht, was ich sagen soll.",
           "Die Kinder spielen im Garten.", "Morgen gehen wir in die Schule.", "Ich mag schwarzen Kaffee.",
           "Das gelbe Pferd lief über die Brücke."],
    "en": ["Where is the book?", "My friend lives in Berlin.", "I don't know what to say.",
           "The children are playing in the garden.", "Tomorrow, we will go to school.", "I like black coffee.",
           "The yellow horse ran to the river."],
    "es": ["¿Dónde está el libro?", "Mi amigo vive en Málaga.", "No sé qué decir.",
           "Los niños juegan en el jardín.", "Mañana, iremos a la escuela.", "Me gusta el café negro.",
           "El caballo amarillo corrió hacia el río."],
    "fr": ["Où est le livre ?", "Mon ami habite à Besançon.", "Je ne sais pas quoi dire.",
           "Les enfants jouent dans le jardin.", "Demain, nous irons à l’école.", "J’aime le café noir.",
           "La maîtresse écrit au tableau."],
    "hu": ["Hol van a könyv?", "A barátom Győrben él.", "Nem tudom, mit mondjak.", "A gyerekek a kertben játszanak.",
           "Holnap iskolába megyünk.", "Szeretem a fekete kávét.", "A sárga ló a folyóhoz futott."],
    "pl": ["Gdzie jest książka?", "Mój przyjaciel mieszka w Łodzi.", "Nie wiem, co powiedzieć.",
           "Dzieci bawią się w ogrodzie.", "Jutro pójdziemy do szkoły.", "Lubię czarną kawę.",
           "Żółty koń biegł do rzeki."],
    "pt": ["Onde está o livro?", "O meu amigo vive em São Paulo.", "Não sei o que dizer.",
           "As crianças brincam no jardim.", "Amanhã, vamos à escola.", "Gosto de café preto.",
           "O cavalo amarelo correu até ao rio."],
    "ru": ["Где книга?", "Мой друг живёт в Москве.", "Я не знаю, что сказать.", "Дети играют в саду.",
           "Завтра мы пойдём в школу.", "Я люблю чёрный кофе.", "Жёлтая лошадь бежала к реке."],
    "sv": ["Var är boken?", "Min vän bor i Malmö.", "Jag vet inte vad jag ska säga.", "Barnen leker i trädgården.",
           "I morgon går vi till skolan.", "Jag gillar svart kaffe.", "Den gula hästen sprang till floden."],
}  # fmt: skip


class Saved(NamedTuple):
    """A file and how a program saved it."""

    languages: tuple[str, str]
    encoding: str
    delimiter: str
    heading: tuple[str, str] | None = None
    end: str = "\r\n"
    first_line: str = ""
    third_column: str = ""

    @property
    def pairs(self) -> list[Pair]:
        source, target = (SENTENCES[code] for code in self.languages)
        return [Pair(*sides) for sides in zip(source, target, strict=True)]

    def data(self) -> bytes:
        text = io.StringIO(newline="")
        rows = csv.writer(text, delimiter=self.delimiter, lineterminator=self.end)
        if self.heading:
            rows.writerow(self.heading)
        more = (self.third_column,) if self.third_column else ()
        rows.writerows((pair.source, pair.target, *more) for pair in self.pairs)
        return f"{self.first_line}{text.getvalue()}".encode(self.encoding)


FILES = {
    "by hand": Saved(("en", "fr"), "utf-8", ",", end="\n"),
    "Google Sheets": Saved(("pt", "en"), "utf-8", ",", ("Português", "Inglês")),
    "LibreOffice": Saved(("es", "de"), "utf-8", ";", ("español", "alemán"), end="\n"),
    "Anki": Saved(("en", "ru"), "utf-8", "\t", end="\n", third_column="CC-BY 2.0 (France)"),
    "Excel, CSV UTF-8, France": Saved(("fr", "en"), "utf-8-sig", ";", ("français", "anglais")),
    "Excel, CSV UTF-8, USA": Saved(("en", "es"), "utf-8-sig", ",", ("English", "Spanish")),
    "Excel, Unicode text": Saved(("en", "ru"), "utf-16", "\t", ("English", "Russian")),
    "Notepad, Unicode": Saved(("pl", "fr"), "utf-16", ";"),
    "Excel, CSV, Czechia": Saved(("cs", "en"), "cp1250", ";", ("čeština", "angličtina")),
    "Excel, CSV, Hungary": Saved(("hu", "de"), "cp1250", ";"),
    "Excel, text, Poland": Saved(("pl", "en"), "cp1250", "\t", ("polski", "angielski")),
    "Excel, CSV, Germany": Saved(("de", "en"), "cp1252", ";", ("Deutsch", "Englisch")),
    "Excel, CSV, France": Saved(("fr", "de"), "cp1252", ";"),
    "Excel, text, Portugal": Saved(("pt", "fr"), "cp1252", "\t", ("português", "francês")),
    "Excel, CSV, Sweden": Saved(("sv", "en"), "cp1252", ","),
    "Excel for Mac, France": Saved(("fr", "en"), "mac_roman", ";", ("français", "anglais"), end="\r"),
    "Excel for Mac, Brazil": Saved(("en", "pt"), "mac_roman", "\t", end="\r"),
    "Excel for Mac, Germany": Saved(("de", "en"), "mac_roman", ";", ("Deutsch", "Englisch")),
    "sep=, Windows": Saved(("en", "fr"), "cp1252", ";", ("English", "French"), first_line="sep=;\r\n"),
    "sep=, with mark": Saved(("es", "en"), "utf-8-sig", "|", first_line='"sep=|"\n', end="\n"),
}


@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_it_opens_right_at_once(file: Saved) -> None:
    found = recognize_format(file.data(), "mine.csv")
    assert found.decoded.encoding == file.encoding.removesuffix("-sig")
    assert found.header.is_header is (file.heading is not None)
    if file.heading:
        assert found.header.is_certain
        assert found.languages == file.languages
    assert found.decoded.example == ""
    assert read_pairs(file.data(), "mine.csv") == file.pairs


def test_lines_are_counted_with_the_first_one() -> None:
    with pytest.raises(ValueError, match="Row 3 "):
        read_pairs(b"sep=;\na;b\nc\n")
