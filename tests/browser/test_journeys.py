"""The main journeys in a real browser: train, translate, evaluate, download a model; stop, continue, reload."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from core.corpora.catalogue import CORPORA
from tests.browser.app import PATIENCE
from tests.browser.conftest import ALL_RIGHT, Visit, press, settle, visitor_in, wait_for

pytestmark = pytest.mark.browser


def test_train_translate_and_look_inside(trained_page: Page) -> None:
    page = trained_page
    press(page, page.get_by_role("link", name="Translate with it"))
    # A new model is asked its own first sentence, not the one in the address, which was another model's.
    expect(page.get_by_role("heading", name="i like tensorflow")).to_be_visible()
    settle(page)
    page.get_by_role("textbox", name="A text in French").fill("je ne comprends pas")
    press(page, "Translate")
    expect(page.get_by_role("heading", name="i do not understand")).to_be_visible()

    press(page, page.get_by_role("link", name="See the attention weights"))
    expect(page.get_by_text("→ i do not understand", exact=True)).to_be_visible()
    expect(page.locator(".xtick")).to_have_text(["je", "ne", "comprends", "pas"])
    expect(page.locator(".ytick")).to_have_text(["i", "do", "not", "understand", "[END]"])
    page.reload()  # the model and the translation are still there
    expect(page.get_by_text("→ i do not understand", exact=True)).to_be_visible()


def test_a_press_after_typing_runs_the_page_once(profile: BrowserContext, address: str) -> None:
    with visitor_in(profile, "about:blank") as page:
        runs: list[float] = []
        page.on("websocket", lambda socket: socket.on("framesent", lambda frame: runs.append(len(frame))))
        page.goto(f"{address}/translate?sentence=ol%C3%A1.")
        expect(page.get_by_role("heading", name="Hello.")).to_be_visible()
        box = page.get_by_role("textbox", name="A text in Portuguese")
        for send in (
            page.get_by_role("button", name="Translate", exact=True).click,
            lambda: box.press("Enter"),
        ):
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


def test_stop_half_way_continue_and_reload(visit: Visit) -> None:
    page = visit("train?setting_epochs=400")  # some seconds, also on a fast machine
    expect(page.get_by_text("800 steps")).to_be_visible()
    press(page, "Start")
    expect(page.get_by_text(re.compile(r"Epoch [1-9]\d+ of 400 .* left"))).to_be_visible()

    page.get_by_role("button", name="Stop", exact=True).click()
    stopped = page.get_by_text(re.compile(r"Stopped\. Epoch \d+ of 400")).inner_text()
    settle(page)
    answer = page.get_by_label("Your answer")
    answer.fill("40")
    answer.press("Enter")
    expect(page.get_by_text("Right.", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_text(stopped)).to_be_visible()
    expect(page.get_by_text("Right.", exact=True)).to_be_visible()

    press(page, "Continue")
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    page.reload()  # in the middle
    wait_for(page, page.get_by_role("heading", name=ALL_RIGHT))
    expect(page.get_by_text("Done. Epoch 400 of 400")).to_be_visible()


def test_a_tab_whose_server_was_started_again_says_so(visit: Visit) -> None:
    page = visit("train")
    lost = page.get_by_text("The server no longer has this tab's work")
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
    expect(other.get_by_text("None yet.")).to_be_visible()  # it is another person
    with trained_page.expect_download(timeout=PATIENCE) as started:
        press(trained_page, "Download the checkpoint")
    assert started.value.suggested_filename == "classroom-french-english.safetensors"
    saved = tmp_path / started.value.suggested_filename
    started.value.save_as(saved)

    other.locator("input[type=file]").set_input_files(saved)
    expect(other.get_by_text("Opened. It is now the current model: Classroom French–English")).to_be_visible()
    other.reload()
    expect(other.get_by_role("button", name="Delete")).to_be_visible()
    press(other, "Delete")
    expect(other.get_by_text("None yet.")).to_be_visible()


def test_the_corpus_shown_is_the_one_named(visit: Visit) -> None:
    page = visit("data")
    for _ in range(2):  # a reload takes the tab's workspace over, and cuts the first run short
        expect(page.get_by_role("heading", name="204 pairs")).to_be_visible()
        expect(page.get_by_role("combobox", name="Corpus")).to_have_value(CORPORA["tatoeba_pt_en"].title)
        page.reload()


def test_a_part_of_the_architecture_opens_by_mouse_and_by_keyboard(visit: Visit) -> None:
    page = visit("architecture?architecture_view=picture")
    expect(page.get_by_role("heading", name="Self-attention", exact=True)).to_be_visible()
    press(page, page.locator("[data-part=decoder_cross_attention][role=button]"))
    expect(page.get_by_role("heading", name="Cross-attention", exact=True)).to_be_visible()
    settle(page)
    page.locator("[data-part=encoder_feed_forward][role=button]").press("Enter")
    expect(page.get_by_role("heading", name="Feed-forward", exact=True)).to_be_visible()
