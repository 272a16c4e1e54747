// @ts-check
// Back goes to the page before as it was left: one history entry a page, though the server writes values into the
// address.
const HEADING_MS = 5000; // within which a page has drawn its heading

const heading = () => /** @type {HTMLElement | null} */ (document.querySelector("[data-testid='stMain'] h1"));

/** Replace how Streamlit adds history entries, once in a tab. */
export function start() {
  if (document.documentElement.dataset.history) return;
  document.documentElement.dataset.history = "ready";
  const push = history.pushState.bind(history);
  // The server may write the next page's values into the address before the browser has left this page. So this page's
  // history entry is restored to the address at the last click.
  let clicked = ""; // an address that one has come by may join a room again
  let left = ""; // the heading at the last click
  const note = () => {
    clicked = location.href;
    left = heading()?.textContent ?? "";
  };
  for (const event of ["click", "keydown"]) addEventListener(event, note, true);
  history.pushState = (state, unused, address) => {
    const { pathname } = new URL(address ?? "", location.href);
    if (pathname === location.pathname) return history.replaceState(state, unused, address);
    if (clicked && new URL(clicked).pathname === location.pathname) history.replaceState(history.state, "", clicked);
    document.querySelector("[data-testid='stMain']")?.scrollTo(0, 0); // a page starts at its top
    focusNextHeading(left);
    return push(state, unused, address);
  };
}

/** Focus the next page's heading once it is drawn, so that a screen reader says where one is. @param {string} before */
function focusNextHeading(before) {
  /** @type {HTMLElement | null} */
  let focused = null; // Streamlit may draw it more than once
  const focus = () => {
    const found = heading();
    if (!found?.textContent || found.textContent === before || found === focused) return;
    focused = found;
    found.tabIndex = -1;
    found.style.outline = "none"; // it is no control
    found.focus({ preventScroll: true });
  };
  const drawn = new MutationObserver(focus);
  drawn.observe(document.body, { subtree: true, childList: true, characterData: true });
  focus();
  setTimeout(() => drawn.disconnect(), HEADING_MS);
  // Whoever goes on by key or pointer meanwhile keeps the focus.
  for (const event of ["keydown", "pointerdown"]) addEventListener(event, () => drawn.disconnect(), { once: true });
}
