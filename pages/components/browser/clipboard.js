// @ts-check
// Without https, as on a teacher's laptop, pages have no clipboard; the older execCommand still works.

/** Copy a text. @param {string} text @param {HTMLElement} near an element on the page */
export async function copyText(text, near) {
  const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  if (copied) return;
  const box = document.createElement("textarea");
  box.value = text;
  near.after(box);
  box.select();
  document.execCommand("copy");
  box.remove();
}
