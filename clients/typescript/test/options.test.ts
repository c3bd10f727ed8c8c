// Goal: an option that a method does not have is refused before anything is sent, and the error
// names the method, the option and the one that may be meant.

import { afterAll, describe, expect, test } from "vitest";
import { MemorySidecar } from "../src/client.ts";
import * as client from "../src/index.ts";
import { collect } from "../src/pages.ts";

const memory = client.connect("localhost:1", { timeoutMs: 1 });

afterAll(() => memory.close());

type Call = (it: MemorySidecar, opts: never) => unknown;

const TASK = {} as client.LeasedTask;

/** A call of each method, with these options. */
const CALLS: Readonly<Record<string, Call>> = {
  ackEvents: (it, opts) => it.ackEvents("c", "t", opts),
  append: (it, opts) => it.append("s", "x", opts),
  assembleContext: (it, opts) => it.assembleContext(opts),
  backUp: (it, opts) => it.backUp(opts),
  batchDeleteMessages: (it, opts) => it.batchDeleteMessages("s", [], opts),
  batchGetMessages: (it, opts) => it.batchGetMessages("s", [], opts),
  batchGetRecords: (it, opts) => it.batchGetRecords([], opts),
  clearCollection: (it, opts) => it.clearCollection("c", opts),
  compactSession: (it, opts) => it.compactSession("s", { keepRecent: 1 }, opts),
  compactStore: (it, opts) => it.compactStore(opts),
  completeTask: (it, opts) => it.completeTask(TASK, "x", opts),
  consolidateSession: (it, opts) => it.consolidateSession("s", opts),
  countDocuments: (it, opts) => it.countDocuments(opts),
  countItems: (it, opts) => it.countItems(opts),
  countMemories: (it, opts) => it.countMemories(opts),
  countMessages: (it, opts) => it.countMessages("s", opts),
  countSessionMessages: (it, opts) => it.countSessionMessages(opts),
  countSessions: (it, opts) => it.countSessions(opts),
  countTokens: (it, opts) => it.countTokens("x", opts),
  createConsumer: (it, opts) => it.createConsumer("c", opts),
  createSession: (it, opts) => it.createSession({}, opts),
  decayMemories: (it, opts) => it.decayMemories(opts),
  deleteConsumer: (it, opts) => it.deleteConsumer("c", opts),
  deleteDocuments: (it, opts) => it.deleteDocuments("d", opts),
  deleteFoundMessages: (it, opts) => it.deleteFoundMessages(["m"], opts),
  deleteMessage: (it, opts) => it.deleteMessage("s", "m", opts),
  deleteRecord: (it, opts) => it.deleteRecord("p", "k", opts),
  deleteRecords: (it, opts) => it.deleteRecords("p", opts),
  deleteSession: (it, opts) => it.deleteSession("s", opts),
  deleteTask: (it, opts) => it.deleteTask("t", opts),
  embed: (it, opts) => it.embed("x", opts),
  ensureConsumer: (it, opts) => it.ensureConsumer("c", opts),
  ensureSession: (it, opts) => it.ensureSession("s", {}, opts),
  eraseSubject: (it, opts) => it.eraseSubject({ userId: "u" }, opts),
  exportDocument: (it, opts) => it.exportDocument("s", "lauren", opts),
  exportSession: (it, opts) => it.exportSession("s", opts),
  extendLease: (it, opts) => it.extendLease(TASK, opts),
  extractMemories: (it, opts) => it.extractMemories(opts),
  failTask: (it, opts) => it.failTask(TASK, opts),
  fillToolResults: (it, opts) => it.fillToolResults("s", opts),
  findMessages: (it, opts) => it.findMessages(["m"], opts),
  forgetMemories: (it, opts) => it.forgetMemories("m", opts),
  forkSession: (it, opts) => it.forkSession("s", opts),
  getConsumer: (it, opts) => it.getConsumer("c", opts),
  getDocument: (it, opts) => it.getDocument("d", opts),
  getErasure: (it, opts) => it.getErasure("e", opts),
  getMemory: (it, opts) => it.getMemory("m", opts),
  getMessage: (it, opts) => it.getMessage("s", "m", opts),
  getRecord: (it, opts) => it.getRecord("p", "k", opts),
  getSession: (it, opts) => it.getSession("s", opts),
  getTask: (it, opts) => it.getTask("t", opts),
  getWholeRecord: (it, opts) => it.getWholeRecord("p", "k", opts),
  importSession: (it, opts) => it.importSession("{}", opts),
  listCollections: (it, opts) => it.listCollections(opts),
  listConsumers: (it, opts) => it.listConsumers(opts),
  listDocuments: (it, opts) => it.listDocuments(opts),
  listEvents: (it, opts) => it.listEvents(opts),
  listHooks: (it, opts) => it.listHooks(opts),
  listMemories: (it, opts) => it.listMemories(opts),
  listMemoryVersions: (it, opts) => it.listMemoryVersions("m", opts),
  listMessages: (it, opts) => it.listMessages("s", opts),
  listNamespaces: (it, opts) => it.listNamespaces(opts),
  listPolicyPresets: (it, opts) => it.listPolicyPresets(opts),
  listRecordPaths: (it, opts) => it.listRecordPaths(opts),
  listRecords: (it, opts) => it.listRecords("p", opts),
  listSessionMessages: (it, opts) => it.listSessionMessages(opts),
  listSessions: (it, opts) => it.listSessions(opts),
  listSummaries: (it, opts) => it.listSummaries("s", opts),
  listSummaryInputs: (it, opts) => it.listSummaryInputs("s", { keepRecent: 1 }, opts),
  listSummarySources: (it, opts) => it.listSummarySources("s", 1, opts),
  listTasks: (it, opts) => it.listTasks(opts),
  mergeEntities: (it, opts) => it.mergeEntities("m", "n", opts),
  pollTasks: (it, opts) => it.pollTasks("h", opts),
  popMessages: (it, opts) => it.popMessages("s", 1, opts),
  previewPolicy: (it, opts) => it.previewPolicy("s", [], opts),
  purgeDocuments: (it, opts) => it.purgeDocuments("c", { userId: "u" }, opts),
  purgeMemories: (it, opts) => it.purgeMemories({ userId: "u" }, opts),
  putRecord: (it, opts) => it.putRecord("p", "k", "v", opts),
  queryRelations: (it, opts) => it.queryRelations(opts),
  recall: (it, opts) => it.recall("x", opts),
  recordTurn: (it, opts) => it.recordTurn("s", { userText: "x" }, opts),
  refreshDocuments: (it, opts) => it.refreshDocuments("d", opts),
  reinforceMemories: (it, opts) => it.reinforceMemories("m", opts),
  remember: (it, opts) => it.remember("x", opts),
  replaceMessages: (it, opts) => it.replaceMessages("s", "all", [], opts),
  resetSession: (it, opts) => it.resetSession("s", opts),
  restoreMemoryVersion: (it, opts) => it.restoreMemoryVersion("m", 1, opts),
  restoreMessages: (it, opts) => it.restoreMessages("s", [], opts),
  retryTask: (it, opts) => it.retryTask("t", opts),
  serverInfo: (it, opts) => it.serverInfo(opts),
  setSummary: (it, opts) => it.setSummary("s", "x", opts),
  trimSession: (it, opts) => it.trimSession("s", { keepRecent: 1 }, opts),
  updateMemory: (it, opts) => it.updateMemory("m", {}, opts),
  updateMessage: (it, opts) => it.updateMessage("s", { messageId: "m" }, opts),
  updateSession: (it, opts) => it.updateSession({ sessionId: "s" }, opts),
  uploadValue: (it, opts) => it.uploadValue("x", opts),
  upsertDocuments: (it, opts) => it.upsertDocuments("x", opts),
  watch: (it, opts) => it.watch(opts),
  window: (it, opts) => it.window("s", opts),
  writeRecords: (it, opts) => it.writeRecords([], opts),
};

