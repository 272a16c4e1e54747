"""A class with phones, and the teacher's remote: what each sees and does, by the server's routes."""

import html
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.language import ENGLISH, reading
from core.records.question import Act
from core.records.room import Place
from core.records.text import Pair
from core.server.room import ROOM_SECONDS
from core.server.trained_model import TrainedModel
from pages.components.explaining.exercise import begin_in_class
from pages.components.room.phone import asked_at
from pages.components.shell import phones
from pages.content.lesson_plan import LessonPlan
from pages.content.lessons import LESSONS, OF_CLASS
from pages.content.markdown import parts_of, text_of
from pages.content.pages import HOME, LESSON_END, TRANSLATE
from tests.conftest import ChangeSetting, numbers
from tests.pages.phones import Hall, Line, Phone
from tests.pages.test_lesson_file import OWN
from tests.pages.test_reader_language import OTHER

PREDICTION = "predict_masks_without"
STEP = Place("masks", "30", 3)


def words(parts: Iterable[tuple[str, str]]) -> str:
    """Return what stands in a text that was sent in its parts."""
    return "".join(text for mark, text in parts)


@pytest.fixture
def hall(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hall]:
    hall = Hall(monkeypatch)
    yield hall
    hall.close()


def test_a_class_votes_and_sees_what_its_teacher_shows(hall: Hall) -> None:
    hall.room.go_to(STEP)
    (asked,) = asked_at(hall.room)
    question, why = asked, json.dumps(parts_of(asked.why))
    one = Phone(hall).come_in()
    other = Phone(hall, f"/room/{hall.room.code.lower()}").come_in()  # who types the address
    line, others_line = Line(one), Line(other)
    for each in (line, others_line):
        assert why not in json.dumps(each.news())
    assert one.act("answer", key=PREDICTION, answer=1)["own"]["answers"][PREDICTION]["now"] == 1
    assert line.news()["own"]["answers"][PREDICTION]["votes"] == [1]
    assert others_line.is_quiet(), "three hundred would be told of three hundred votes"
    hall.room.act(question, "show answers")
    for each in (line, others_line):
        (shown,) = each.news()["state"]["asked"]
        assert sum(shown["votes"][0]) == 1 and "right" not in shown and "why" not in shown
    late = other.act("answer", key=PREDICTION, answer=0)
    assert late["said"] and hall.room.tally("", question).answered == 1
    hall.room.act(question, "solve")
    shown = others_line.news()["state"]["asked"][0]
    assert shown["right"] == question.right_option and json.dumps(shown["why"]) == why
    line.news()
    hall.room.go_to(Place("train", "30", 1))
    assert words(line.news()["state"]["task"]) == LESSONS["30"].shown[0].class_task
    line.leave()


def test_an_answer_to_the_first_vote_that_comes_late_is_not_counted_in_the_second(hall: Hall) -> None:
    hall.room.go_to(STEP)
    (asked,) = asked_at(hall.room)
    phone = Phone(hall).come_in()

    def vote() -> int:
        return int(phone.post("enter")["state"]["asked"][0]["vote"])

    first = vote()
    for act in ("show answers", "vote again"):
        hall.room.act(asked, act)
    assert phone.act("answer", key=PREDICTION, vote=first, answer=1)["said"]
    assert hall.room.tally("", asked).answered == 0
    assert not phone.act("answer", key=PREDICTION, vote=vote(), answer=1).get("said")
    assert hall.room.tally("", asked).answered == 1


