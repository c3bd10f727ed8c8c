// EraseSubject and GetErasure: everything of a subject is gone, nothing else is, and the receipt
// says so without naming anybody.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  ErasedKind,
  type Erasure,
  ErasureRemainderReason,
  ErasureState,
  type ErasureSubject,
} from "../../src/gen/memorysidecar/v1/admin_service.ts";
import { TextSplitter } from "../../src/gen/memorysidecar/v1/document.ts";
import {
  EventFilter,
  MemoryDeleteReason,
  SessionDeleteReason,
} from "../../src/gen/memorysidecar/v1/event.ts";
import { ConflictMode, type MemoryScope } from "../../src/gen/memorysidecar/v1/memory.ts";
import { SessionFilter } from "../../src/gen/memorysidecar/v1/session.ts";
import { SummaryPlacement } from "../../src/gen/memorysidecar/v1/summary.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { sha256Hex } from "../../src/kit/text.ts";
import {
  startContractServer,
  type TestClient,
  type TestServer,
} from "../support/contract/client.ts";
import { fillErasures } from "../support/contract/error-ways/admin.ts";
import {
  document,
  documentFilter,
  EVERYONE,
  entity,
  memory,
  memoryFilter,
  memoryScope,
  memorySource,
  message,
  ownedBy,
  record,
  session,
} from "../support/contract/samples.ts";
import {
  lines,
  makeScene,
  outputOf,
  summarizingPolicy,
  takeTask,
  WORKERS,
} from "../support/contract/summarizing.ts";
import * as erasing from "../support/erase/erasing.ts";
import {
  agent,
  countOf,
  documentOf,
  leftOf,
  messagesOf,
  ofSession,
  user,
} from "../support/erase/erasing.ts";
import { type Subject, writeSubject } from "../support/erase/subject.ts";
import { hooksOf, pollHook } from "../support/hooks/hooks.ts";
import { eventually } from "../support/process/summary-reader.ts";

let server: TestServer;
let client: TestClient;
let count = 0;

