// Streamlit (1.67) hears no keys while a box has the focus: after Enter, those of a presenter lead on again.
if (!window.leavesBoxes) {
  window.leavesBoxes = true;
  addEventListener("keydown", ({ key, target }) => {
    const isPresenting = document.querySelector(".st-key-leave_presenting");
    if (key === "Enter" && isPresenting && target.matches("input")) setTimeout(() => target.blur());
  });
}
