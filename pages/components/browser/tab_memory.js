// @ts-check
// What a tab remembers of its workspace. A browser keeps sessionStorage for one tab and through its reloads, like a
// workspace. Some browsers forbid it in a frame of another site; a reload there starts from scratch.
// It also has the server draw the figures anew in another theme: each component costs every run.
/** @import { Mount } from "./types" */
import { watchTheme } from "./theme.js";

const KEY = "transformer-classroom-tab";

/** @type {Mount<{ workspace: string, settled: boolean }>} */
export function mount(_place, data, send) {
  const update = (/** @type {typeof data} */ latest) => {
    try {
      const remembered = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
      const isOurs = latest.settled || remembered === null || remembered.workspace === latest.workspace;
      if (isOurs) sessionStorage.setItem(KEY, JSON.stringify(latest));
      else send.state("remembered", remembered);
    } catch (error) {
      console.info("This browser keeps nothing for this tab.", error);
    }
  };
  update(data);
  return { update, dispose: watchTheme(() => send.trigger("themed", true)) };
}