def test_a_class_of_two_languages_votes_together(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    hall.room.go_to(STEP)
    (asked,) = asked_at(hall.room)
    monkeypatch.setattr(phones, "known_languages", lambda: {"en": ENGLISH, "yy": OTHER})
    wishes = {"de-DE,yy-ZZ;q=0.4,en;q=0.8": "en", "fr,yy-ZZ;q=0.4,en;q=0": "yy", "nonsense;q=x": "en"}
    class_ = [Phone(hall, wants=wants).come_in() for wants in wishes]
    for phone, (wants, code) in zip(class_, wishes.items(), strict=True):
        headers, page = phone.get()
        assert f'<html lang="{code}">' in page and "Accept-Language" in headers["vary"], wants
        assert ("⟦" in html.unescape(page)) == (code == "yy")
    lines = [Line(phone) for phone in class_]
    for answer, line, phone in zip((0, 1, 1), lines, class_, strict=True):
        line.news()
        phone.act("answer", key=PREDICTION, answer=answer)
    hall.room.act(asked, "show answers")
    for line, code in zip(lines, wishes.values(), strict=True):
        while "votes" not in (shown := line.news()["state"]["asked"][0]):
            pass
        assert shown["votes"][0][:2] == [1, 2]
        assert {words(each).startswith("⟦") for each in (shown["text"], *shown["options"])} == {code == "yy"}
    with reading(OTHER):
        assert hall.room.tally("", asked_at(hall.room)[0]).question.right.startswith("⟦")
    for phone, code in zip(class_, wishes.values(), strict=True):
        (sent,) = phone.act("send", source="Salut.", target="Hi.")["own"]["sentences"]
        assert sent["fate"].startswith("⟦") == (code == "yy")
    english = class_[0]
    assert english.post("acts?lang=yy", {"act": "answer", "key": "?"})["said"].startswith("⟦")
    assert english.post("enter?lang=yy")["state"]["open"].endswith("&lang=yy")


def test_a_class_is_asked_the_questions_of_its_teacher_s_own_lesson(hall: Hall) -> None:
    before = OWN.steps[1]
    hall.room.lesson = LessonPlan((before, replace(before, asks="after")), title="Own")
    phone = Phone(hall).come_in()
    for number, moment in enumerate(("prediction", "exercise"), start=1):
        hall.room.go_to(Place("masks", OF_CLASS, number))
        state = phone.post("enter")["state"]
        assert (numbers(state["step"]), words(state["task"])) == ([str(number), "2"], before.task)
        assert "Ask Paul." not in json.dumps(state), "the note is the speaker's"
        (asked,) = asked_at(hall.room)
        assert asked.moment == moment and ["sub", "k"] in state["asked"][0]["text"]
        right = asked.right_option
        phone.act("answer", key=asked.key, answer=right)
        assert hall.room.tally("", asked).votes[0][right] == 1


@pytest.mark.parametrize("lesson", LESSONS)
def test_nothing_tells_what_is_right_before_an_answer(hall: Hall, lesson: str) -> None:
    steps = LESSONS[lesson].shown
    places = [Place(step.page.address, lesson, number) for number, step in enumerate(steps, 1)]
    asked_of_all: list[str] = []
    for place in (
        Place(HOME.address, lesson),
        *places,
        Place(LESSON_END.address, lesson, len(steps) + 1),
    ):
        hall.room.go_to(place)
        phone = Phone(hall).come_in()
        news = phone.post("enter")
        for asked, shown in zip(asked_at(hall.room), news["state"]["asked"], strict=True):
            asked_of_all.append(asked.key)
            is_number = shown["kind"] != "choice"
            assert ("keyboard" in shown["box"]) is is_number
            options = [] if is_number else [*map(text_of, asked.options)]
            assert [text_of(words(each)) for each in shown["options"]] == options
            may_be = {"key", "kind", "box", "is_final", "text", "options", "note", "before", "vote"}
            assert shown.keys() <= may_be
            if asked.moment == "before":
                right = asked.right_option
                answers = (asked.right, "-1e9") if is_number else (right, right - 1)
                key = shown["key"]
                heard = [Phone(hall).come_in().act("answer", key=key, answer=each) for each in answers]
                assert not any("said" in each["own"]["answers"].get(key, {}) for each in heard)
                if is_number:
                    assert heard[0]["own"] == heard[1]["own"]
    assert {*asked_of_all} > {step.prediction.key for step in steps if step.prediction}


def test_an_exercise_says_at_once_what_is_right_and_at_the_end_the_first_answer_counts(hall: Hall) -> None:
    hall.room.go_to(Place(LESSON_END.address, "10", 4))
    phone = Phone(hall).come_in()
    (choice, *_, number) = asked_at(hall.room)
    wrong = (choice.right_option + 1) % len(choice.options)
    for answer in (wrong, choice.right_option):
        own = phone.act("answer", key=choice.key, answer=answer)["own"]
        said = words(own["answers"][choice.key]["said"])
        assert text_of(choice.hint_for(choice.read(wrong))) in said and text_of(choice.why) not in said
    assert phone.act("answer", key=number.key, answer="many")["said"]
    typed = f"{float(number.right):.2f}".replace(".", ",")
    own = phone.act("answer", key=number.key, answer=typed)["own"]
    assert text_of(number.why) in words(own["answers"][number.key]["said"])
    seat = hall.room.seat_of(phone.cookie)
    assert seat is not None
    assert [(each.option, each.typed) for each in hall.room.answers_of(seat.token)] == [
        (wrong, ""),
        (0, number.right),
    ]
    state = phone.post("enter")["state"]
    assert state["is_at_end"] and state["answers"] == f"/my_answers?room={hall.room.code}&lang=en"


def test_an_answer_before_a_lesson_may_change_until_it_begins(hall: Hall) -> None:
    hall.room.go_to(Place(HOME.address, "10"))
    phone = Phone(hall).come_in()
    choice = asked_at(hall.room)[0]
    key = choice.key
    for answer in (0, 1):
        news = phone.act("answer", key=key, answer=answer)
        assert news["own"]["answers"][key]["now"] == answer
    assert not phone.post("enter")["state"]["asked"][0]["is_final"]
    seat = hall.room.seat_of(phone.cookie)
    assert seat is not None
    assert [each.option for each in hall.room.answers_of(seat.token)] == [1]
    begin_in_class(LESSONS["10"], hall.room)
    assert asked_at(hall.room) == []
    phone.act("answer", key=key, answer=0)
    assert hall.room.tally("", choice).votes[0][1] == 1


def test_a_person_has_one_line_which_the_last_tab_has(hall: Hall) -> None:
    phone = Phone(hall).come_in()
    first = Line(phone)
    first.news()
    second = Line(phone)
    assert second.news()["state"], "at once, also where the first one is dead and never says good-bye"
    assert first.news()["elsewhere"] and first.news() == {"code": 4001}
    hall.room.go_to(STEP)
    assert second.news()["state"]["asked"] and hall.room.num_here == 1


def test_the_remote_leads_until_it_is_taken_away(hall: Hall) -> None:
    hall.room.go_to(STEP)
    (asked,) = asked_at(hall.room)
    student, remote = Phone(hall).come_in(), Phone(hall, f"/remote/{hall.rooms.new_ticket(hall.room)}")
    remote.path = remote.post("enter")["go"]
    line = Line(remote)
    assert line.news()["own"]["remote"]["here"] == 1
    student.act("answer", key=PREDICTION, answer=1)
    counts = line.news()["own"]["remote"]["counts"][PREDICTION]
    assert counts["votes"][0][1] == 1 and counts["right"] == asked.right_option
    for name, key in (("next", "PageDown"), ("back", "PageUp")):
        remote.act(name)
        assert hall.room.last_press.key == key
    while not line.is_quiet():
        line.news()
    hall.room.note_next("Reveal the answer", "")  # says the projector
    acts = line.news()["own"]["remote"]["acts"]
    (lead_on,) = (each for each in acts if each["act"] == "next")
    assert lead_on["is_main"] and "Reveal the answer" in lead_on["label"]
    hall.room.note_next("Masks", "Train with our sentences")
    remote.act("train")
    assert hall.room.last_press.key == "Train"
    hall.room.act(asked, "show answers")
    remote.act("again")
    assert len(hall.room.tally("", asked).votes) == 2
    student.act("send", source="le chat dort", target="the cat sleeps")
    (sentence,) = remote.post("enter")["own"]["remote"]["sentences"]
    assert sentence["text"] == "le chat dort → the cat sleeps"
    assert not hall.room.accepted
    remote.act("accept", key=str(sentence["number"]))
    student.act("send", source="je mange", target="i eat")
    (sentence,) = remote.post("enter")["own"]["remote"]["sentences"]
    remote.act("refuse", key=str(sentence["number"]))
    assert not hall.room.waiting and [pair.source for pair in hall.room.accepted] == ["le chat dort"]
    presses = hall.room.last_press
    hall.room.take_remotes_away()
    while "code" not in (news := line.news()):
        last = news
    assert last["state"]["ended"] and "remote" not in last["own"]
    assert remote.act("next")["state"]["ended"]
    assert hall.room.last_press == presses
    assert "remote" not in remote.post("enter")["own"], "loaded again, it is a student's"


def test_the_remote_has_a_key_for_a_second_vote_once_the_answers_are_shown_and_until_the_solution_is(
    hall: Hall,
) -> None:
    hall.room.go_to(STEP)
    (asked,) = asked_at(hall.room)
    remote = Phone(hall, f"/remote/{hall.rooms.new_ticket(hall.room)}")
    remote.path = remote.post("enter")["go"]
    acts_of_teacher: tuple[tuple[Act, bool], ...] = (("show answers", True), ("solve", False))
    for act, has_key in acts_of_teacher:
        hall.room.act(asked, act)
        acts = remote.post("enter")["own"]["remote"]["acts"]
        assert ("again" in [each["act"] for each in acts]) is has_key


def test_the_remote_says_why_its_key_does_nothing(hall: Hall) -> None:
    remote = Phone(hall, f"/remote/{hall.rooms.new_ticket(hall.room)}")
    remote.path = remote.post("enter")["go"]

    def shown() -> tuple[set[str], str]:
        found = remote.post("enter")["own"]["remote"]
        return {each["act"] for each in found["acts"]}, found["trouble"]

    assert shown() == ({"back", "next"}, ""), "the screen has not said yet"
    hall.room.note_next("", "")
    acts, nothing_follows = shown()
    assert acts == {"back"} and nothing_follows
    hall.room.note_next("Masks", "Train")
    assert shown() == ({"back", "next", "train"}, "")
    hall.clock.now += 30
    acts, is_lost = shown()
    assert not acts and is_lost not in ("", nothing_follows)
    hall.room.note_here(hall.room.teacher_token)
    assert shown() == ({"back", "next", "train"}, "")


def test_the_end_is_told_to_all_and_keeps_nothing(hall: Hall) -> None:
    hall.room.go_to(STEP)
    here, away = Phone(hall).come_in(), Phone(hall).come_in()
    line = Line(here)
    line.news()
    hall.rooms.close(hall.room)
    assert line.news()["state"]["ended"] and line.news() == {"code": 4000}
    for phone in (here, away):
        answer = phone.act("answer", key=PREDICTION, answer=1)
        assert answer["state"]["ended"] and not Line(phone).is_open
    assert hall.room.tallies() == () and phones._boards == {} and hall.room._listeners == []


def test_the_class_s_model_writes_each_accepted_sentence_once(
    hall: Hall, checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []

    def write(model: TrainedModel, pairs: Iterable[Pair]) -> dict[Pair, str]:
        found = {pair: f"{model.name}: {pair.target}" for pair in pairs}
        asked.extend((model.name, pair.source) for pair in found)
        return found

    monkeypatch.setattr(phones, "translations_for", write)
    phone = Phone(hall).come_in()
    line = Line(phone)
    for number in range(2):
        phone.act("send", source=f"phrase {number}", target="yes")
        hall.room.decide(hall.room.waiting[0].number, True)
    for name in ("Ours", "The next"):
        hall.room.hand_over(TrainedModel(name, checkpoint))
        hall.room.go_to(Place("masks" if name == "Ours" else "train"))
        while [each["written"] for each in line.news()["own"]["sentences"]] != [f"{name}: yes"] * 2:
            pass
    assert asked == [(name, f"phrase {number}") for name in ("Ours", "The next") for number in range(2)]


def test_a_phone_takes_the_class_s_model_as_a_page_of_its_own(hall: Hall, checkpoint: Checkpoint) -> None:
    phone = Phone(hall).come_in()
    line = Line(phone)
    hall.room.go_to(Place("masks"))
    assert "translate" not in line.news()["state"]
    model = TrainedModel("Ours", checkpoint)
    hall.room.hand_over(model)
    step = next(step for step in LESSONS["10"].steps if step.page == TRANSLATE)
    hall.room.go_to(Place(TRANSLATE.address, "10", LESSONS["10"].steps.index(step) + 1))
    while not (state := line.news()["state"])["asked"]:
        pass
    assert "translate" not in state, "it would answer what the class is asked"
    assert "location" in phone.get(f"/model/{model.id}")[0], "also by its address"
    assert step.prediction is not None
    hall.room.act(step.prediction, "solve")
    while "translate" not in (state := line.news()["state"]):
        pass
    path = state["translate"].removeprefix(phone.path)
    headers, page = phone.get(path)
    assert '<script type="text/plain" id="weights">' in page and "max-age" in headers["cache-control"]
    for other, wanted in ((Phone(hall), path), (phone, path.replace(model.id, "own-0"))):
        headers, page = other.get(wanted)
        assert headers["location"].endswith(hall.room.code) and "weights" not in page, (
            "only of this room, only its model"
        )


def test_the_class_s_model_is_made_into_a_page_once(
    hall: Hall, checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def make(model: TrainedModel) -> str:
        made.append(model.name)
        time.sleep(0.05)  # so that all ask before it is there
        return ""

    monkeypatch.setattr(phones, "model_page", make)
    phone = Phone(hall).come_in()
    for name in ("Ours", "The next"):
        model = TrainedModel(name, checkpoint)
        hall.room.hand_over(model)
        phone.get_at_once(f"/model/{model.id}", 20)
    assert made == ["Ours", "The next"]


def test_a_sentence_that_the_model_cannot_read_is_given_up(
    hall: Hall, checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Pair] = []

    def read_none(model: TrainedModel, pairs: Iterable[Pair]) -> dict[Pair, str]:
        asked.extend(pairs)
        return {}

    monkeypatch.setattr(phones, "translations_for", read_none)
    phone = Phone(hall).come_in()
    line = Line(phone)
    phone.act("send", source="phrase", target="yes")
    hall.room.decide(hall.room.waiting[0].number, True)
    hall.room.hand_over(TrainedModel("Ours", checkpoint))
    while not asked:
        line.news()
    while not line.is_quiet():
        line.news()
    assert len(asked) == 1


def test_a_phone_shows_the_newest_of_its_sentences(hall: Hall) -> None:
    phone = Phone(hall).come_in()
    for number in range(10):
        phone.act("send", source=f"phrase {number}", target="yes")
        hall.room.decide(hall.room.waiting[0].number, False)
    shown = [each["source"] for each in phone.post("enter")["own"]["sentences"]]
    assert len(shown) < 10 and shown == [f"phrase {number}" for number in range(10)][-len(shown) :]


def test_a_phone_without_a_websocket_asks_for_the_news_and_is_here(hall: Hall) -> None:
    hall.room.go_to(STEP)
    phone = Phone(hall).come_in()
    hall.clock.now += 60
    assert hall.room.num_here == 0
    news = json.loads(phone.get("/news")[1])
    assert news["state"]["asked"][0]["key"] == PREDICTION
    assert hall.room.num_here == 1
    hall.rooms.close(hall.room)
    assert json.loads(phone.get("/news")[1])["state"]["ended"]


def test_a_room_that_its_teacher_has_left_for_too_long_says_that_it_has_ended(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phones, "_LOOK_SECONDS", 0.05)
    line = Line(Phone(hall).come_in())
    assert not line.news()["state"]["ended"]
    hall.clock.now += ROOM_SECONDS + 1
    assert line.news()["state"]["ended"] and line.news() == {"code": 4000}


def test_a_class_code_is_asked_first(hall: Hall, change_setting: ChangeSetting) -> None:
    change_setting("class_code", "blue whale")
    phone = Phone(hall)
    assert phone.post("enter")["enter"] == ""
    assert phone.post("enter", {"code": "red whale"})["enter"], "why it is asked again"
    assert Phone(hall).post("enter", {"code": "Blue Whale"})["state"]
    assert len(hall.room._people) == 1


def test_a_phone_tries_again_where_wrong_codes_of_others_are_too_many_and_one_with_a_seat_is_in(
    hall: Hall,
) -> None:
    inside = Phone(hall).come_in()
    stranger = Phone(hall, "/room/AAAAAA")
    while stranger.post("enter")["status"] == 404:
        pass
    late = Phone(hall)
    answer = late.post("enter")
    assert answer["again"] and answer["problem"]
    assert inside.post("enter")["state"]
    assert Phone(hall, address="10.0.0.2").post("enter")["state"]
    hall.clock.now += 5
    assert late.post("enter")["state"]
