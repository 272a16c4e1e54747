// Streamlit (1.67) ignores shortcuts while a text box has the focus; after Enter, this gives up the focus.
if (!window.leavesBoxes) {
  window.leavesBoxes = true;
  addEventListener("keydown", ({ key, target }) => {
    const isPresenting = document.querySelector(".st-key-leave_presenting");
    if (key === "Enter" && isPresenting && target.matches("input")) setTimeout(() => target.blur());
  });
}
