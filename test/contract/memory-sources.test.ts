// Goal: what was learnt from a message goes with it, or is marked, as the session's memory policy
// says; what anybody else stands for stays.

import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CODEC } from "../../src/edge/codec.ts";
import { EventType, MemoryDeleteReason } from "../../src/gen/memorysidecar/v1/event.ts";
import {
  ConflictMode,
  EpisodePolicy,
  ExtractionTarget,
  type Memory,
  type MemoryPolicy,
  SourceErasure,
} from "../../src/gen/memorysidecar/v1/memory.ts";
import { OnExistingMessage, Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { verifyDirectory } from "../../src/store/verify/verify.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  EVERYONE,
  entity,
  extraction,
  memory,
  memoryFilter,
  memoryPolicy,
  memorySource,
  message,
  promotion,
  session,
} from "../support/contract/samples.ts";
import { makeTempDir, type TempDir } from "../support/kit/temp-dir.ts";

const NAME = "My name is John.";
const S = { sessionId: "s" };
const FACTS = extraction({ targets: [ExtractionTarget.FACTS] });

let server: TestServer;
let temporary: TempDir;

async function startOn(engine: string): Promise<void> {
  if (engine === "memory") {
    server = await startContractServer();
    return;
  }
  const directory = join(temporary.path, "data");
  const floor = { bytes: 0 };
  const store = await openLmdbStore({ directory, readFacts: CODEC.readFacts, floor });
  server = await startContractServer({ wrapStore: () => store });
}

beforeEach(async () => {
  temporary = await makeTempDir();
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await temporary[Symbol.asyncDispose]();
});

async function open(policy: Partial<MemoryPolicy>, sessionId = "s"): Promise<void> {
  const fields = { sessionId, userId: "u", memoryPolicy: memoryPolicy(policy) };
  await server.client.call("createSession", { session: session(fields) });
}

async function say(messageId: string, text: string, sessionId = "s"): Promise<void> {
  const messages = [message({ messageId, text })];
  await server.client.call("appendMessages", { sessionId, messages });
}

async function promote(sessionId = "s"): Promise<number> {
  const answer = await server.client.call("consolidateSession", { sessionId });
  return answer.promotedMemoryIds.length;
}

async function remove(messageId: string): Promise<bigint> {
  return (await server.client.call("deleteMessage", { ...S, messageId })).revision;
}

async function change(messageId: string, text: string): Promise<bigint> {
  const changed = message({ messageId, text });
  return (await server.client.call("updateMessage", { ...S, message: changed })).revision;
}

async function all(filter = {}): Promise<readonly Memory[]> {
  const states = [1, 2] as const;
  const asked = memoryFilter({ scope: EVERYONE, states: [...states], ...filter });
  return (await server.client.call("listMemories", { filter: asked })).memories;
}

const textsOf = (memories: readonly Memory[]) => memories.map(({ text }) => text);

/** Contents of the memory events of a revision. */
async function told(revision: bigint): Promise<readonly unknown[]> {
  const { events } = await server.client.call("listEvents", { pageSize: 1_000 });
  return events
    .filter((event) => event.revision === revision)
    .filter(({ type }) => type === EventType.MEMORIES_DELETED || type === EventType.MEMORY_UPDATED)
    .map(({ detail }) => detail?.value);
}

