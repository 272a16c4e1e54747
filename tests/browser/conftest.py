"""One server and one Chromium for all journeys; each visitor is a tab of its own."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    ViewportSize,
    expect,
)

from pages.components.frame.presenting import LEADS_ON
from pages.content.pages import PAGES, TRAIN, TRANSLATE, PageEntry
from pages.content.reader import PAGE_TEXTS
from tests.browser.app import CHROMIUM, PATIENCE, running_app, running_chromium

Visit = Callable[[str], Page]  # by what follows the server's address

ALL_RIGHT = re.compile(r"\b15\D+15\b")  # pairs, the heading after a training
PROJECTOR: ViewportSize = {"width": 1280, "height": 720}  # a laptop shows more
PHONE: ViewportSize = {"width": 360, "height": 740}

# Whether nothing has changed for a while: a script run begins only some time after what asked for it. Asked again and
# again from outside, since the app may reload the page.
_POLL = 70  # ms
_AT_REST = """([name, times]) => {
  const main = document.querySelector("[data-testid=stMain]");
  if (!main) return false;
  const running = !document.querySelector("[data-test-script-state=notRunning]")
    || document.querySelector("[data-testid=stSpinner], [data-testid=stSkeleton], [data-stale=true]");
  const now = [main.scrollHeight, main.innerText.length, main.querySelectorAll("*").length].join();
  const last = window[name] ?? { now: "", same: 0 };
  window[name] = { now, same: !running && now === last.now ? last.same + 1 : 0 };
  return window[name].same >= times;
}"""
# Streamlit remembers for all tabs of a profile whether its menu is open.
_FORGET = """if (location.protocol === "http:" && !sessionStorage.visited) {
  localStorage.clear();
  sessionStorage.visited = true;
}"""
PAUSE = "❚❚"  # on the button of what plays
_numbers = count()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt-get install chromium-headless-shell, or name one in CHROMIUM")
    with running_chromium() as chromium:
        yield chromium


@pytest.fixture(scope="package")
def unvisited(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a server on which no page has been opened; without Chromium, `browser` has skipped."""
    with running_app(tmp_path_factory.mktemp("server") / "log") as address:
        yield address


@pytest.fixture(scope="package")
def first_visitor(browser: Browser, unvisited: str) -> Iterator[Page]:
    """Open a page's own address before Home has been opened."""
    with new_visitor(browser, f"{unvisited}/translate?sentence=merci") as tab:
        expect_page(tab, TRANSLATE)
        yield tab


@pytest.fixture(scope="package")
def address(unvisited: str, first_visitor: Page) -> str:
    """Return the server's address, after its first visitor."""
    return unvisited


