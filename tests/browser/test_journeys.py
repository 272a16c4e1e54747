"""The main journeys in a real browser: train, translate, evaluate, download a model; stop, continue, reload."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from core.corpora.catalogue import CORPORA
from pages.components.frame.presenting import LEADS_ON
from pages.content.pages import ATTENTION_MAPS, TRAIN, TRANSLATE, PageEntry
from pages.content.reader import PAGE_TEXTS
from tests.browser.app import PATIENCE
from tests.browser.conftest import ALL_RIGHT, Visit, button_of, field, press, settle, visitor_in, wait_for

pytestmark = pytest.mark.browser


def link_to(page: Page, entry: PageEntry) -> Locator:
    """Return the first link of a page to another one, beside those of the menu."""
    return page.get_by_test_id("stMain").locator(f"a[href$='{entry.address}']").first


def test_train_translate_and_look_inside(trained_page: Page) -> None:
    page = trained_page
    press(page, link_to(page, TRANSLATE))
    # A new model is asked its own first sentence, not the one in the address, which was another model's.
    expect(page.get_by_role("heading", name="i like tensorflow")).to_be_visible()
    settle(page)
    field(page, "sentence").fill("je ne comprends pas")
    press(page, "translate_text")
    expect(page.get_by_role("heading", name="i do not understand")).to_be_visible()

    press(page, link_to(page, ATTENTION_MAPS))
    expect(page.get_by_text("→ i do not understand", exact=True)).to_be_visible()
    expect(page.locator(".xtick")).to_have_text(["je", "ne", "comprends", "pas"])
    expect(page.locator(".ytick")).to_have_text(["i", "do", "not", "understand", "[END]"])
    page.reload()  # the model and the translation are still there
    expect(page.get_by_text("→ i do not understand", exact=True)).to_be_visible()


@pytest.mark.long
def test_a_press_after_typing_runs_the_page_once(profile: BrowserContext, address: str) -> None:
    with visitor_in(profile, "about:blank") as page:
        runs: list[float] = []
        page.on("websocket", lambda socket: socket.on("framesent", lambda frame: runs.append(len(frame))))
        page.goto(f"{address}/translate?sentence=ol%C3%A1.")
        expect(page.get_by_role("heading", name="Hello.")).to_be_visible()
        box = field(page, "sentence")
        for send in (button_of(page, "translate_text").click, lambda: box.press("Enter")):
            settle(page)
            before = len(runs)
            box.fill("obrigado.")
            send()
            expect(page.get_by_role("heading", name="Thank you.")).to_be_visible()
            page.wait_for_timeout(500)  # for a run too many
            assert len(runs) == before + 1
            box.fill("olá.")
            box.press("Enter")
            expect(page.get_by_role("heading", name="Hello.")).to_be_visible()


@pytest.mark.long
def test_stop_half_way_continue_and_reload(visit: Visit) -> None:
    page = visit("train?setting_epochs=400")  # some seconds, also on a fast machine
    expect(page.get_by_text("800", exact=True)).to_be_visible()
    press(page, LEADS_ON)
    expect(page.get_by_test_id("stProgress")).to_contain_text(re.compile(r"\b[1-9]\d+\D+400\b"))

    stop = button_of(page, "stop_training")
    stop.click()
    said = page.get_by_test_id("stCaptionContainer")
    stopped = said.get_by_text(re.compile(r"\b\d+\D+400\b")).inner_text()
    settle(page)
    exercise = PAGE_TEXTS[TRAIN.address].views["train"].exercise
    assert exercise is not None
    answer, why = field(page, exercise.key), page.get_by_text(exercise.why)
    answer.fill(exercise.right)
    answer.press("Enter")
    expect(why).to_be_visible()
    page.reload()
    expect(page.get_by_text(stopped)).to_be_visible()
    expect(why).to_be_visible()

    press(page, "continue_training")
    expect(stop).to_be_visible()
    page.reload()  # in the middle
    wait_for(page, page.get_by_role("heading", name=ALL_RIGHT))
    expect(said.get_by_text(re.compile(r"\b400\D+400\b"))).to_be_visible()


@pytest.mark.long
def test_a_tab_whose_server_was_started_again_says_so(visit: Visit) -> None:
    page = visit("train")
    lost = page.get_by_test_id("stToast")
    for has_work in (False, True):
        remembered = json.dumps({"workspace": "of the server before", "has_work": has_work})
        page.evaluate("text => sessionStorage.setItem('transformer-classroom-tab', text)", remembered)
        page.reload()
        settle(page)
        expect(lost).to_have_count(int(has_work))
    page.reload()
    settle(page)
    expect(lost).to_have_count(0)


def test_a_checkpoint_goes_out_and_comes_back_in_another_tab(
    trained_page: Page, visit: Visit, tmp_path: Path
) -> None:
    other = visit("checkpoints")
    delete = other.locator("[class*=st-key-delete_] button")
    expect(delete).to_have_count(0)  # it is another person
    with trained_page.expect_download(timeout=PATIENCE) as started:
        press(trained_page, "download_trained")
    assert started.value.suggested_filename.endswith("-french-english.safetensors")
    saved = tmp_path / started.value.suggested_filename
    started.value.save_as(saved)

    other.locator("input[type=file]").set_input_files(saved)
    expect(delete).to_be_visible()
    other.reload()
    expect(delete).to_be_visible()
    press(other, delete)
    expect(delete).to_have_count(0)


@pytest.mark.long
def test_the_corpus_shown_is_the_one_named(visit: Visit) -> None:
    page = visit("data")
    for _ in range(2):  # a reload takes the tab's workspace over, and cuts the first run short
        expect(page.get_by_role("heading", name=re.compile("^204 "))).to_be_visible()
        expect(field(page, "corpus")).to_have_value(CORPORA["tatoeba_pt_en"].title)
        page.reload()


def test_a_part_of_the_architecture_opens_by_mouse_and_by_keyboard(visit: Visit) -> None:
    page = visit("architecture?architecture_view=picture")
    press(page, page.locator("[data-part=decoder_cross_attention][role=button]"))
    expect(page).to_have_url(re.compile("opened=decoder_cross_attention"))
    settle(page)
    page.locator("[data-part=encoder_feed_forward][role=button]").press("Enter")
    expect(page).to_have_url(re.compile("opened=encoder_feed_forward"))
