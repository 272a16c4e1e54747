// @ts-check
// Streamlit closes its menu at the start only on phones. style.css shows no menu on a small screen before this has run.
const SMALL = 1000; // pixels

/** Close the menu on a small screen, as soon as there is one. */
export function start() {
  const { dataset } = document.documentElement;
  if (dataset.menu) return;
  const isSmall = innerWidth < SMALL;
  const closeMenu = () => {
    /** @type {HTMLElement | null} */
    const sidebar = document.querySelector("[data-testid='stSidebar']");
    if (!sidebar) return false;
    /** @type {HTMLElement | null} */
    const button = sidebar.querySelector("[data-testid='stSidebarCollapseButton'] button");
    if (isSmall && sidebar.dataset.collapsed === "false") button?.click();
    dataset.menu = "ready";
    return true;
  };
  if (closeMenu()) return;
  const watching = new MutationObserver(() => closeMenu() && watching.disconnect());
  watching.observe(document.body, { childList: true, subtree: true });
}
