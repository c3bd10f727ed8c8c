// Loaded into a server before its own code (`node --import`), this breaks it on purpose: what a
// turn gives to long-term memory is a second transaction behind that of its messages. It is the
// proof that the crash test of memories notices such a fault.

import { registerHooks } from "node:module";

const TARGET = "/src/session/append.ts";

const CHANGES: readonly (readonly [from: string, to: string])[] = [
  [
    '    if (result instanceof Uint8Array || result === "stale") return result;\n',
    `    if (result === "stale") return result;
    if (result instanceof Uint8Array) {
      await giveLater(append);
      return result;
    }
`,
  ],
  [
    '  return { kind: "save", result: bytes, plan: parts };\n',
    `  append.later = parts.memories;
  return { kind: "save", result: bytes, plan: { ...parts, memories: undefined } };
`,
  ],
  [
    "function decideAppend(",
    `async function giveLater({ context, call, input, later }) {
  if (later === undefined) return;
  const { namespace, sessionId } = input;
  await changeSession(context, { ...call, requestId: "" }, { namespace, sessionId }, (view) => {
    const { memories, revision, session } = view;
    let next = memories.nextMemoryNo;
    const put = later.put.map((memory) => ({
      ...memory,
      etagRevision: revision,
      memoryNo: memories.byId(memory.memoryId)?.memoryNo ?? next++,
    }));
    const head = { ...session.head, revision };
    const origin = { session, revision, nowMs: head.updateMs, requestId: "" };
    const detail = { type: EVENT_TYPE.sessionUpdated, paths: ["memories"] };
    const events = newEvents(context, origin, [detail]);
    const plan = { head, memories: { ...later, put }, events };
    return { kind: "save", result: undefined, plan };
  });
}

function decideAppend(`,
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
