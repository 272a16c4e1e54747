"""Files in the encodings of many languages, without a word on which."""

import unicodedata
from typing import Literal

import pytest

from core.corpora.encoding import decode_text
from core.errors import InputError

SENTENCES = {
    "en": ("You see the book on the table.", "I don't know what to say.", "My sister lives in Lodz."),
    "de": (
        "Du siehst das Buch auf dem Tisch.",
        "Ich weiß nicht, was ich hören möchte.",
        "Heute ist es früh.",
    ),
    "pl": ("Widzisz książkę na stole.", "Nie wiem, czemu się źle czuję.", "Moja siostra mieszka w Łodzi."),
    "fr": ("Où est le garçon ?", "Ma sœur est très fatiguée.", "L’été, c'est trop tôt."),
    "pt": ("Você vê a irmã na mesa.", "Não sei o que dizer.", "O avião está em São Paulo às três."),
    "ru": ("Ты видишь книгу на столе.", "Я не знаю, что сказать.", "Моя сестра живёт в Москве."),
    "tr": (
        "Masanın üzerindeki kitabı görüyorsun.",
        "Ne söyleyeceğimi bilmiyorum.",
        "Bir şey içmek istiyorum.",
    ),
    "el": ("Βλέπεις το βιβλίο στο τραπέζι.", "Δεν ξέρω τι να πω.", "Η αδερφή μου μένει στην Πάτρα."),
    "he": ("הספר נמצא על השולחן.", "אני לא יודע מה לומר.", "אחותי גרה בתל אביב."),
    "ar": ("أين الكتاب؟", "لا أعرف، ماذا أقول.", "أختي تسكن في القاهرة."),
    "lv": ("Tu redzi grāmatu uz galda.", "Es nezinu, ko teikt. Lūdzu!", "Viņš bieži brauc ļoti ātri."),
}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("source", "target", "encoding"),
    [
        ("de", "pl", "cp1250"), ("de", "pl", "iso8859_2"), ("de", "pl", "mac_latin2"), ("en", "fr", "cp1252"),
        ("en", "fr", "mac_roman"), ("pt", "en", "cp1252"), ("pt", "en", "mac_roman"), ("en", "ru", "cp1251"),
        ("en", "ru", "koi8_u"), ("en", "ru", "mac_cyrillic"), ("de", "tr", "cp1254"), ("en", "el", "cp1253"),
        ("en", "lv", "cp1257"), ("en", "he", "cp1255"), ("en", "ar", "cp1256"),
        ("de", "pl", "utf-8"), ("de", "pl", "utf-8-sig"), ("de", "pl", "utf-16"),
    ],
)  # fmt: skip
def test_every_letter_comes_out_right(source: str, target: str, encoding: str, end: str) -> None:
    rows = [f"{a}\t{b}" for a, b in zip(SENTENCES[source], SENTENCES[target], strict=True)]
    text = end.join(rows)
    found = decode_text(text.encode(encoding))
    assert found is not None and found.text == text
    assert found.encoding == encoding.removesuffix("-sig")
    assert found.example == ""


def test_two_languages_explain_a_text_together() -> None:
    """Dutch has more of these letters than either, but leaves ß and ñ."""
    german = "Die Köchin grüßt den Bäcker.", "Der König küsst das Mädchen.", "Schön früh grüßt er die Ärztin."
    spanish = "La niña saluda al león.", "El rey besa a la niña.", "Mañana él oirá el avión."
    text = "\n".join(map(";".join, zip(german, spanish, strict=True)))
    found = decode_text(text.encode("cp1252"))
    assert found is not None and found.text == text


def test_a_word_that_tells_of_a_wrong_encoding() -> None:
    wrong = "Widzisz książkę na stole.".encode("cp1250").decode("cp1252")
    for data, encoding in ((wrong.encode(), ""), ("Widzisz książkę na stole.".encode("cp1250"), "cp1252")):
        found = decode_text(data, encoding)
        assert found is not None and found.example == "ksi¹¿kê"


@pytest.mark.parametrize(
    "text",
    [
        "أين الكتاب؟", "किताब कहाँ है?", "หนังสืออยู่ไหน", "ספר שָׁלוֹם", "本はどこですか。はい。", "Où est-ce ?",
        "Моя́ сестра́", "happy😀", "książka?", "1 ½ l", "m² und 20°", "¿Dónde? ¡Aquí!", "“quoted”", "l’été",
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_no_right_text_looks_wrong(text: str, form: Literal["NFC", "NFD"]) -> None:
    found = decode_text(unicodedata.normalize(form, text).encode())
    assert found is not None and found.example == ""


def test_an_encoding_of_the_user_s() -> None:
    found = decode_text("świat".encode("iso8859_2"), "iso-8859-2")
    assert found is not None and (found.text, found.encoding) == ("świat", "iso8859_2")
    for encoding in ("klingon", "ascii", "utf-8", "rot13"):
        with pytest.raises(InputError, match=encoding):
            decode_text("świat".encode("iso8859_2"), encoding)


def test_other_alphabets_are_left_to_the_library() -> None:
    japanese = "これは本です。\n私はとても疲れています。\n水を飲みたいです。\n姉は東京に住んでいます。\n" * 5
    found = decode_text(japanese.encode("shift_jis"))
    assert found is not None and found.text == japanese
