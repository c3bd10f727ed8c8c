// Loaded into a server before its own code (`node --import`), this breaks it on purpose: the effect
// of a result and the end of its task are two transactions, and the failpoint lies between them. It
// is the proof that the crash tests of hooks notice such a fault.

import { registerHooks } from "node:module";

const TARGET = "/src/tasks/run/complete-task.ts";

const CHANGES: readonly (readonly [from: string, to: string])[] = [
  ["remove: [task.taskNo]", "remove: []"],
  ['  failpoint("after-hook");\n', ""],
  [
    "  const { result } = settled;\n",
    `  const { result } = settled;
  if (result.kind === "done") {
    failpoint("after-hook");
    await settle(context, call, target, (settling, held) => {
      const { session, task, view } = held;
      const head = { ...session.head, revision: view.revision };
      const plan = { head, tasks: { remove: [task.taskNo], put: nextPart(held, settling.nowMs) } };
      return saved(settling, held, { result, session, plan, details: [], bytes: undefined });
    });
  }
`,
  ],
];

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(TARGET)) return loaded;
    let source = String(loaded.source);
    for (const [from, to] of CHANGES) {
      if (!source.includes(from)) throw new Error(`there is no "${from}" to break`);
      source = source.replace(from, to);
    }
    return { ...loaded, source };
  },
});
