"""axe-core on every page, light, dark and in presenter mode: only Streamlit's own has anything that it calls serious."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from pages.components.browser_files import BROWSER
from pages.components.menu import HOME, LESSON_END, PAGES, PageEntry
from tests.browser.conftest import Visit, settle

pytestmark = pytest.mark.browser

AXE = BROWSER / "node_modules" / "axe-core" / "axe.min.js"
_FIND = """async () => {
  // Streamlit's own: the lists of its menu, and the contrast of a key that it names.
  const menu = "[data-testid=stSidebarNav]";
  const streamlits = { list: menu, listitem: menu, "color-contrast": "kbd" };
  const options = { resultTypes: ["violations"], elementRef: true };
  const { violations } = await axe.run(document, options);
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).flatMap(({ id, nodes }) =>
    nodes.filter(({ element }) => !element.closest(streamlits[id] ?? "none")).map(({ html }) => `${id}: ${html}`));
}"""


def serious(page: Page) -> list[str]:
    """Return what axe-core finds, without what is Streamlit's own."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(_FIND)
    return found


@pytest.fixture(scope="module", autouse=True)
def _axe() -> None:
    if not AXE.exists():
        pytest.skip("needs axe-core: npm ci in pages/components/browser")


@pytest.mark.parametrize("entry", [*PAGES, LESSON_END], ids=lambda entry: entry.title)
def test_nothing_serious_is_ours(visit: Visit, entry: PageEntry) -> None:
    page = visit("" if entry is HOME else entry.address)
    found = {"light": serious(page)}
    page.emulate_media(color_scheme="dark")
    page.get_by_test_id("stSidebar").get_by_text("Present").click()
    settle(page)
    found["presenter mode in the dark"] = serious(page)
    assert found == {"light": [], "presenter mode in the dark": []}