describe.each(["memory", "LMDB"])("over the %s engine, what was learnt", (engine) => {
  beforeEach(() => startOn(engine));

  test("goes with its message, in the same transaction, and can be learnt again", async () => {
    await open({ promotion: promotion() });
    await say("m1", NAME);
    expect(await promote()).toBe(1);
    const [known] = await all();
    expect(await promote()).toBe(0);
    const revision = await remove("m1");
    expect(await all()).toEqual([]);
    const reason = MemoryDeleteReason.SOURCE_ERASED;
    expect(await told(revision)).toEqual([{ memoryIds: [known?.memoryId], reason }]);
    await say("m2", NAME);
    expect(await promote()).toBe(1);
  });

  test("goes with every message of a batch, and with those that an append updates", async () => {
    await open({ extraction: FACTS });
    await say("m1", NAME);
    await say("m2", "I live in Porto.");
    await say("m3", "I work at Arco Travel.");
    await say("m4", "My favorite color is green.");
    await server.client.call("extractMemories", S);
    const known = (await all()).length;
    expect(known).toBeGreaterThanOrEqual(4);
    const popped = await server.client.call("popMessages", { ...S, count: 1 });
    expect(await told(popped.revision)).toHaveLength(1);
    const deleted = await server.client.call("batchDeleteMessages", {
      ...{ ...S, messageIds: ["m1", "m3"] },
    });
    expect(deleted.deletedCount).toBe(2);
    expect(textsOf(await all())).toEqual(["The user lives in Porto."]);
    const messages = [
      message({ messageId: "m2", text: "I live in Berlin." }),
      message({ messageId: "m5", text: "ok" }),
    ];
    const append = { ...S, messages, turnEnd: true, onExisting: OnExistingMessage.UPDATE };
    await server.client.call("appendMessages", append);
    await expect.poll(async () => textsOf(await all())).toEqual(["The user lives in Berlin."]);
  });

  test("goes with messages that are replaced from a seq on, and stays without the log", async () => {
    await open({ extraction: FACTS });
    await say("m1", "I live in Porto.");
    await say("m2", NAME);
    await server.client.call("extractMemories", S);
    const [porto] = await all();
    const replaced = await server.client.call("replaceMessages", {
      ...{ ...S, target: { $case: "fromSeq", value: 2n } },
      messages: [message({ messageId: "m3", text: "ok" })],
    });
    expect(await told(replaced.revision)).toHaveLength(1);
    expect(textsOf(await all())).toEqual([porto?.text]);
    await server.client.call("replaceMessages", {
      ...{ ...S, target: { $case: "all", value: {} } },
      messages: [message({ messageId: "m4", text: NAME })],
    });
    expect(textsOf(await all())).toEqual([porto?.text]);
    await server.client.call("appendMessages", { ...S, messages: [message()], turnEnd: true });
    await expect.poll(async () => (await all()).length).toBe(2);
  });

  test("goes with a message that says something else, and that is looked at", async () => {
    await open({ extraction: FACTS });
    await say("m1", "I live in Porto.");
    await server.client.call("extractMemories", S);
    expect(textsOf(await all())).toEqual(["The user lives in Porto."]);
    const labels = message({ messageId: "m1", labels: new Map([["a", "b"]]) });
    await server.client.call("updateMessage", { ...S, message: labels });
    await change("m1", "I live in Porto.");
    expect((await all()).length).toBe(1);
    await change("m1", "I live in Berlin.");
    expect(await all()).toEqual([]);
    const messages = [message({ messageId: "m2", text: "ok" })];
    await server.client.call("appendMessages", { ...S, messages, turnEnd: true });
    await expect.poll(async () => textsOf(await all())).toEqual(["The user lives in Berlin."]);
  });

  test("stays while another message says it, and goes with the last", async () => {
    await open({ extraction: FACTS });
    for (const id of ["m1", "m2"]) await say(id, NAME);
    await server.client.call("extractMemories", S);
    const [known] = await all();
    expect(known?.source?.messageIds).toEqual(["m1", "m2"]);
    const revision = await remove("m1");
    const [left] = await all();
    expect(left?.source).toMatchObject({ messageIds: ["m2"], eraseTime: undefined });
    expect(left?.etag).not.toBe(known?.etag);
    expect(await told(revision)).toEqual([
      { memoryId: known?.memoryId, paths: ["source"], version: 1n },
    ]);
    await remove("m2");
    expect(await all()).toEqual([]);
  });

  test("goes with one superseded by it, which stays in the past", async () => {
    await open({ extraction: FACTS });
    await say("m1", "I live in Porto.");
    await server.client.call("extractMemories", S);
    await say("m2", "I live in Berlin.");
    await server.client.call("extractMemories", S);
    expect((await all()).length).toBe(2);
    await remove("m2");
    const [old, ...more] = await all();
    expect(more).toEqual([]);
    expect(old?.text).toBe("The user lives in Porto.");
    expect(await all({ states: [] })).toEqual([]);
    const { memoryId = "" } = old ?? {};
    await server.client.call("restoreMemoryVersion", { memoryId, version: 1n });
    expect((await all({ states: [] })).length).toBe(1);
    // Now a caller stands for it.
    await remove("m1");
    expect((await all())[0]?.source?.eraseTime).toBeDefined();
  });

  test("goes with either message of an episode", async () => {
    await open({ episodes: EpisodePolicy.decode(Buffer.alloc(0)) });
    for (const at of [1, 2]) {
      const messages = [
        message({ messageId: `q${at}`, text: `Question ${at}` }),
        message({ messageId: `a${at}`, text: `Answer ${at}`, role: Role.ASSISTANT }),
      ];
      await server.client.call("appendMessages", { ...S, messages, turnEnd: true });
    }
    expect((await all()).length).toBe(2);
    await remove("q1");
    await change("a2", "Other answer");
    expect(await all()).toEqual([]);
  });

  test("is marked where the policy says so, until it is said anew", async () => {
    await open({ promotion: promotion(), onSourceErased: SourceErasure.MARK });
    await say("m1", NAME);
    await promote();
    await remove("m1");
    const [marked] = await all({ sourceErased: true });
    expect(marked?.source).toMatchObject({ sessionId: "s", messageIds: [] });
    expect(marked?.source?.eraseTime).toBeDefined();
    expect(await all({ sourceErased: false })).toEqual([]);
    const context = await server.client.call("assembleContext", { ...S, query: "name" });
    expect(context.text).toContain(`[source erased] ${NAME}`);
    await open({}, "t");
    await say("m2", NAME, "t");
    const known = memory({
      ...{ text: NAME, userId: "u" },
      source: memorySource({ sessionId: "t", messageIds: ["m2"] }),
    });
    await server.client.call("remember", { memories: [known] });
    const [anew] = await all({ sourceErased: false });
    expect(anew?.source).toMatchObject({ sessionId: "t", messageIds: ["m2"] });
    expect((await all()).length).toBe(1);
  });

  test("stays as it is where the policy says so", async () => {
    await open({ promotion: promotion(), onSourceErased: SourceErasure.KEEP });
    await say("m1", NAME);
    await promote();
    const before = await all();
    expect(await told(await remove("m1"))).toEqual([]);
    expect(await all()).toEqual(before);
  });

  test("stays, marked, when a caller said, changed or confirmed it", async () => {
    await open({ promotion: promotion() });
    const facts = ["My name is Ann.", "I live in Rome.", "My wife is Eve.", "I like tea a lot."];
    for (const [at, text] of facts.entries()) await say(`m${at}`, text);
    await promote();
    const [first, second, third] = await all();
    const [one = "", two = "", three] = [first, second, third].map((of) => of?.memoryId);
    const { client } = server;
    await client.call("reinforceMemories", { memoryIds: [one] });
    const raised = memory({ memoryId: two, importance: 1 });
    await client.call("updateMemory", { memory: raised });
    const again = memory({ text: third?.text ?? "", kind: third?.kind ?? 0, userId: "u" });
    await client.call("remember", { memories: [again] });
    const own = memory({
      ...{ text: "By hand.", userId: "u" },
      source: memorySource({ sessionId: "s", messageIds: ["m0"] }),
    });
    await client.call("remember", { memories: [own] });
    for (const [at] of facts.entries()) await remove(`m${at}`);
    const left = await all();
    expect(left.map(({ memoryId }) => memoryId).slice(0, 3)).toEqual([one, two, three]);
    expect(left.at(-1)?.text).toBe("By hand.");
    expect(left.length).toBe(4);
    expect(left.every(({ source }) => source?.eraseTime !== undefined)).toBe(true);
  });

  test("stays when another session says it too", async () => {
    await open({ extraction: FACTS });
    await open({ extraction: FACTS }, "t");
    await say("m1", NAME);
    await say("m1", NAME, "t");
    await server.client.call("extractMemories", S);
    await server.client.call("extractMemories", { sessionId: "t" });
    await remove("m1");
    const [left] = await all();
    expect(left?.source?.eraseTime).toBeDefined();
  });

  const saidIn = (sessionId: string) => memorySource({ sessionId, messageIds: ["m1"] });
  const anna = (sessionId: string, attributes: [string, string][]) =>
    memory({
      ...entity("Anna", { attributes: new Map(attributes) }),
      ...{ userId: "u", source: saidIn(sessionId) },
    });

  const merge = { mode: ConflictMode.MERGE, hook: "", singleObject: false };

  test("follows the messages of all sessions that its content came from", async () => {
    for (const [at, sessionId] of ["s", "t"].entries()) {
      await open({ onSourceErased: SourceErasure.MARK }, sessionId);
      await say("m1", `${at}`, sessionId);
    }
    const { client } = server;
    await client.call("remember", { memories: [anna("s", []), anna("t", [["has", "tea"]])] });
    for (const sessionId of ["s", "t"]) {
      const own = { key: "k", userId: "u", source: saidIn(sessionId) };
      const memories = [memory({ ...own, text: `Said in ${sessionId}.` })];
      await client.call("remember", { memories, conflict: merge });
    }
    const counts = async (sourceSessionId: string) => {
      const filter = memoryFilter({ scope: EVERYONE, sourceSessionId });
      return (await client.call("purgeMemories", { filter })).memoryCount;
    };
    expect([await counts("s"), await counts("t")]).toEqual([2, 2]);
    expect(await told(await remove("m1"))).toHaveLength(2);
    const marks = async () => (await all()).map(({ source }) => source?.eraseTime !== undefined);
    expect(await marks()).toEqual([false, false]);
    await client.call("deleteMessage", { sessionId: "t", messageId: "m1" });
    expect(await marks()).toEqual([true, true]);
    expect([await counts("s"), await counts("t")]).toEqual([2, 2]);
    const filter = memoryFilter({ scope: EVERYONE, sourceSessionId: "t" });
    await client.call("purgeMemories", { filter, force: true });
    expect(await all()).toEqual([]);
  });

  test("stays when its session is emptied or deleted", async () => {
    await open({ promotion: promotion() });
    await say("m1", NAME);
    await promote();
    const before = await all();
    await server.client.call("resetSession", S);
    await server.client.call("deleteSession", S);
    expect(await all()).toEqual(before);
  });

  test("is taken once, however often the call is repeated", async () => {
    await open({ promotion: promotion() });
    await say("m1", NAME);
    await promote();
    const asked = { ...S, messageId: "m1", requestId: "r" };
    const first = await server.client.call("deleteMessage", asked);
    await say("m2", NAME);
    await promote();
    expect(await server.client.call("deleteMessage", asked)).toEqual(first);
    expect((await all()).length).toBe(1);
  });

  test("is taken from more memories than one transaction changes", async () => {
    await open({});
    await say("m1", "x");
    const source = memorySource({ sessionId: "s", messageIds: ["m1"] });
    const memories = Array.from({ length: 1_001 }, (_, at) => memory({ text: `f${at}`, source }));
    for (let at = 0; at < memories.length; at += 256) {
      await server.client.call("remember", { memories: memories.slice(at, at + 256) });
    }
    await remove("m1");
    const asked = {
      filter: memoryFilter({ scope: EVERYONE, sourceErased: true }),
      pageSize: 1_000,
    };
    const first = await server.client.call("listMemories", asked);
    const rest = await server.client.call("listMemories", {
      ...asked,
      pageToken: first.nextPageToken,
    });
    expect(first.memories.length + rest.memories.length).toBe(1_001);
  });
});

test("goes also after a restart, and leaves a store that is sound", async () => {
  await startOn("LMDB");
  await open({ promotion: promotion() });
  await say("m1", NAME);
  await say("m2", "My wife is Eve.");
  await promote();
  await remove("m1");
  await server[Symbol.asyncDispose]();
  await startOn("LMDB");
  expect(textsOf(await all())).toEqual(["My wife is Eve."]);
  await remove("m2");
  expect(await all()).toEqual([]);
  await server[Symbol.asyncDispose]();
  const factsModule = new URL("../../src/session/facts-wire.ts", import.meta.url);
  const report = await verifyDirectory(join(temporary.path, "data"), { factsModule });
  expect(report.problems).toEqual([]);
  await startOn("memory");
});
