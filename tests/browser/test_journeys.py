"""What people come for, in a real browser: train, translate, look inside; stop, go on, reload."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from core.checkpoints.shipped import FIRST
from core.corpora.catalogue import CORPORA
from pages.components.app.menu import PAGES
from pages.components.lesson.plan import LESSONS
from tests.browser.app import PATIENCE
from tests.browser.conftest import (
    ALL_RIGHT,
    Visit,
    choose,
    menu_of,
    open_from_menu,
    press,
    visitor_in,
    wait_for,
)
from tests.browser.first_screen import settle

pytestmark = pytest.mark.browser

SHIPPED = "TED talks, Portuguese to English"


def axis_labels(page: Page) -> str:
    """All tick labels of the heatmaps that can be seen."""
    visible = page.locator(".js-plotly-plot:visible")
    expect(visible.first).to_be_visible()
    expect(visible.locator(".heatmaplayer image, .heatmaplayer .hm").first).to_be_attached()
    return " ".join(visible.locator(".xtick, .ytick").all_text_contents())


def open_view(page: Page, name: str) -> None:
    """By its address, which keeps model and sentence."""
    address = urlsplit(page.url)
    page.goto(address._replace(query=urlencode(dict(parse_qsl(address.query)) | {"view": name})).geturl())


def test_train_translate_and_look_inside(trained_page: Page) -> None:
    page = trained_page
    page.get_by_role("link", name="Translate with it").click()
    box = page.get_by_role("textbox", name="A text in French")
    box.fill("je ne comprends pas")
    press(page, "Translate")
    expect(page.get_by_role("heading", name="i do not understand")).to_be_visible()

    page.get_by_role("link", name="See the attention weights").click()
    page.wait_for_url("**/attention_maps?*sentence=*")  # written by the page's run
    open_view(page, "head")
    expect(page.get_by_text("→ i do not understand")).to_be_visible()
    labels = axis_labels(page)
    for word in ["je", "ne", "comprends", "pas", "i", "do", "not", "understand"]:
        assert word in labels

    page.reload()  # the model and the translation are still there
    expect(page.get_by_text("→ i do not understand")).to_be_visible()


def test_a_press_after_typing_runs_the_page_once(profile: BrowserContext, address: str) -> None:
    with visitor_in(profile, "about:blank") as page:
        runs: list[float] = []
        page.on("websocket", lambda socket: socket.on("framesent", lambda frame: runs.append(len(frame))))
        page.goto(f"{address}/translate?sentence=ol%C3%A1.")
        expect(page.get_by_role("heading", name="Hello.")).to_be_visible()
        box = page.get_by_role("textbox", name="A text in Portuguese")
        for send in (lambda: press(page, "Translate"), lambda: box.press("Enter")):
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
    page = visit("train")
    page.get_by_role("button", name="Settings").click()
    epochs = page.get_by_label("Epochs", exact=True)
    epochs.fill("500")
    epochs.press("Enter")
    expect(page.get_by_text("1,000 steps")).to_be_visible()
    page.keyboard.press("Escape")
    press(page, "Start")
    expect(page.get_by_text(re.compile(r"Epoch [1-9]\d+ of 500 .* left"))).to_be_visible()

    press(page, "Stop")
    expect(page.get_by_text(re.compile(r"Stopped\. Epoch \d+ of 500"))).to_be_visible()
    stopped = page.get_by_text(re.compile(r"Stopped\. Epoch \d+ of 500")).inner_text()

    open_from_menu(page, "Home")
    open_from_menu(page, "Train")
    expect(page.get_by_text(stopped)).to_be_visible()  # another page loses nothing
    page.reload()
    expect(page.get_by_text(stopped)).to_be_visible()  # nor does a reload

    press(page, "Continue")
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    page.reload()  # in the middle
    wait_for(page, page.get_by_role("heading", name=ALL_RIGHT))
    expect(page.get_by_text("Done. Epoch 500 of 500")).to_be_visible()


def test_a_tab_whose_server_was_started_again_says_so(visit: Visit) -> None:
    page = visit("train")
    lost = page.get_by_text("The server no longer has what was made in this tab")
    for has_work in (False, True):
        remembered = json.dumps({"workspace": "of the server before", "has_work": has_work})
        page.evaluate("text => sessionStorage.setItem('transformer-classroom-tab', text)", remembered)
        page.reload()
        settle(page)
        expect(lost).to_have_count(int(has_work))
    page.reload()
    settle(page)
    expect(lost).to_have_count(0)


def test_another_address_in_a_tab_keeps_its_model_and_shows_that_models_sentence(
    visit: Visit, address: str
) -> None:
    page = visit("decoding?model=anki_en_fr")
    text = page.get_by_label("A text in English")
    sentence = text.input_value()
    page.goto(f"{address}/inside")
    expect(text).to_have_value(sentence)


def test_a_second_tab_is_another_person(trained_page: Page, address: str) -> None:
    page = trained_page
    other = page.context.new_page()
    other.set_default_timeout(PATIENCE)
    other.goto(f"{address}/translate")
    expect(other.get_by_role("combobox", name="Model")).to_have_value(SHIPPED)
    open_from_menu(page, "Translate")
    expect(page.get_by_role("combobox", name="Model")).to_have_value("Classroom French–English (yours)")
    other.close()


def test_the_first_visitor_may_open_any_page(first_visitor: Page) -> None:
    """Of a server on which nobody has opened Home yet."""
    expect(menu_of(first_visitor)).to_have_text([re.compile(re.escape(entry.title)) for entry in PAGES])
    first_visitor.get_by_test_id("stMain").get_by_test_id("stPopoverButton").first.click()
    press(first_visitor, "Train the classroom model")
    # A new model is asked its own first sentence, not the one in the address, which was another model's.
    wait_for(first_visitor, first_visitor.get_by_role("heading", name="i like tensorflow"))


def test_a_checkpoint_goes_out_and_comes_back(trained_page: Page, address: str, tmp_path: Path) -> None:
    page = trained_page
    with page.expect_download(timeout=PATIENCE) as started:
        page.get_by_role("button", name="Download the checkpoint").click()
    assert started.value.suggested_filename == "classroom-french-english.zip"
    saved = f"{tmp_path}/{started.value.suggested_filename}"
    started.value.save_as(saved)

    other = page.context.new_page()
    other.set_default_timeout(PATIENCE)
    other.goto(f"{address}/checkpoints")
    other.locator("input[type=file][accept*='.zip']").set_input_files(saved)
    expect(other.get_by_text("Opened, and now the current model: Classroom French–English")).to_be_visible()
    open_from_menu(other, "Translate")
    expect(other.get_by_role("heading", name="i like tensorflow")).to_be_visible()
    other.close()


def test_portuguese_to_english_without_training(visit: Visit) -> None:
    page = visit("")
    page.get_by_role("radio", name="30 min").click()  # now the address holds something
    expect(page.get_by_role("link", name=re.compile("1. Architecture"))).to_be_visible()
    press(page, "Translate Portuguese → English")
    expect(page.get_by_role("combobox", name="Model")).to_have_value(SHIPPED)
    box = page.get_by_role("textbox", name="A text in Portuguese")
    box.fill("este é um problema que temos que resolver.")
    press(page, "Translate")
    translation = page.get_by_role("heading", name=re.compile("problem.* solve", re.IGNORECASE))
    expect(translation).to_be_visible()
    expect(page.get_by_text("What it writes:")).to_be_visible()

    page.get_by_role("radio", name="Beam search").click()
    expect(page.get_by_text("The beams, best first:")).to_be_visible()
    expect(translation).to_be_visible()

    page.get_by_role("link", name="See the attention weights").click()
    there = page.get_by_text(re.compile("^→ .*problem"))
    expect(there).to_be_visible()
    open_view(page, "head")
    expect(there).to_be_visible()
    labels = axis_labels(page)
    for word in ["este", "problema", "resolver", "problem"]:
        assert word in labels
    page.reload()
    expect(there).to_be_visible()


def test_the_corpus_shown_is_the_one_named(visit: Visit) -> None:
    if not CORPORA["ted_pt_en"].is_here:
        pytest.skip("TED talks are not on this machine: python -m core data ted_pt_en")
    page = visit("data")
    for _ in range(2):  # a reload takes the tab's workspace over, and cuts the first run short
        expect(page.get_by_role("heading", name="51,785 pairs")).to_be_visible()
        expect(page.get_by_role("combobox", name="Corpus")).to_have_value(CORPORA["ted_pt_en"].title)
        page.reload()


def test_evaluate_stop_reload_and_finish(visit: Visit) -> None:
    if not CORPORA["ted_pt_en"].is_here:
        pytest.skip("TED talks are not on this machine: python -m core data ted_pt_en")
    page = visit("evaluate?size=1000")  # long enough to be stopped half-way
    press(page, "Evaluate")
    expect(page.get_by_text(re.compile(r"[1-9]\d* of 1,000 pairs"))).to_be_visible()
    press(page, "Stop")
    expect(page.get_by_text(re.compile(r"Stopped\. [1-9]\d* of 1,000 pairs"))).to_be_visible()
    expect(page.get_by_text(re.compile("it was stopped"))).to_be_visible()
    page.reload()
    expect(page.get_by_text(re.compile("it was stopped"))).to_be_visible()
    settle(page)

    size = page.get_by_role("slider", name="Max pairs")
    size.focus()
    size.press("Home")
    expect(size).to_have_attribute("aria-valuetext", "20")
    expect(page).to_have_url(re.compile("size=20"))
    press(page, "Evaluate")
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    open_from_menu(page, "Home")  # it goes on meanwhile
    open_from_menu(page, "Evaluate")
    wait_for(page, page.get_by_text("20 pairs evaluated"))
    with page.expect_download(timeout=PATIENCE) as started:
        press(page, "Table as CSV")
    assert "-greedy-" in started.value.suggested_filename
    assert len(Path(started.value.path()).read_text().splitlines()) >= 21
    page.get_by_role("radio", name="Side by side").click()
    expect(page.get_by_role("heading", name="Side by side")).to_be_visible()
    expect(page.get_by_text("cannot be compared fairly")).to_be_visible()


def test_checkpoints_upload_and_delete(visit: Visit, tmp_path: Path) -> None:
    page = visit("checkpoints")
    with page.expect_download(timeout=PATIENCE) as started:
        page.get_by_role("button", name="Download").first.click()
    assert started.value.suggested_filename == "ted-talks-portuguese-to-english.zip"
    saved = tmp_path / "taken.zip"
    started.value.save_as(saved)

    page.locator("input[type=file]").set_input_files(saved)
    expect(page.get_by_role("button", name="Delete")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Delete")).to_be_visible()
    press(page, "Delete")
    expect(page.get_by_text("None yet.")).to_be_visible()


def test_a_part_of_the_architecture_opens_by_mouse_and_by_keyboard(visit: Visit) -> None:
    page = visit("architecture")
    expect(page.get_by_role("heading", name="Self-attention", exact=True)).to_be_visible()
    page.locator("[data-part=decoder_cross_attention][role=button]").click()
    expect(page.get_by_role("heading", name="Cross-attention", exact=True)).to_be_visible()
    page.locator("[data-part=encoder_feed_forward][role=button]").press("Enter")
    expect(page.get_by_role("heading", name="Feed-forward", exact=True)).to_be_visible()
    page.reload()  # the address holds what is open
    expect(page.get_by_role("heading", name="Feed-forward", exact=True)).to_be_visible()


def test_a_walk_through_a_lesson_by_the_strip(visit: Visit) -> None:
    page = visit("")
    page.get_by_role("radio", name="60 min").click()
    for number, step in enumerate(LESSONS[60].steps, start=1):
        name = "Begin" if number == 1 else f"Next: {step.page.title}"
        page.get_by_role("link", name=name).first.click()  # the strip's; one is at the foot, too
        expect(page.get_by_role("heading", name=step.page.title, exact=True, level=1)).to_be_visible()
        expect(page.get_by_text(f"Step {number} of {len(LESSONS[60].steps)}")).to_be_visible()
        expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_text("End of the 60-minute lesson").first).to_be_visible()
    for step in LESSONS[60].steps[-2::-1]:  # one press of the browser's Back a page
        settle(page)
        page.go_back()
        expect(page.get_by_role("heading", name=step.page.title, exact=True, level=1)).to_be_visible()


def test_back_finds_the_model_that_a_page_was_left_with(trained_page: Page) -> None:
    page = trained_page
    open_from_menu(page, "Masks")
    page.get_by_role("radio", name="No padding mask").click()
    choose(page, "Model", SHIPPED)
    settle(page)
    open_from_menu(page, "Translate")
    choose(page, "Model", "Classroom French–English (yours)")
    settle(page)
    page.go_back()
    expect(page.get_by_role("heading", name="Masks", level=1)).to_be_visible()
    settle(page)
    expect(page.get_by_role("combobox", name="Model", exact=True)).to_have_value(SHIPPED)


def test_back_from_a_step_with_another_model_finds_what_was_left(visit: Visit) -> None:
    """The next step's link names a model, which the server may write before the browser has left this page."""
    page = visit(f"decoding?lesson=60&model={FIRST}")
    other = re.compile("^Tatoeba")
    choose(page, "Model", other)
    settle(page)
    left = page.url
    page.locator(".st-key-strip_next a").click()
    expect(page.get_by_role("heading", name="What the model computes", level=1)).to_be_visible()
    settle(page)
    page.go_back()
    expect(page.get_by_role("heading", name="Decoding step by step", level=1)).to_be_visible()
    settle(page)
    assert page.url == left
    expect(page.get_by_role("combobox", name="Model", exact=True)).to_have_value(other)


