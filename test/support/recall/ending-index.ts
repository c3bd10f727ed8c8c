// Loaded into a server before its own code (`node --import`), this ends the thread of the index of
// recall at each SIGUSR2, as a crash in it would.

import { registerHooks } from "node:module";

const TARGET = "/src/recall/index/client.ts";
const STARTED = "worker.unref();";
const ENDING = `${STARTED}
    process.removeAllListeners("SIGUSR2");
    process.on("SIGUSR2", () => void worker.terminate());`;

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(TARGET)) return loaded;
    const source = String(loaded.source);
    if (!source.includes(STARTED)) throw new Error(`there is no "${STARTED}" to go behind`);
    return { ...loaded, source: source.replace(STARTED, ENDING) };
  },
});
