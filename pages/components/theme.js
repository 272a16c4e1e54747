// Figures are drawn for light or for dark, and Streamlit (1.67) does not rerun when the theme changes. It remembers the
// choice only for the address at which the tab was loaded; this copies it to all pages.
export default function (component) {
  const { parentElement, setTriggerValue } = component;
  const app = document.querySelector(".stApp");
  const scheme = () => getComputedStyle(app).colorScheme;
  let last = scheme();
  parentElement.observer?.disconnect(); // of the run before
  parentElement.observer = new MutationObserver(() => {
    if (scheme() === last) return;
    last = scheme();
    const entry = (path) => `stActiveTheme-${path}-v2`;
    const loaded = new URL(performance.getEntriesByType("navigation")[0].name).pathname;
    const chosen = localStorage.getItem(entry(loaded));
    for (const { pathname } of document.querySelectorAll("[data-testid='stSidebarNavLink']")) {
      if (chosen === null) localStorage.removeItem(entry(pathname));
      else localStorage.setItem(entry(pathname), chosen);
    }
    setTriggerValue("changed", last);
  });
  parentElement.observer.observe(app, { attributes: true });
}
