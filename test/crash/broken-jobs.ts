// Loaded into a server before its own code (`node --import`), this breaks it on purpose: what a job
// on memories finds and the end of the job are two transactions. It is the proof that the crash
// test of memories notices such a fault.

import { registerHooks } from "node:module";

const TARGET = "/src/memory/learn/attempt.ts";

const CHANGES: readonly (readonly [from: string, to: string])[] = [
  [
    "        memoryJobs: { put: [{ type: taken.type, job: outcome.next }] },\n",
    "        ...((later = outcome.next), {}),\n",
  ],
  [
    "  const end = await changeSession<JobEnd>(\n",
    "  let later;\n  const end = await changeSession(\n",
  ],
  [
    "  if (end instanceof Uint8Array)",
    `  if (end !== "stale") {
    await changeSession(context, serverCall(), { namespace, sessionId }, (view) => {
      const { revision, session } = view;
      const head = { ...session.head, revision };
      const origin = { session, revision, nowMs, requestId: "" };
      const detail = { type: EVENT_TYPE.sessionUpdated, paths: ["memory_tasks"] };
      const events = newEvents(context, origin, [detail]);
      const memoryJobs = { put: [{ type: taken.type, job: later }] };
      return { kind: "save", result: undefined, plan: { head, memoryJobs, events } };
    });
  }
  if (end instanceof Uint8Array)`,
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