@pytest.fixture(scope="package")
def profile(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """Open the profile that all visitors share: each tab is a separate session, and opens twice as fast."""
    with closing(new_profile(browser)) as context:
        # A tab that stays keeps their process, and with it the app's compiled scripts.
        context.new_page().goto(f"{address}/masks")
        yield context


@pytest.fixture(scope="package")
def trained(first_visitor: Page) -> Page:
    """Return the first visitor's tab, in which the classroom model has been trained."""
    expect_menu(first_visitor)
    open_from_menu(first_visitor, TRAIN)
    press(first_visitor, LEADS_ON)
    # Where it has ended, the player begins once more.
    wait_for(first_visitor, first_visitor.locator(".player .play", has_text=PAUSE))
    wait_for(first_visitor, first_visitor.get_by_role("heading", name=ALL_RIGHT))
    return first_visitor


@pytest.fixture
def trained_page(trained: Page) -> Page:
    """Return that tab on Train, wherever the previous test left it."""
    open_from_menu(trained, TRAIN)
    expect(trained.get_by_role("heading", name=ALL_RIGHT)).to_be_visible()
    return trained


@pytest.fixture
def visit(profile: BrowserContext, address: str) -> Iterator[Visit]:
    """Opens tabs of new visitors, come to rest; the test fails where the console of one has an error."""
    with ExitStack() as tabs:

        def open_tab(path: str) -> Page:
            tab = tabs.enter_context(visitor_in(profile, f"{address}/{path}"))
            settle(tab)
            return tab

        yield open_tab


def new_profile(browser: Browser) -> BrowserContext:
    """Without cookies and anything that a browser remembers."""
    return browser.new_context(viewport=PROJECTOR)


@contextmanager
def new_visitor(browser: Browser, address: str) -> Iterator[Page]:
    """Open a tab like `visitor_in`, in a fresh profile."""
    with closing(new_profile(browser)) as profile, visitor_in(profile, address) as tab:
        yield tab


@contextmanager
def visitor_in(profile: BrowserContext, address: str) -> Iterator[Page]:
    """Open a tab at an address.

    When it closes, its console must have no errors, and it must have asked no other site for anything.
    """
    tab = profile.new_page()
    tab.add_init_script(_FORGET)
    errors: list[str] = []
    elsewhere: list[str] = []

    def keep_elsewhere(request: Request) -> None:
        url = urlsplit(request.url)
        if (
            url.scheme in ("http", "https") and url.hostname != "127.0.0.1"
        ):  # where all servers of the tests are
            elsewhere.append(request.url)

    def keep_errors(message: ConsoleMessage) -> None:
        # Opened at a page's own address, Streamlit looks for its server below that address first. And on a busy machine,
        # the next run has replaced a picture before the browser asks for it.
        is_streamlits = any(path in message.location["url"] for path in ("/_stcore/", "/media/"))
        if message.type == "error" and not is_streamlits:
            errors.append(f"{message.text} {message.location}")

    tab.on("request", keep_elsewhere)
    tab.on("console", keep_errors)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.set_default_timeout(PATIENCE)
    try:
        tab.goto(address)
        yield tab
    finally:
        tab.close()
    assert not errors and not elsewhere


def settle(page: Page, times: int = 4) -> None:
    """Wait until the page has come to rest: has looked the same that many times."""
    name = f"rest{next(_numbers)}"  # on the window, for this wait only
    page.wait_for_function(_AT_REST, arg=[name, times], polling=_POLL)


def press(page: Page, button: str | Locator) -> None:
    """Press a button, which may be named by its key, of a page at rest: a press during a run would be lost."""
    settle(page)
    (button_of(page, button) if isinstance(button, str) else button).click()


def button_of(page: Page, key: str) -> Locator:
    """Return a button by its key; one with a help text is drawn twice, for narrow and for wide screens."""
    return page.locator(f".st-key-{key} button:visible")


def open_room(teacher: Page) -> str:
    """Open a room for a class from a teacher's tab; return its code, which the tab shows now."""
    press(teacher, "share")
    press(teacher, "open_room")
    return teacher.locator(".st-key-room_screen").get_by_role("heading").inner_text()


def remote_of(teacher: Page) -> str:
    """Return the address that makes a phone the remote; the tab shows it as a code."""
    for key in ("room_class", "room_remote", "new_remote"):
        press(teacher, key)
    ticket = teacher.get_by_alt_text("/remote/").get_attribute("alt") or ""
    return ticket[ticket.index("http") :]


def field(page: Page, key: str) -> Locator:
    """Return the box of a widget, by its key."""
    return page.locator(f".st-key-{key}").locator("input, textarea").first


def choose(page: Page, menu: str, option: str | re.Pattern[str]) -> None:
    """Choose an option of a menu, by the menu's key."""
    box = page.locator(f".st-key-{menu}").get_by_role("combobox")
    box.scroll_into_view_if_needed()
    settle(page)  # a menu that is opened while the page still comes in or scrolls closes again
    box.click()
    page.get_by_role("option", name=option, exact=True).click()
    settle(page)


def expect_page(page: Page, entry: PageEntry) -> None:
    """Wait for a page by its heading."""
    heading = PAGE_TEXTS[entry.address].heading or entry.title
    expect(page.get_by_role("heading", name=heading, exact=True, level=1)).to_be_visible()


def open_from_menu(page: Page, entry: PageEntry) -> None:
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=entry.title).click()
    expect_page(page, entry)
    settle(page)  # a button clicked while the page still loads may be redrawn, and the click lost


def expect_menu(page: Page) -> None:
    """Wait for the links to all pages."""
    links = page.get_by_test_id("stSidebarNav").get_by_role("link")
    expect(links).to_have_text([re.compile(re.escape(entry.title)) for entry in PAGES])


def wait_for(page: Page, locator: Locator) -> None:
    """Until it can be seen, as long as something else on the page changes meanwhile, as a training's progress."""
    before = ""
    while (now := page.get_by_test_id("stMain").inner_text()) != before:
        before = now
        try:
            expect(locator).to_be_visible()
            return
        except AssertionError:
            continue
    expect(locator).to_be_visible()