/** The helpers of the base class, and what takes no options. */
const OTHERS: ReadonlySet<string> = new Set([
  ...["constructor", "close", "call", "stream", "at", "session", "change"],
]);

function methodsOf(prototype: object): string[] {
  const parent: object | null = Object.getPrototypeOf(prototype);
  const own = Object.getOwnPropertyNames(prototype).filter((name) => !OTHERS.has(name));
  return parent === Object.prototype || parent === null ? own : [...own, ...methodsOf(parent)];
}

/** The message of what a call throws, at once or later. */
async function faultOf(call: () => unknown): Promise<string> {
  try {
    const answer = call();
    if (typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer) {
      await collect(answer as AsyncIterable<unknown>);
    }
    await answer;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("the mistake went unnoticed");
}

test("the table has every method", () => {
  expect(methodsOf(MemorySidecar.prototype).sort()).toEqual(Object.keys(CALLS).sort());
});

test.each(Object.entries(CALLS))(
  "%s refuses an option that it does not have",
  async (name, call) => {
    const fault = await faultOf(() => call(memory, { timeout_ms: 5_000 } as never));
    expect(fault).toBe(`${name} has no option "timeout_ms": it is "timeoutMs"`);
  },
);

/** Anything, as a program without types passes it. */
const loose = (value: unknown) => value as never;

const NESTED: Readonly<Record<string, readonly [call: () => unknown, fault: string]>> = {
  "an erasure in earnest": [
    () => memory.eraseSubject({ userId: "u" }, loose({ dry_run: true })),
    'eraseSubject has no option "dry_run": it is "dryRun"',
  ],
  "a letter too much": [
    () => memory.append("s", "x", loose({ expectedLastSeqq: 99 })),
    'append has no option "expectedLastSeqq": did you mean "expectedLastSeq"?',
  ],
  "a letter too few": [
    () => memory.append("s", "x", loose({ createSesion: true })),
    'append has no option "createSesion": did you mean "createSession"?',
  ],
  "a word of another API": [
    () => memory.getSession("s", loose({ retries: 3 })),
    'getSession has no option "retries": it has namespace, timeoutMs, signal',
  ],
  "options that are none": [
    () => memory.append("s", "x", loose("y")),
    "the options of append are an object, not string",
  ],
  "the context of an append": [
    () => memory.append("s", "x", loose({ context: { form: "anthropic", max_tokens: 50 } })),
    'the context of append has no option "max_tokens": it is "maxTokens"',
  ],
  "the window of an append": [
    () => memory.append("s", "x", loose({ window: { read_only: true } })),
    'the window of append has no option "read_only": it is "readOnly"',
  ],
  "the session of an append": [
    () => memory.append("s", "x", loose({ session: { user_id: "u" } })),
    'a session has no field "user_id": it is "userId"',
  ],
  "the policy of a session": [
    () => memory.createSession(loose({ policy: { maxMessages: 3 } })),
    'a policy has no field "maxMessages"',
  ],
  "a stage of a policy": [
    () => memory.createSession(loose({ policy: { stages: [{ any_of: [] }] } })),
    'a stage has no field "any_of": it is "anyOf"',
  ],
  "the memory policy of a session": [
    () => memory.createSession(loose({ memoryPolicy: { extractions: {} } })),
    'a memory policy has no field "extractions": did you mean "extraction"?',
  ],
  "an extraction": [
    () => memory.createSession(loose({ memoryPolicy: { extraction: { target: ["facts"] } } })),
    'a rule of extraction has no field "target": did you mean "targets"?',
  ],
  "an outcome of a tool": [
    () => memory.append("s", "x", loose({ toolOutcomes: [{ name: "t" }] })),
    'a tool outcome has no field "name": it has tool, error',
  ],
  "a record of an append": [
    () =>
      memory.append("s", "x", {
        recordOperations: [loose({ put: { path: "p", value: "v", ttl: 1 } })],
      }),
    'a record has no field "ttl": did you mean "ttlMs"?',
  ],
  "an operation on a record": [
    () => memory.writeRecords([loose({ Put: {} })]),
    'a record operation has no field "Put": did you mean "put"?',
  ],
  "a part of a message": [
    () => memory.append("s", { role: "user", parts: [loose({ image_url: "u" })] }),
    'a part has no field "image_url"',
  ],
  "an image of a message": [
    () => memory.append("s", { role: "user", parts: [{ image: loose({ uri: "u" }) }] }),
    'an image has no field "uri": did you mean "url"?',
  ],
  "a memory": [
    () => memory.remember(loose({ txt: "x" })),
    'a memory has no field "txt": did you mean "text"?',
  ],
  "one of several memories": [
    () => memory.remember(["x", loose({ text: "y", user_id: "u" })]),
    'a memory has no field "user_id": it is "userId"',
  ],
  "the entity of a memory": [
    () => memory.remember({ entity: loose({ name: "Ana", kind: "person" }) }),
    'an entity has no field "kind": it has name, type, aliases, attributes',
  ],
  "the scope of a remember": [
    () => memory.remember("x", { scope: loose({ user_id: "u" }) }),
    'a scope has no field "user_id": it is "userId"',
  ],
  "a change of a memory": [
    () => memory.updateMemory("m", loose({ txt: "x" })),
    'a memory has no field "txt": did you mean "text"?',
  ],
  "a document": [
    () => memory.upsertDocuments(loose({ text: "x", ttl: 5 })),
    'a document has no field "ttl": did you mean "ttlMs"?',
  ],
  "a filter of a recall": [
    () => memory.recall("x", { filter: loose({ session_ids: ["s"] }) }),
    'a filter has no field "session_ids": it is "sessionIds"',
  ],
  "a condition of a filter": [
    () => collect(memory.listMessages("s", { metadata: [loose({ path: "p", equal: 1 })] })),
    'a condition has no field "equal": did you mean "equals"?',
  ],
  "the weights of a recall": [
    () => memory.recall("x", { weights: loose({ dens: 1 }) }),
    'a set of weights has no field "dens": did you mean "dense"?',
  ],
  "a section of a context": [
    () => memory.assembleContext({ sections: [loose({ kind: "long-term", max_chars: 9 })] }),
    'a section has no field "max_chars": it is "maxChars"',
  ],
  "a target of a trim": [
    () => memory.trimSession("s", loose({ max_tokens: 9 })),
    'a target of trimSession has no field "max_tokens": it is "maxTokens"',
  ],
  "a choice of messages": [
    () => memory.compactSession("s", loose({ keep_recent: 9 })),
    'a choice of messages has no field "keep_recent": it is "keepRecent"',
  ],
  "a place in the events": [
    () => memory.watch({ from: loose({ resume_token: "t" }) }),
    'a place in the events has no field "resume_token": it is "resumeToken"',
  ],
  "a subject of an erasure": [
    () => memory.eraseSubject(loose({ user_id: "u" })),
    'a subject has no field "user_id": it is "userId"',
  ],
  "the options of a connection": [
    () => client.connect("localhost:1", loose({ timeout: 5 })),
    'connect has no option "timeout": did you mean "timeoutMs"?',
  ],
  "TLS of a connection": [
    () => client.connect("localhost:1", { tls: loose({ rootCert: "x" }) }),
    'a tls option has no field "rootCert"',
  ],
  "a stage that is made": [
    () => client.keepLast("k", 3, loose({ boundry: "grow-recent" })),
    'keepLast has no option "boundry": did you mean "boundary"?',
  ],
  "a trigger of a stage": [
    () => client.keepLast("k", 3, { over: loose({ message: 3 }) }),
    'a trigger of over has no field "message": did you mean "messages"?',
  ],
  "a policy that is made": [
    () => client.makePolicy([], loose({ context_window: 3 })),
    'makePolicy has no option "context_window": it is "contextWindow"',
  ],
  "a worker": [
    () => client.runWorker(memory, loose({ hook: "h", summarize: () => "x" })),
    'runWorker has no option "hook": did you mean "hooks"?',
  ],
  "tools of a memory": [
    () => new client.MemoryTools(memory, loose({ user_id: "u" })),
    'MemoryTools has no option "user_id": it is "userId"',
  ],
  "a block of a memory": [
    () => client.memoryBlock(memory, loose({ top_k: 3 })),
    'memoryBlock has no option "top_k": it is "topK"',
  ],
};

describe("the error names what may be meant", () => {
  test.each(Object.entries(NESTED))("of %s", async (_, [call, fault]) => {
    expect(await faultOf(call)).toContain(fault);
  });
});

test("an option that is undefined says nothing", async () => {
  const fault = await faultOf(() => memory.getSession("s", loose({ retries: undefined })));
  expect(fault).not.toContain("retries");
});
