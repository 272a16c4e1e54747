"""The app's own styles: a figure belongs on the first screen of a projector, 1280 × 720."""

from __future__ import annotations

import streamlit as st

MENU_WIDTH = 280  # pixels
_FIGURE = '.js-plotly-plot, [data-testid^="stBidiComponent"], .number-tables, .ids'

_COMPACT = """<style>
[data-testid="stMainBlockContainer"] { padding: 2.3rem 2.2rem 3rem; } /* below Streamlit's own buttons */
[data-testid="stHeader"] { background: transparent; height: 2.6rem; pointer-events: none; }
[data-testid="stHeader"] button, [data-testid="stHeader"] a { pointer-events: auto; }
[data-testid="stMainBlockContainer"] [data-testid="stVerticalBlock"] { gap: 0.65rem; }
/* Styles and scripts have no height, but a gap each. */
.st-key-tab_memory, [data-testid="stElementContainer"]:has(> [data-testid="stHtml"]):not(:has(
  > [data-testid="stHtml"] > :not(style, script, .presenting))) { position: absolute !important; }
[data-testid="stHeading"] h1 { padding: 0 0 0.3rem; }
/* Streamlit's grey is too faint for a projector. */
[data-testid="stCaptionContainer"], [data-testid="stMetricLabel"] { color: inherit !important; opacity: 0.8; }
[data-testid="stSidebarHeader"] { height: 2.4rem; margin: 0; }
[data-testid="stSidebarNavLink"] { height: 1.65rem; margin: 0 !important; }
[data-testid="stSidebarNavItems"] > div { margin-top: 0.55rem !important; }
[data-testid="stSidebarContent"] [data-testid="stVerticalBlock"] { gap: 0.4rem; }
/* The primary color is too dark for text on a dark page. */
button[data-variant][data-selected="true"], [data-testid="stSliderThumbValue"] { color: inherit !important; }
/* What Streamlit's own button saves may run as a formula in a spreadsheet; `csv_of_table` makes files that do not. */
[data-testid="stElementToolbar"] button[aria-label^="Download as CSV"] { display: none; }
/* A button beside the box says what to press; the hint would lie over what is typed. */
.st-key-row_sentence [data-testid="InputInstructions"] { display: none; }
/* A QR code as large as the screen: it is read from the back row. */
.st-key-qr_code img { width: min(100vw - 5rem, 100vh - 13rem) !important; }
.st-key-strip { padding: 0.15rem 0.6rem !important; }
@media (min-width: 701px) {
  .st-key-strip { flex-wrap: nowrap !important; }
  /* Streamlit (1.67) takes the width it is told only from the second page on; the first would have 320 pixels. */
  [data-testid="stSidebar"][data-collapsed="false"] { width: MENU_WIDTH !important; min-width: 0 !important; }
}
@media (max-width: 700px) {
  [data-testid="stMainBlockContainer"] { padding: 2.8rem 1rem 3rem; }
  [data-testid="stMarkdownContainer"] table { display: block; overflow-x: auto; }
  /* Names break sooner than numbers leave the screen, where a number cut off reads as another. */
  [data-testid="stMarkdownContainer"] td code { white-space: normal; overflow-wrap: anywhere; }
  .st-key-strip > [data-testid="stElementContainer"] { order: -1; flex: 1 0 100%; }
  .st-key-strip { justify-content: space-between; }
  [data-testid="stExpandSidebarButton"] { backdrop-filter: blur(8px); border-radius: 0.5rem; }
  /* The figure first, then what changes it: whoever moves a slider wants to see what it does. */
  .st-key-view > :has(FIGURE):not(:has(FIGURE) ~ *), .st-key-view [data-testid="stColumn"]:has(FIGURE) { order: -1; }
}
</style>"""

_PRESENTING = """<style>
html { font-size: 20px !important; }
[data-testid="stMainBlockContainer"] [data-testid="stVerticalBlock"] { gap: 0.4rem; }
/* Whoever presents says what a page is about; the room is the figure's. */
[data-testid="stElementContainer"]:has([data-testid="stHeading"] h1) + :has(> [data-testid="stMarkdown"]) {
  display: none;
}
@media (min-width: 701px) { [data-testid="stMainBlockContainer"] { padding-top: 0.8rem; } }
[data-testid="stSidebar"], [data-testid="stSidebarCollapsedControl"], [data-testid="stExpandSidebarButton"] {
  display: none !important;
}
</style>"""

