"""Take the README's pictures, and its moving picture of a training, from the app: python -m tests.browser.screenshots."""

import io
import re
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.app import PATIENCE, ROOT, running_app, running_chromium

_FOLDER = ROOT / ".github" / "screenshots"
_SETTLE = 2_000  # ms, until what fades in has done so
_COLORS = 128  # of a picture; more can hardly be told apart
_FRAMES, _FRAME, _LAST_FRAME = 64, 125, 2_000  # of the moving picture, and ms

_VOTES = "AABABB"  # of the class

# Of each picture its address, and what must be there before it is taken.
_PICTURES = {
    "attention_maps": ("attention_maps", ".st-key-scrolled_heat_maps .js-plotly-plot"),
    "beam_tree": ("decoding?search=beam&beam_step=8", ".st-key-beam_tree .js-plotly-plot"),
    "presenter": (
        "attention_by_hand?by_hand_view=numbers&step_by_step=on&step=33&lesson=30&present=true",
        ".number-tables",
    ),
}


def take_pictures(page: Page, address: str) -> None:
    """Take a picture of each page, and two of Train."""
    for name, (path, selector) in _PICTURES.items():
        page.goto(f"{address}/{path}")
        show_me = page.get_by_role("button", name="Show me")
        expect(page.locator(selector).or_(show_me).first).to_be_visible()
        if show_me.is_visible():
            page.wait_for_timeout(_SETTLE)
            show_me.click()
        expect(page.locator(selector).first).to_be_visible()
        save_picture(page, name)
    page.goto(f"{address}/train")
    page.wait_for_timeout(_SETTLE)  # a press on a page that is still drawn may be lost
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("button", name="Retrain from scratch")).to_be_visible(timeout=5 * PATIENCE)
    page.mouse.move(5, 5)
    player = page.locator(".player")
    go_to_moment(player, 1.0)
    save_picture(page, "train")
    page.set_viewport_size({"width": 1320, "height": 760})
    page.wait_for_timeout(_SETTLE)
    film(player)


def film(player: Locator) -> None:
    """Film the player, snapshot by snapshot, as it looks while it plays."""
    panels, frames = player.locator(".panels"), []
    panels.evaluate("panels => { panels.style.padding = '10px'; }")
    for number in range(_FRAMES):
        go_to_moment(player, number / (_FRAMES - 1))
        frames.append(Image.open(io.BytesIO(panels.screenshot())).convert("RGB"))
    durations = [_FRAME] * (_FRAMES - 1) + [_LAST_FRAME]
    first, *rest = frames
    first.save(
        _FOLDER / "training.webp", save_all=True, append_images=rest, duration=durations, method=6, quality=60
    )


def go_to_moment(player: Locator, share: float) -> None:
    """Move the player to a place from 0 to 1."""
    player.locator("input[type=range]").evaluate(
        "(slider, share) => { slider.value = share * slider.max; slider.dispatchEvent(new Event('input')); }",
        share,
    )
    player.page.wait_for_timeout(250)  # until colors have faded


def save_picture(page: Page, name: str) -> None:
    """Save what the page shows with few colors, which takes a third of the bytes."""
    page.wait_for_timeout(_SETTLE)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(_COLORS, dither=Image.Dither.NONE).save(_FOLDER / f"{name}.png", optimize=True)


def take_lesson(page: Page, address: str) -> None:
    """Take a picture of a lesson of one's own, with a question that is being typed."""
    page.goto(f"{address}/my_lesson")
    page.get_by_role("button", name="Start from").click()
    page.get_by_role("button", name="The 10-minute lesson").click()
    expect(page.get_by_role("button", name="Preview")).to_be_visible()
    page.keyboard.press("Escape")
    page.wait_for_timeout(_SETTLE)
    page.get_by_role("button", name="Remove").first.click()
    expect(page.get_by_role("button", name="Edit")).to_have_count(2)
    page.get_by_role("button", name="Edit").last.click()
    page.get_by_text("My own, before the figure").click()
    boxes = {
        "Note, for you alone": "Give them a minute, then a second vote.",
        "My question": "Which word does the model look at when it writes “we”?",
        "The right answer": "temos",
        "Why it is right": "The ending -mos says who does it.",
        "A wrong one": "que",
        "Another (optional)": "problema",
    }
    for label, text in boxes.items():
        page.get_by_label(label, exact=True).first.fill(text)
        page.keyboard.press("Tab")
        page.wait_for_timeout(_SETTLE)
    page.get_by_role("heading", name="My lesson").scroll_into_view_if_needed()
    save_picture(page, "my_lesson")


def take_class(browser: Browser, address: str) -> None:
    """Take a picture of a room's screen, and of the projector and a phone when the class has voted."""
    teacher = browser.new_page(viewport={"width": 1280, "height": 720})
    teacher.set_default_timeout(PATIENCE)
    teacher.goto(f"{address}/?lesson=30")
    teacher.get_by_role("button", name="Open a room").click()
    screen = teacher.locator(".st-key-room_screen")
    code = screen.get_by_role("heading").inner_text()
    phones = [
        browser.new_page(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
        for _ in _VOTES
    ]
    for phone in phones:
        phone.goto(f"{address}/room/{code}")
        expect(phone.get_by_role("heading", name="Welcome")).to_be_visible()
    teacher.get_by_text("Present", exact=True).click()
    expect(screen).to_contain_text(f"{len(_VOTES)} are here")
    save_picture(teacher, "room_screen")
    screen.get_by_role("button", name="Go on").click()
    teacher.get_by_role("button", name="6. Positional encoding").click()
    for phone, answer in zip(phones, _VOTES, strict=True):
        expect(phone.get_by_text(re.compile("^Step 6 of"))).to_be_visible()
        phone.get_by_role("button", name=re.compile(f"^{answer}\\b")).tap()
    expect(teacher.locator(".st-key-room_bar")).to_contain_text(f"{len(_VOTES)} answered")
    teacher.get_by_role("button", name="Show answers").click()
    expect(teacher.locator(".tally")).to_be_visible()
    save_picture(teacher, "room_projector")
    expect(phones[0].locator(".bar").first).to_be_visible()
    save_picture(phones[0], "room_phone")


if __name__ == "__main__":
    log = Path(tempfile.mkdtemp()) / "server.log"
    settings = {"public_address": "https://class.example.org"}
    with running_app(log, settings) as address, running_chromium() as chromium:
        tab = chromium.new_page(viewport={"width": 1440, "height": 900})
        tab.set_default_timeout(PATIENCE)
        take_pictures(tab, address)
        take_lesson(chromium.new_page(viewport={"width": 1280, "height": 860}), address)
        take_class(chromium, address)
