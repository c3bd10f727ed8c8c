// Loaded into a server before its own code (`node --import`), this breaks it on purpose: the rows
// that list a memory stay when it is forgotten or changed. It is the proof that the crash test of
// memories notices such a fault.

import { registerHooks } from "node:module";

const TARGET = "/src/store/changes/memory-changes.ts";
const REMOVAL = "  for (const key of old) {\n    memtable.set(key, null);\n  }\n";

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(TARGET)) return loaded;
    const source = String(loaded.source);
    if (!source.includes(REMOVAL)) throw new Error(`there is no "${REMOVAL}" to break`);
    return { ...loaded, source: source.replace(REMOVAL, "") };
  },
});
