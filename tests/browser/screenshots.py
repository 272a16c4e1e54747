"""Take the README's pictures, and its moving picture of a training, from the running app.

python -m tests.browser.screenshots [FOLDER]
"""

from __future__ import annotations

import argparse
import io
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.app import PATIENCE, ROOT, running_app, running_chromium

_SETTLE = 2_000  # ms, until what fades in has done so
_TRAINING = 5 * PATIENCE  # of a machine that does other things too
_COLORS = 128  # of a picture; more can hardly be told apart
_FRAMES, _FRAME, _LAST_FRAME = 64, 125, 2_000  # of the moving picture, and ms
_SENTENCE = "este é um problema que temos que resolver."

_PICTURES = {
    "attention_maps": ("attention_maps", ".stage", {}),
    "beam_tree": (
        "decoding",
        ".st-key-beam_tree .js-plotly-plot",
        {"search": "Beam search", "sentence": _SENTENCE, "beam_step": 9},
    ),
    "presenter": (
        "attention_by_hand",
        ".number-tables",
        {"by_hand_view": "Single numbers", "lesson": 30, "present": "true", "step": 33},
    ),
}
"""Of each picture the page, what must be there before it is taken, and the address's parameters."""


def take_pictures(page: Page, address: str, folder: Path) -> None:
    """Take a picture of each page, and two of Train."""
    for name, (path, selector, parameters) in _PICTURES.items():
        page.goto(f"{address}/{path}?{urlencode(parameters)}")
        expect(page.locator(selector).first).to_be_visible()
        page.wait_for_timeout(_SETTLE)
        save_picture(page.screenshot(), folder / f"{name}.png")
    page.goto(f"{address}/train")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".player .row.right")).to_have_count(5, timeout=_TRAINING)
    expect(page.get_by_role("button", name="Retrain from scratch")).to_be_visible(timeout=_TRAINING)
    page.mouse.move(5, 5)
    page.wait_for_timeout(_SETTLE)
    go_to_moment(page, 1.0)
    save_picture(page.screenshot(), folder / "train.png")
    page.set_viewport_size({"width": 1320, "height": 760})
    page.wait_for_timeout(_SETTLE)
    film_training(page, folder / "training.webp")


def film_training(page: Page, file: Path) -> None:
    """Film the player, moment by moment, as it looks while it plays."""
    frames, player = [], page.locator(".player .panels")
    player.evaluate("panels => { panels.style.padding = '10px'; }")
    for number in range(_FRAMES):
        go_to_moment(page, number / (_FRAMES - 1))
        frames.append(Image.open(io.BytesIO(player.screenshot())).convert("RGB"))
    durations = [_FRAME] * (_FRAMES - 1) + [_LAST_FRAME]
    frames[0].save(
        file, save_all=True, append_images=frames[1:], duration=durations, loop=0, quality=60, method=6
    )


def go_to_moment(page: Page, share: float) -> None:
    """Move the player to a place from 0 to 1."""
    move = (
        "(slider, share) => { slider.value = share * slider.max; slider.dispatchEvent(new Event('input')); }"
    )
    page.locator(".player input[type=range]").evaluate(move, share)
    page.wait_for_timeout(250)  # until colors have faded


def save_picture(data: bytes, file: Path) -> None:
    """Save a picture with few colors, which takes a third of the bytes."""
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    picture.quantize(_COLORS, dither=Image.Dither.NONE).save(file, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / ".github" / "screenshots")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    log = Path(tempfile.mkdtemp()) / "server.log"
    with running_app(log) as address, running_chromium() as chromium:
        page = chromium.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(PATIENCE)
        take_pictures(page, address, folder)


if __name__ == "__main__":
    main()