def test_an_entry_of_the_history_keeps_its_address_when_the_next_page_writes_early(visit: Visit) -> None:
    page = visit("learning_rate?schedule=constant")
    left = page.url
    page.evaluate("""() => {
      document.body.click();
      history.pushState({}, "", "/learning_rate?masks=causal");  // the server's, for the next page
      history.pushState({}, "", "/masks?masks=causal");  // Streamlit's, of the next page
    }""")
    page.go_back()
    settle(page)
    assert page.url == left


def test_back_shows_a_page_as_it_was_left(visit: Visit) -> None:
    page = visit("learning_rate?lesson=60")
    page.get_by_role("radio", name="Constant").click()
    expect(page).to_have_url(re.compile("schedule=constant"))
    left = page.url
    open_from_menu(page, "Masks")
    page.get_by_role("radio", name="Causal mask", exact=True).click()
    expect(page).to_have_url(re.compile("masks=causal"))
    settle(page)
    page.go_back()
    expect(page.get_by_role("heading", name="Learning-rate schedule", level=1)).to_be_visible()
    settle(page)
    assert page.url == left
    expect(page.get_by_role("radio", name="Constant")).to_be_checked()
    page.go_forward()
    expect(page.get_by_role("heading", name="Masks", level=1)).to_be_visible()
    expect(page.get_by_role("radio", name="Causal mask", exact=True)).to_be_checked()


