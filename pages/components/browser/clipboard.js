// @ts-check
// Without https, as on a teacher's laptop, pages have no clipboard, and a frame may not be allowed to use it; the older
// execCommand still works.

/** Copy a text. @param {string} text @param {HTMLElement} near an element on the page */
export async function copyText(text, near) {
  const isFramed = window.top !== window; // there, asking in vain is an error
  const copied = !isFramed && await navigator.clipboard?.writeText(text).then(() => true, () => false);
  if (copied) return;
  const box = document.createElement("textarea");
  box.value = text;
  near.after(box);
  box.select();
  document.execCommand("copy");
  box.remove();
  near.focus();
}
