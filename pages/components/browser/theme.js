// @ts-check
// Figures are drawn for light or for dark, and Streamlit (1.67) does not rerun when the theme changes. It remembers the
// choice only for the address at which the tab was loaded; this copies it to all pages.

/** Call back when the tab's theme has changed; return how to end that. @param {() => void} react */
export function watchTheme(react) {
  const app = /** @type {Element} */ (document.querySelector(".stApp"));
  const scheme = () => getComputedStyle(app).colorScheme;
  let last = scheme();
  const watching = new MutationObserver(() => {
    if (scheme() === last) return;
    last = scheme();
    copyChoice();
    react();
  });
  watching.observe(app, { attributes: true });
  return () => watching.disconnect();
}

function copyChoice() {
  const entry = (/** @type {string} */ path) => `stActiveTheme-${path}-v2`;
  const loaded = new URL(performance.getEntriesByType("navigation")[0].name).pathname;
  const chosen = localStorage.getItem(entry(loaded));
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll("[data-testid='stSidebarNavLink']");
  for (const { pathname } of links) {
    if (chosen === null) localStorage.removeItem(entry(pathname));
    else localStorage.setItem(entry(pathname), chosen);
  }
}
