// Loaded into a server before its own code (`node --import`), this breaks it on purpose: changes
// of messages are not sent to the index of recall. It proves that the crash test of recall notices
// such a fault.

import { registerHooks } from "node:module";

const TARGET = "/src/recall/feed/changes.ts";
const MARK = "for (const run of seqsOf(event) ?? [undefined]) feed.mark(ref, run);";

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(TARGET)) return loaded;
    const source = String(loaded.source);
    if (!source.includes(MARK)) throw new Error(`there is no "${MARK}" to break`);
    return { ...loaded, source: source.replace(MARK, "") };
  },
});