beforeAll(async () => {
  server = await startContractServer({ hooks: hooksOf([pollHook(WORKERS)]) });
  ({ client } = server);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const nextUser = (): string => `user${count++}`;

const dryRun = (subject: ErasureSubject, namespace = "") =>
  erasing.dryRun(client, subject, namespace);
const receiptOf = (erasureId: string) => erasing.receiptOf(client, erasureId);
const erase = (subject: ErasureSubject, namespace = "") =>
  erasing.erase(client, subject, namespace);

function unknownIn(receipt: Erasure): bigint | undefined {
  return leftOf(receipt, ErasureRemainderReason.UNKNOWN_OWNER)?.count;
}

/** The records of a user that a client can see. */
async function seenOf({ userId, sessionId }: Subject) {
  const { sessions } = await client.call("listSessions", {
    filter: { ...SessionFilter.decode(new Uint8Array(0)), userId },
  });
  const { memories } = await client.call("listMemories", {
    filter: memoryFilter({ scope: ownedBy({ userId }) }),
  });
  const { messages } = await client
    .call("listMessages", { sessionId })
    .catch(() => ({ messages: [] }));
  const { documents } = await client.call("listDocuments", { collectionId: "notes" });
  const own = documents.filter(({ documentId }) => documentId.startsWith(`${userId}-`));
  return { sessions, memories, messages, documents: own };
}

describe("a user", () => {
  test("is gone with everything, and nobody else is touched", async () => {
    const gone = await writeSubject(client, nextUser());
    const kept = await writeSubject(client, nextUser());
    const before = await seenOf(kept);
    expect(before.sessions.length).toBe(3);
    const receipt = await erase(user(gone.userId));
    const nothing = { sessions: [], memories: [], messages: [], documents: [] };
    expect(await seenOf(gone)).toEqual(nothing);
    expect(await seenOf(kept)).toEqual(before);
    for (const kind of [ErasedKind.SESSION, ErasedKind.MESSAGE, ErasedKind.SUMMARY]) {
      expect(countOf(receipt, kind)).toBeGreaterThan(0);
    }
    expect(countOf(receipt, ErasedKind.MEMORY)).toBe(6);
    expect(countOf(receipt, ErasedKind.MEMORY_VERSION)).toBe(8);
    expect(countOf(receipt, ErasedKind.DOCUMENT)).toBeGreaterThan(0);
    expect(countOf(receipt, ErasedKind.ANSWER)).toBeGreaterThan(0);
    const text = JSON.stringify(receipt, (_, value) => String(value));
    expect(text).not.toContain(gone.userId);
    expect(receipt.subjectDigest).toBe(sha256Hex(`default\0user\0${gone.userId}`));
    expect(receipt.endTime).toBeDefined();
    const reason = ErasureRemainderReason;
    expect(receipt.left.map((left) => left.reason)).toEqual([
      reason.EVENTS,
      reason.FREE_PAGES,
      reason.COPIES,
    ]);
    expect(receipt.left[0]?.dropTime?.seconds).toBeGreaterThan(receipt.endTime?.seconds ?? 0n);
  });

  test("loses the answers about it, and a repeat does nothing", async () => {
    const gone = await writeSubject(client, nextUser());
    const kept = await writeSubject(client, nextUser());
    await erase(user(gone.userId));
    const repeat = (of: Subject) => ({
      sessionId: of.sessionId,
      text: of.words.get("summary") ?? "",
      requestId: `${of.userId}-summary`,
    });
    const failure = await client.fail("setSummary", repeat(gone));
    expect(failure).toMatchObject({ code: "FAILED_PRECONDITION", reason: "ANSWER_ERASED" });
    expect(failure.metadata).toEqual({ request_id: `${gone.userId}-summary` });
    expect((await client.call("setSummary", repeat(kept))).session?.sessionId).toBe(kept.sessionId);
  });

  test("is told of by events with the reason", async () => {
    const gone = await writeSubject(client, nextUser());
    await erase(user(gone.userId));
    const { events } = await client.call("listEvents", {
      filter: { ...EventFilter.decode(new Uint8Array(0)), userId: gone.userId },
      pageSize: 1_000,
    });
    const details = events.map(({ detail }) => detail);
    const deleted = details.flatMap((one) => (one?.$case === "sessionDeleted" ? [one.value] : []));
    expect(deleted.map(({ reason }) => reason)).toEqual(
      deleted.map(() => SessionDeleteReason.ERASED),
    );
    expect(deleted.length).toBe(3);
    const forgotten = details.flatMap((one) =>
      one?.$case === "memoriesDeleted" ? [one.value.reason] : [],
    );
    expect(new Set(forgotten)).toEqual(new Set([MemoryDeleteReason.ERASED]));
  });
});

describe("an agent", () => {
  test("is gone with its sessions, memories and documents", async () => {
    const agentId = nextUser();
    await client.call("createSession", { session: session({ sessionId: agentId, agentId }) });
    await client.call("remember", { memories: [memory({ text: "a", agentId })] });
    const scope = memoryScope({ agentId });
    const documents = [document({ documentId: agentId, text: "a", scope })];
    await client.call("upsertDocuments", { documents });
    const receipt = await erase(agent(agentId));
    expect(receipt.erased.map(({ kind, count }) => [kind, Number(count)])).toEqual([
      [ErasedKind.SESSION, 1],
      [ErasedKind.MEMORY, 1],
      [ErasedKind.MEMORY_VERSION, 1],
      [ErasedKind.DOCUMENT, 1],
    ]);
  });
});

describe("a session", () => {
  test("goes with the forks of its owner, and names those of others", async () => {
    const userId = nextUser();
    const ids = ["root", "own", "other", "own-of-other"].map((name) => `${userId}-${name}`);
    const [root = "", own = "", other = "", last = ""] = ids;
    await client.call("createSession", { session: session({ sessionId: root, userId }) });
    await client.call("appendMessages", { sessionId: root, messages: [message({ text: "a" })] });
    await client.call("forkSession", { sourceSessionId: root, sessionId: own });
    await client.call("forkSession", { sourceSessionId: root, sessionId: other });
    const update = { session: session({ sessionId: other, userId: "somebody" }) };
    await client.call("updateSession", { ...update, updateMask: ["user_id"] });
    await client.call("forkSession", { sourceSessionId: other, sessionId: last });
    await client.call("updateSession", {
      ...{ session: session({ sessionId: last, userId }), updateMask: ["user_id"] },
    });
    const receipt = await erase(ofSession(root));
    expect(countOf(receipt, ErasedKind.SESSION)).toBe(3);
    const left = leftOf(receipt, ErasureRemainderReason.OTHER_OWNER);
    expect(left).toMatchObject({ count: 1n, sessionIds: [other] });
    expect((await client.fail("getSession", { sessionId: own })).reason).toBe("SESSION_NOT_FOUND");
    expect((await client.call("getSession", { sessionId: other })).session?.sessionId).toBe(other);
  });

  test("that was deleted before loses the memories that name it", async () => {
    const sessionId = nextUser();
    await client.call("createSession", { session: session({ sessionId }) });
    const source = memorySource({ sessionId, messageIds: ["m"] });
    const { results } = await client.call("remember", {
      memories: [memory({ text: `of ${sessionId}`, source, agentId: "a" })],
    });
    const memoryId = results[0]?.memoryId ?? "";
    await client.call("updateMemory", {
      ...{ memory: memory({ memoryId, text: "another text" }), updateMask: ["text"] },
    });
    await client.call("deleteSession", { sessionId });
    const receipt = await erase(ofSession(sessionId));
    expect(receipt.erased.map(({ kind, count }) => [kind, Number(count)])).toContainEqual([
      ErasedKind.MEMORY_VERSION,
      2,
    ]);
    expect((await client.fail("getMemory", { memoryId })).reason).toBe("MEMORY_NOT_FOUND");
  });

  test("goes with its tasks", async () => {
    const sessionId = nextUser();
    await makeScene(server, sessionId);
    expect((await client.call("listTasks", { sessionId })).tasks.length).toBe(1);
    expect(countOf(await erase(ofSession(sessionId)), ErasedKind.TASK)).toBe(1);
    expect((await client.call("listTasks", { sessionId })).tasks).toEqual([]);
  });

  test("of another namespace is another session", async () => {
    const sessionId = nextUser();
    await client.call("createSession", { session: session({ sessionId }) });
    expect((await erase(ofSession(sessionId), "elsewhere")).erased).toEqual([]);
    await client.call("getSession", { sessionId });
  });
});

describe("messages", () => {
  test("go with what stands for them, and the others stay", async () => {
    const sessionId = nextUser();
    await client.call("createSession", { session: session({ sessionId, userId: "u" }) });
    const texts = ["one", "two", "three", "four", "five"];
    const { messages } = await client.call("appendMessages", {
      ...{ sessionId, messages: texts.map((text) => message({ text })) },
    });
    const [one = "", two = "", three = "", four = ""] = messages.map((of) => of.messageId);
    const place = { sessionId, placement: SummaryPlacement.IN_PLACE };
    await client.call("setSummary", { ...place, text: "of one", replacedMessageIds: [one] });
    await client.call("setSummary", { ...place, text: "of three", replacedMessageIds: [three] });
    const { results } = await client.call("remember", {
      memories: [
        memory({ text: "from two", source: memorySource({ sessionId, messageIds: [two, four] }) }),
        memory({ text: "from four", source: memorySource({ sessionId, messageIds: [four] }) }),
      ],
    });
    await client.call("forkSession", { sourceSessionId: sessionId, sessionId: `${sessionId}-f` });
    const receipt = await erase(messagesOf(sessionId, [one, two, "missing"]));
    expect(receipt.erased.map(({ kind, count }) => [kind, Number(count)])).toEqual([
      [ErasedKind.MESSAGE, 4],
      [ErasedKind.SUMMARY, 2],
      [ErasedKind.MEMORY, 1],
      [ErasedKind.MEMORY_VERSION, 1],
    ]);
    const log = await client.call("listMessages", { sessionId });
    expect(log.messages.map(({ text, seq }) => [text, Number(seq)])).toEqual([
      ["three", 3],
      ["four", 4],
      ["five", 5],
    ]);
    const window = await client.call("getWindow", { sessionId });
    const shown = window.messages.map(({ text }) => text).join(" ");
    expect(shown).toContain("of three");
    expect(shown).not.toContain("of one");
    const [fromTwo = "", fromFour = ""] = results.map(({ memoryId }) => memoryId);
    expect((await client.fail("getMemory", { memoryId: fromTwo })).reason).toBe("MEMORY_NOT_FOUND");
    await client.call("getMemory", { memoryId: fromFour });
  });

  test("leave a summary that a caller wrote without naming messages, and say so", async () => {
    const sessionId = nextUser();
    await client.call("createSession", { session: session({ sessionId }) });
    const { messages } = await client.call("appendMessages", {
      ...{ sessionId, messages: [message({ text: "a" }), message({ text: "b" })] },
    });
    await client.call("setSummary", { sessionId, text: "by hand" });
    const receipt = await erase(messagesOf(sessionId, [messages[0]?.messageId ?? ""]));
    expect(receipt.left).toContainEqual(
      expect.objectContaining({ reason: ErasureRemainderReason.CALLER_SUMMARY, count: 1n }),
    );
  });
});

/** Makes what stays of a session when it goes: memories, a fork of somebody else, and answers. */
async function deriveFrom(sessionId: string, other: string): Promise<string[]> {
  const { messages } = await client.call("appendMessages", {
    ...{ sessionId, messages: [message({ text: "I have diabetes." })] },
  });
  const source = memorySource({ sessionId, messageIds: [messages[0]?.messageId ?? ""] });
  const { results } = await client.call("remember", {
    memories: [
      memory({ text: `${sessionId} is ill`, source, agentId: "helper" }),
      memory({ text: `${sessionId} was well`, source, agentId: "helper" }),
    ],
  });
  const [memoryId = "", changedId = ""] = results.map((one) => one.memoryId);
  // The session of its first state alone is the subject's.
  await client.call("updateMemory", {
    ...{ memory: memory({ memoryId: changedId, text: "well again" }), updateMask: ["text"] },
    requestId: `${sessionId}-answer`,
  });
  await client.call("forkSession", { sourceSessionId: sessionId, sessionId: other });
  const update = { session: session({ sessionId: other, userId: "else", agentId: "else" }) };
  await client.call("updateSession", { ...update, updateMask: ["user_id", "agent_id", "ttl"] });
  // A fork of the fork, whose source goes too.
  const last = `${other}-last`;
  await client.call("forkSession", { sourceSessionId: other, sessionId: last });
  await client.call("deleteSession", { sessionId: other });
  return [memoryId, changedId];
}

describe.each(["user", "agent"] as const)("what was made of a session of a gone %s", (kind) => {
  const ofKind = kind === "user" ? user : agent;

  test.each(["deleted", "expired"] as const)("is reached when the session was %s", async (how) => {
    const [id, kept] = [nextUser(), nextUser()];
    const memoryIds = new Map<string, string[]>();
    for (const own of [id, kept]) {
      const owner = kind === "user" ? { userId: own } : { agentId: own };
      const ttl = how === "expired" ? { seconds: 60n, nanos: 0 } : undefined;
      const policy = summarizingPolicy({ collectionId: "archive" });
      const sessionId = `${own}-${how}`;
      await client.call("createSession", {
        session: session({ sessionId, ...owner, ttl, policy }),
      });
      memoryIds.set(own, await deriveFrom(sessionId, `${own}-${how}-other`));
      await client.call("appendMessages", { sessionId, messages: lines(6) });
      const { ref } = await takeTask(server);
      await client.call("completeTask", { ...ref, output: outputOf("All of it.") });
      if (how === "deleted") await client.call("deleteSession", { sessionId });
    }
    if (how === "expired") {
      server.advance(61_000);
      for (const own of [id, kept]) {
        const ref = { namespace: "default", sessionId: `${own}-${how}` };
        await eventually("the end of the session", 10_000, async () =>
          (await server.store.readSession(ref)) === undefined ? true : undefined,
        );
      }
    }
    const receipt = await erase(ofKind(id));
    expect(countOf(receipt, ErasedKind.MEMORY)).toBe(2);
    expect(countOf(receipt, ErasedKind.ANSWER)).toBeGreaterThan(0);
    expect(await documentsOf(`${kept}-${how}`)).not.toEqual([]);
    // The documents of summaries do not name the agent.
    if (kind === "user") expect(await documentsOf(`${id}-${how}`)).toEqual([]);
    else expect(unknownIn(receipt)).toBeGreaterThan(0n);
    for (const memoryId of memoryIds.get(id) ?? []) {
      expect((await client.fail("getMemory", { memoryId })).reason).toBe("MEMORY_NOT_FOUND");
    }
    for (const memoryId of memoryIds.get(kept) ?? []) await client.call("getMemory", { memoryId });
    const repeat = await client.fail("updateMemory", {
      memory: memory({ memoryId: memoryIds.get(id)?.[1] ?? "", text: "well again" }),
      ...{ updateMask: ["text"], requestId: `${id}-${how}-answer` },
    });
    expect(repeat.reason).toBe("ANSWER_ERASED");
    const left = leftOf(receipt, ErasureRemainderReason.OTHER_OWNER);
    expect(left).toMatchObject({ count: 1n, sessionIds: [`${id}-${how}-other-last`] });
    await client.call("getSession", { sessionId: `${id}-${how}-other-last` });
  });
});

/** The documents of the summaries of a session. */
async function documentsOf(sessionId: string) {
  const filter = documentFilter({ scope: EVERYONE });
  const { documents } = await client.call("listDocuments", { collectionId: "archive", filter });
  return documents.filter(({ documentId }) => documentId.startsWith(`summary:${sessionId}:`));
}

describe("content that a memory took in from another session", () => {
  const agentId = "shared";
  const saidIn = (sessionId: string) => memorySource({ sessionId, messageIds: ["m1"] });

  /** Two sessions in a namespace of their own, one of user v and then one of user u. */
  async function twoSessions(): Promise<string> {
    const namespace = nextUser();
    for (const userId of ["v", "u"]) {
      const fields = { sessionId: `s${userId}`, userId, agentId };
      await client.call("createSession", { namespace, session: session(fields) });
      const messages = [message({ messageId: "m1", text: `by ${userId}` })];
      await client.call("appendMessages", { namespace, sessionId: `s${userId}`, messages });
    }
    return namespace;
  }

  async function remember(
    namespace: string,
    fields: (sessionId: string) => Parameters<typeof memory>[0],
    mode: ConflictMode = ConflictMode.KEEP_BOTH,
  ): Promise<void> {
    for (const sessionId of ["sv", "su"]) {
      const memories = [memory({ ...fields(sessionId), agentId, source: saidIn(sessionId) })];
      const conflict = { mode, hook: "", singleObject: false };
      await client.call("remember", { namespace, memories, conflict });
    }
  }

  async function memoriesOf(namespace: string) {
    const filter = memoryFilter({ scope: EVERYONE });
    return (await client.call("listMemories", { namespace, filter })).memories;
  }

  const ways: Readonly<Record<string, (namespace: string) => Promise<void>>> = {
    "a merge": (namespace) =>
      remember(namespace, (of) => ({ text: `From ${of}.`, key: "k" }), ConflictMode.MERGE),
    "the id": (namespace) =>
      remember(namespace, (of) => ({ text: `From ${of}.`, memoryId: "board" })),
    attributes: (namespace) =>
      remember(namespace, (of) => entity("Uli", { attributes: new Map([[of, "yes"]]) })),
    "merged entities": async (namespace) => {
      await remember(namespace, (of) => ({ ...entity(`Uli ${of}`), memoryId: of }));
      const merged = { targetMemoryId: "sv", sourceMemoryIds: ["su"] };
      await client.call("mergeEntities", { namespace, ...merged });
    },
  };

  test.each(Object.keys(ways))("by %s goes with either of them", async (way) => {
    for (const subject of [user("u"), user("v"), ofSession("su"), messagesOf("su", ["m1"])]) {
      const namespace = await twoSessions();
      await ways[way]?.(namespace);
      expect(await memoriesOf(namespace)).toHaveLength(1);
      await client.call("deleteSession", { namespace, sessionId: "su" });
      const receipt = await erase(subject, namespace);
      expect(countOf(receipt, ErasedKind.MEMORY)).toBe(1);
      expect(await memoriesOf(namespace)).toEqual([]);
    }
  });

  test("is counted when there are more sessions than a memory names", async () => {
    const namespace = nextUser();
    const count = 2 * LIMITS.memoryFurtherSources + 2;
    for (let at = 0; at < count; at++) {
      const [sessionId, userId] = [`s${at}`, `u${at}`];
      await client.call("createSession", { namespace, session: session({ sessionId, userId }) });
      const source = memorySource({ sessionId, messageIds: ["m1"] });
      const memories = [memory({ memoryId: "m", text: `${at}`, source })];
      await client.call("remember", { namespace, memories });
    }
    expect(unknownIn(await dryRun(user("nobody"), namespace))).toBe(1n);
    expect(unknownIn(await dryRun(ofSession("none"), namespace))).toBe(1n);
    expect(unknownIn(await dryRun(messagesOf("none", ["m1"]), namespace))).toBe(1n);
    expect(countOf(await erase(user(`u${count - 1}`), namespace), ErasedKind.MEMORY)).toBe(1);
  });
});

describe("records that name a session which is gone", () => {
  test("are counted when nothing tells whose it was", async () => {
    const namespace = nextUser();
    const sessionId = "gone";
    await client.call("createSession", { namespace, session: session({ sessionId, userId: "u" }) });
    const scope = memoryScope({ sessionId });
    await client.call("remember", {
      namespace,
      memories: [memory({ text: "a", sessionId }), memory({ text: "b", userId: "other" })],
    });
    await client.call("upsertDocuments", {
      namespace,
      documents: [document({ text: "a", scope })],
    });
    await client.call("putRecord", {
      namespace,
      record: record({ path: ["a"], key: "a", owner: scope }),
    });
    expect(unknownIn(await dryRun(user("v"), namespace))).toBeUndefined();
    await client.call("deleteSession", { namespace, sessionId });
    const source = memorySource({ sessionId, messageIds: ["m"] });
    await client.call("remember", { namespace, memories: [memory({ text: "late", source })] });
    expect(unknownIn(await erase(user("u"), namespace))).toBe(4n);
    expect(unknownIn(await erase(agent("a"), namespace))).toBe(4n);
    await erase(ofSession(sessionId), namespace);
    expect(unknownIn(await erase(user("u"), namespace))).toBeUndefined();
  });
});

test("the documents of records go with these, whichever of them is named", async () => {
  const userId = nextUser();
  const collectionId = `of-${userId}`;
  const search = {
    ...{ collectionId, documentCount: 0 },
    documents: [document({ text: "one" }), document({ text: "two" })],
  };
  const put = async (key: string, owner?: MemoryScope) => {
    const fields = { path: [userId], key, owner, search, value: Buffer.from(key) };
    await client.call("putRecord", { record: record(fields) });
  };
  await put("own", memoryScope({ userId }));
  await put("shared");
  const receipt = await erase(user(userId));
  expect([ErasedKind.RECORD, ErasedKind.DOCUMENT].map((kind) => countOf(receipt, kind))).toEqual([
    1, 2,
  ]);
  const { documents } = await client.call("listDocuments", { collectionId });
  expect(documents.map(({ record: of }) => of?.key)).toEqual(["shared", "shared"]);
  // The value says what its document says.
  const named = await erase(documentOf(collectionId, documents[1]?.documentId ?? ""));
  expect([ErasedKind.RECORD, ErasedKind.DOCUMENT].map((kind) => countOf(named, kind))).toEqual([
    1, 2,
  ]);
  const failure = await client.fail("getRecord", { path: [userId], key: "shared" });
  expect(failure.reason).toBe("RECORD_NOT_FOUND");
});

test("a document goes with its chunks alone", async () => {
  const collectionId = "guides";
  const text = "A sentence of a long guide. ".repeat(200);
  const splitter = { ...TextSplitter.decode(new Uint8Array(0)), chunkChars: 500 };
  const documents = [document({ documentId: "guide", text }), document({ documentId: "b", text })];
  await client.call("upsertDocuments", { collectionId, documents, splitter });
  const receipt = await erase(documentOf(collectionId, "guide"));
  expect(countOf(receipt, ErasedKind.DOCUMENT)).toBeGreaterThan(1);
  const failure = await client.fail("getDocument", { collectionId, documentId: "guide" });
  expect(failure.reason).toBe("DOCUMENT_NOT_FOUND");
  await client.call("getDocument", { collectionId, documentId: "b" });
});

test("a repeat under a request id begins nothing anew", async () => {
  const userId = nextUser();
  const request = { subject: user(userId), requestId: `${userId}-erase` };
  const first = await client.call("eraseSubject", request);
  const again = await client.call("eraseSubject", request);
  expect(again).toEqual(first);
  const other = await client.fail("eraseSubject", { ...request, subject: agent(userId) });
  expect(other.reason).toBe("REQUEST_ID_REUSED");
  await receiptOf(first.erasure?.erasureId ?? "");
});

test("one that waits does not hold up the others", async () => {
  const { purgedBefore } = server.store;
  const NEVER = -1;
  const spy = vi
    .spyOn(server.store, "purgedBefore")
    .mockImplementation(async (mark) =>
      spy.mock.calls.length === 1 || mark === NEVER
        ? { mark: NEVER, isPurged: false }
        : await purgedBefore(mark),
    );
  const { erasure } = await client.call("eraseSubject", { subject: user(nextUser()) });
  await vi.waitFor(() => expect(spy).toHaveBeenCalledWith(NEVER), 20_000);
  await erase(user(nextUser()));
  const erasureId = erasure?.erasureId ?? "";
  const waiting = await client.call("getErasure", { erasureId });
  expect(waiting.erasure?.state).toBe(ErasureState.RUNNING);
  spy.mockRestore();
});

test("a receipt is of its namespace", async () => {
  const { erasure } = await client.call("eraseSubject", { subject: user(nextUser()) });
  const erasureId = erasure?.erasureId ?? "";
  await receiptOf(erasureId);
  const failure = await client.fail("getErasure", { namespace: "elsewhere", erasureId });
  expect(failure).toMatchObject({ code: "NOT_FOUND", reason: "ERASURE_NOT_FOUND" });
  expect(failure.metadata).toEqual({ erasure_id: erasureId });
});

test("too many erasures under way are refused", async () => {
  const namespace = "busy";
  await fillErasures(server.store, namespace);
  const failure = await client.fail("eraseSubject", { namespace, subject: user("x") });
  expect(failure).toMatchObject({
    ...{ code: "RESOURCE_EXHAUSTED", reason: "ERASURE_LIMIT_REACHED" },
    metadata: { limit: String(LIMITS.erasures) },
  });
});