def test_a_lesson_is_presented_by_keys_alone(visit: Visit) -> None:
    page = visit("?present=1&lesson=30")
    expect(page.get_by_role("heading", name="The 30-minute lesson")).to_be_visible()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    keys = ("PageDown", "ArrowRight", "PageDown")  # an arrow leads on where the view has no step left
    for number, (step, key) in enumerate(zip(LESSONS[30].steps, keys, strict=False), start=1):
        name = "Begin" if number == 1 else f"Next: {step.page.title}"
        expect(page.get_by_role("link", name=name).first).to_be_visible()
        page.keyboard.press(key)
        expect(page.get_by_role("heading", name=step.page.title, exact=True, level=1)).to_be_visible()
        expect(page.get_by_text(f"Step {number} of {len(LESSONS[30].steps)}")).to_be_visible()
    page.keyboard.press("PageUp")
    expect(page.get_by_text(f"Step 2 of {len(LESSONS[30].steps)}")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()


def test_a_presenter_types_and_goes_on_by_keys(visit: Visit) -> None:
    page = visit("attention_maps?present=1&lesson=10")
    box = page.get_by_label("A text in Portuguese")
    box.fill("olá")
    box.press("Enter")
    expect(page).to_have_url(re.compile("sentence=ol"))
    settle(page)
    questions = page.get_by_role("heading", name="Three questions")
    expect(questions).not_to_be_in_viewport()
    page.keyboard.press("PageDown")  # no longer in the box; the questions come before the end
    expect(questions).to_be_in_viewport()
    page.keyboard.press("PageUp")
    expect(page.get_by_role("heading", name="Translate", exact=True, level=1)).to_be_visible()


def test_light_or_dark_is_chosen_in_the_app_and_paper_is_light(visit: Visit, address: str) -> None:
    page = visit("learning_rate?theme=dark")
    app, figure = page.get_by_test_id("stApp"), page.locator(".main-svg text").first
    expect(app).to_have_css("color-scheme", "dark")
    expect(figure).to_be_visible()
    settle(page)  # the app loads anew for another theme, and a press before that is lost
    dark = figure.evaluate("text => getComputedStyle(text).fill")
    page.get_by_role("radio", name="Light", exact=True).click()
    expect(app).to_have_css("color-scheme", "light")
    settle(page)
    expect(figure).not_to_have_css("fill", dark)  # the server draws figures for the theme
    expect(page).to_have_url(re.compile("theme=light"))
    page.goto(f"{address}/learning_rate")
    expect(page).to_have_url(re.compile("theme=light"))  # the browser remembers it

    page.emulate_media(media="print")
    for hidden in (
        page.get_by_test_id("stSidebar"),
        page.get_by_test_id("stHeader"),
        page.locator(".st-key-foot"),
    ):
        expect(hidden).to_be_hidden()
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert float(page.evaluate("document.documentElement.style.getPropertyValue('--paper')")) < 1
    expect(figure).to_be_visible()
