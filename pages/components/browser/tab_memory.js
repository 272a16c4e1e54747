// @ts-check
// What a tab remembers of its workspace. A browser keeps sessionStorage for one tab and through its reloads, like a
// workspace. Some browsers forbid it in a frame of another site; a reload there starts from scratch.
// All tabs of a browser know which of them leads a room, so that another one can lead it when that is lost.
// It also has the server draw the figures anew in another theme: each component costs every run.
/** @import { Mount } from "./types" */
import { watchTheme } from "./theme.js";

const KEY = "transformer-classroom-tab";
const LEADS = "transformer-classroom-leads"; // the workspace of the tab that leads a room

/** @type {Mount<{ workspace: string, settled: boolean, leads: boolean }>} */
export function mount(_place, data, send) {
  let current = data;
  let told = "";
  const tellWhoLeads = () => {
    const leads = localStorage.getItem(LEADS) ?? "";
    if (leads === told || leads === current.workspace) return;
    told = leads;
    send.state("leads", leads);
  };
  const update = (/** @type {typeof data} */ latest) => {
    current = latest;
    try {
      const remembered = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
      const isOurs = latest.settled || remembered === null || remembered.workspace === latest.workspace;
      if (!isOurs) return send.state("remembered", remembered);
      sessionStorage.setItem(KEY, JSON.stringify(latest));
      if (latest.leads) localStorage.setItem(LEADS, latest.workspace);
      tellWhoLeads();
    } catch (error) {
      console.info("This browser keeps nothing for this tab.", error);
    }
  };
  update(data);
  addEventListener("storage", tellWhoLeads); // another tab leads from now on
  const stopWatching = watchTheme(() => send.trigger("themed", true));
  const dispose = () => {
    removeEventListener("storage", tellWhoLeads);
    stopWatching();
  };
  return { update, dispose };
}