# A page on paper: what explains, and nothing to press. Streamlit's boxes that scroll would end after one sheet, and a
# figure is drawn for the screen's width.
_PRINTED = """<style>
@media print {
  @page { margin: 14mm; }
  html, body, #root, .stApp, [data-testid="stAppViewContainer"], [data-testid="stMain"] {
    position: static !important; height: auto !important; overflow: visible !important; background: #fff !important;
  }
  [data-testid="stSidebar"], [data-testid="stHeader"], .st-key-foot, .st-key-strip, .st-key-presenter_foot,
  [data-testid="stButton"], [data-testid="stFormSubmitButton"], [data-testid="stDownloadButton"],
  [data-testid="stPopover"], [data-testid="stPageLink"], [data-testid="stFileUploader"],
  [data-testid="stElementToolbar"], [data-testid="stTooltipIcon"], [data-testid="stToast"],
  [class*="st-key-"][class*="_shown"], .modebar {
    display: none !important;
  }
  [data-testid="stMainBlockContainer"] { padding: 0 !important; max-width: none; zoom: var(--paper, 1); }
  [data-testid="stPlotlyChart"], [data-testid="stDataFrame"], [data-testid="stAlert"], [data-testid="stExpander"], pre,
  table, svg, .katex-display { break-inside: avoid; }
  h1, h2, h3 { break-after: avoid; }
}
</style>"""

# A figure has the width that it had on the screen: the page is printed as it lies there, smaller. Added once in a tab.
_PAPER = """<script>
if (!window.fitsPaper) {
  window.fitsPaper = true;
  window.addEventListener("beforeprint", () => {
    const content = document.querySelector("[data-testid='stMainBlockContainer'] > *");
    const paper = 680; // pixels of a sheet, A4 or Letter, within its margins
    if (content) document.documentElement.style.setProperty("--paper", Math.min(1, paper / content.clientWidth));
  });
}
</script>"""

# The server has drawn the figures for a dark page. Turned over and with their hues turned back, they are right on paper.
_DARK_PRINTED = """<style>
@media print {
  [data-testid="stMain"] { color: #000 !important; }
  [data-testid="stMain"] :not(svg *, .katex *) { color: inherit !important; background-color: transparent !important; }
  [data-testid="stPlotlyChart"], [data-testid="stDataFrame"] { filter: invert(1) hue-rotate(180deg); }
}
</style>"""

# Presenters' remotes send Page Up and Page Down. The listener is added once in a tab, whatever is drawn again.
_KEYS = """<script>
if (!window.presenterKeys) {
  window.presenterKeys = true;
  const SCROLL = { ArrowDown: 120, ArrowUp: -120, " ": 500, End: 1e6, Home: -1e6 };
  document.addEventListener("keydown", (event) => {
    if (!document.querySelector(".presenting") || event.ctrlKey || event.altKey || event.metaKey) return;
    const typing = event.target.closest("input, textarea");
    if (typing && event.key === "Escape") return typing.blur();
    if (typing?.matches("input") && event.key === "Enter") setTimeout(() => typing.blur()); // then keys lead on
    const leads = ["PageDown", "PageUp"].includes(event.key) && !event.target.closest("textarea");
    if (!leads && event.target.closest("input, textarea, [role=slider], [role=combobox], [role=radiogroup]")) return;
    const press = (selectors) => {
      const found = document.querySelector(selectors);
      if (!found || found.disabled) return false;
      event.preventDefault();
      found.click();
      return true;
    };
    const next = () => {
      const questions = document.getElementById("three-questions"); // they close a lesson, below its last page
      if (!questions || questions.getBoundingClientRect().top < innerHeight / 2) return press(".st-key-strip_next a");
      event.preventDefault();
      questions.scrollIntoView();
    };
    if (event.key === "PageDown") next();
    if (event.key === "PageUp") press(".st-key-strip_back a");
    // First the view's own steps; where it has none left, the lesson's.
    if (event.key === "ArrowRight") press("[class*='st-key-'][class*='_Next'] button") || next();
    if (event.key === "ArrowLeft") press("[class*='st-key-'][class*='_Back'] button") || press(".st-key-strip_back a");
    if (event.key === "Escape") press(".st-key-leave_presenting button");
    if (event.key in SCROLL && event.target === document.body) {
      document.querySelector("[data-testid='stMain']").scrollBy(0, SCROLL[event.key]);
    }
  });
}
</script>"""

# Streamlit (1.67) folds the menu of narrow screens alone; on a phone held sideways it takes a third of a page that is 390
# pixels high. Folded once in a tab: whoever opens it wants it.
_FOLD = """<script>
if (!window.foldedMenu && innerHeight < 500 && matchMedia("(pointer: coarse)").matches) {
  window.foldedMenu = true;
  const fold = (tries) => {  // a new server's first page comes before its menu
    const button = document.querySelector("[data-collapsed='false'] [data-testid='stSidebarCollapseButton'] button");
    if (button) button.click();
    else if (tries) setTimeout(() => fold(tries - 1), 200);
  };
  fold(25);
}
</script>"""


def apply_layout() -> None:
    """Little space around the page, a narrow menu, a print style."""
    compact = _COMPACT.replace("FIGURE", _FIGURE).replace("MENU_WIDTH", f"{MENU_WIDTH}px")
    st.html(compact + _PRINTED + (_DARK_PRINTED if st.context.theme.type == "dark" else ""))
    st.html(_PAPER + _FOLD, unsafe_allow_javascript=True)


def present() -> None:
    """Larger type, no menu. Arrow keys go through a view's steps, then the lesson's; Page Up and Page Down at once."""
    st.html(f'{_PRESENTING}<div class="presenting"></div>')
    st.html(_KEYS, unsafe_allow_javascript=True)
