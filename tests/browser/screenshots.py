"""Take the README's pictures from the running app.

python -m tests.browser.screenshots [FOLDER]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.app import PATIENCE, ROOT, running_app, running_chromium

_SETTLE = 2_000  # ms, until what fades in has done so
_TRAINING = 5 * PATIENCE  # of a machine that does other things too


def take_screenshots(page: Page, address: str, folder: Path) -> None:
    """Walk through the app as a visitor would and keep a picture of each page."""

    def keep(name: str) -> None:
        page.wait_for_timeout(_SETTLE)
        page.screenshot(path=folder / f"{name}.png")

    page.goto(address)
    button = page.get_by_role("button", name="Watch it learn")
    expect(button).to_be_visible()
    expect(page.locator(".living").get_by_role("button", name="Play")).to_be_visible()  # at its end
    keep("home")
    button.click()
    done = page.get_by_role("heading", name="15 of 15 pairs translated exactly")
    expect(done).to_be_visible(timeout=_TRAINING)
    # Compiled now: the picture is of the learning.
    page.get_by_role("button", name="Retrain from scratch").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible(timeout=_TRAINING)
    keep("train")  # while it is played
    expect(done).to_be_visible(timeout=_TRAINING)
    page.get_by_role("link", name="Translate with it").click()
    box = page.get_by_role("textbox", name="A text in French")
    box.fill("je ne comprends pas")
    box.press("Enter")
    expect(page.get_by_role("heading", name="i do not understand")).to_be_visible()
    keep("translate")
    page.get_by_role("link", name="See the attention weights").click()
    expect(page.get_by_text("→ i do not understand")).to_be_visible()
    keep("attention_maps")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / ".github" / "screenshots")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    log = Path(tempfile.mkdtemp()) / "server.log"
    with running_app(log) as address, running_chromium() as chromium:
        page = chromium.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(PATIENCE)
        take_screenshots(page, address, folder)


if __name__ == "__main__":
    main()
