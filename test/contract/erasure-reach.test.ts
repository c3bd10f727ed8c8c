// The reach of EraseSubject where ids of sessions are used anew, or sessions change hands: nothing
// of anybody else goes, and nothing of the subject stays.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ErasedKind,
  ErasureRemainderReason,
  type ErasureSubject,
} from "../../src/gen/memorysidecar/v1/admin_service.ts";
import { SummaryPlacement } from "../../src/gen/memorysidecar/v1/summary.ts";
import {
  startContractServer,
  type TestClient,
  type TestServer,
} from "../support/contract/client.ts";
import {
  document,
  documentFilter,
  EVERYONE,
  memory,
  memoryScope,
  memorySource,
  message,
  record,
  session,
} from "../support/contract/samples.ts";
import {
  lines,
  outputOf,
  summarizingPolicy,
  takeTask,
  WORKERS,
} from "../support/contract/summarizing.ts";
import * as erasing from "../support/erase/erasing.ts";
import { agent, countOf, leftOf, messagesOf, ofSession, user } from "../support/erase/erasing.ts";
import { hooksOf, pollHook } from "../support/hooks/hooks.ts";

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

const nextName = (): string => `reach${count++}`;
const erase = (subject: ErasureSubject) => erasing.erase(client, subject);

const OWNERS = ["user", "agent"] as const;
type OwnerKind = (typeof OWNERS)[number];

const ownerOf = (kind: OwnerKind, id: string) =>
  kind === "user" ? { userId: id } : { agentId: id };
const subjectOf = (kind: OwnerKind, id: string) => (kind === "user" ? user(id) : agent(id));

interface Kept {
  readonly memoryIds: readonly string[];
  readonly collectionId: string;
}

/** Makes memories, a record, and documents of a session for its owner. */
async function makeOf(sessionId: string, kind: OwnerKind, id: string): Promise<Kept> {
  const owner = ownerOf(kind, id);
  const scope = memoryScope({ ...owner, sessionId });
  const source = memorySource({ sessionId, messageIds: ["0"] });
  const { results } = await client.call("remember", {
    memories: [
      memory({ text: `${id} likes chess`, ...owner, sessionId }),
      memory({ text: `${id} likes tea`, ...owner, source }),
      // Visible to everybody: only the source tells whose it is.
      memory({ text: `${id} lives in Lisbon`, source }),
    ],
  });
  const collectionId = `of-${id}`;
  const documents = [document({ documentId: "d", text: "a", scope })];
  await client.call("upsertDocuments", { collectionId, documents });
  await client.call("putRecord", { record: record({ path: ["reach"], key: id, owner: scope }) });
  return { memoryIds: results.map(({ memoryId }) => memoryId), collectionId };
}

async function isThere(id: string, { memoryIds, collectionId }: Kept): Promise<boolean[]> {
  const found = (call: Promise<unknown>) =>
    call.then(
      () => true,
      () => false,
    );
  return await Promise.all([
    ...memoryIds.map((memoryId) => found(client.call("getMemory", { memoryId }))),
    found(client.call("getDocument", { collectionId, documentId: "d" })),
    found(client.call("getRecord", { path: ["reach"], key: id })),
  ]);
}

async function open(sessionId: string, fields: Parameters<typeof session>[0]): Promise<void> {
  await client.call("createSession", { session: session({ sessionId, ...fields }) });
  await client.call("appendMessages", {
    ...{ sessionId, messages: [message({ messageId: "0", text: "I live in Lisbon." })] },
  });
}

const ALL = [true, true, true, true, true];
const NONE = [false, false, false, false, false];

describe.each(OWNERS)("the %s of an earlier session with the same id", (kind) => {
  test("keeps what was made of it", async () => {
    const [first, second, sessionId] = [nextName(), nextName(), nextName()];
    await open(sessionId, ownerOf(kind, first));
    const kept = await makeOf(sessionId, kind, first);
    await client.call("deleteSession", { sessionId });
    await open(sessionId, ownerOf(kind, second));
    const gone = await makeOf(sessionId, kind, second);
    const receipt = await erase(subjectOf(kind, second));
    expect(countOf(receipt, ErasedKind.MEMORY)).toBe(3);
    expect(await isThere(first, kept)).toEqual(ALL);
    expect(await isThere(second, gone)).toEqual(NONE);
    await erase(subjectOf(kind, first));
    expect(await isThere(first, kept)).toEqual(NONE);
  });

  test("keeps what was made of it before it was given away", async () => {
    const [first, second, sessionId] = [nextName(), nextName(), nextName()];
    await open(sessionId, ownerOf(kind, first));
    const kept = await makeOf(sessionId, kind, first);
    const given = session({ sessionId, ...ownerOf(kind, second) });
    await client.call("updateSession", { session: given, updateMask: [`${kind}_id`] });
    const gone = await makeOf(sessionId, kind, second);
    await erase(subjectOf(kind, second));
    expect(await isThere(first, kept)).toEqual(ALL);
    expect(await isThere(second, gone)).toEqual(NONE);
  });
});

describe("a session decides where nothing tells whose a record is", () => {
  test("also when it had no user before", async () => {
    const [userId, sessionId, agentId] = [nextName(), nextName(), nextName()];
    await open(sessionId, {});
    const gone = await makeOf(sessionId, "agent", agentId);
    const given = session({ sessionId, userId });
    await client.call("updateSession", { session: given, updateMask: ["user_id"] });
    await erase(user(userId));
    expect(await isThere(agentId, gone)).toEqual(NONE);
  });

  test("and a source decides over the scope of another user", async () => {
    const [userId, other, sessionId] = [nextName(), nextName(), nextName()];
    await open(sessionId, { userId });
    const source = memorySource({ sessionId, messageIds: ["0"] });
    const { results } = await client.call("remember", {
      memories: [
        memory({ text: "told", userId: other, source }),
        memory({ text: "told and changed", userId: other, source }),
      ],
    });
    const [memoryId = "", changedId = ""] = results.map((one) => one.memoryId);
    await client.call("updateMemory", {
      ...{ memory: memory({ memoryId: changedId, text: "changed" }), updateMask: ["text"] },
    });
    expect(countOf(await erase(user(userId)), ErasedKind.MEMORY)).toBe(2);
    const failure = await client.fail("getMemory", { memoryId });
    expect(failure.reason).toBe("MEMORY_NOT_FOUND");
  });
});

describe("messages of a session", () => {
  const append = async (sessionId: string, from: number, to: number) => {
    const messages = Array.from({ length: to - from + 1 }, (_, index) =>
      message({ messageId: String(from + index), text: `${sessionId} ${from + index}` }),
    );
    await client.call("appendMessages", { sessionId, messages });
  };
  const idsOf = async (sessionId: string) =>
    (await client.call("listMessages", { sessionId })).messages.map(({ messageId }) => messageId);
  const fork = (sourceSessionId: string, sessionId: string) =>
    client.call("forkSession", { sourceSessionId, sessionId });

  test("are not those of forks of an earlier session with its id, which are named", async () => {
    const userId = nextName();
    const [root, old, last, own] = [nextName(), nextName(), nextName(), nextName()];
    await open(root, { userId });
    await fork(root, old);
    await client.call("deleteSession", { sessionId: root });
    await open(root, { userId });
    await fork(root, own);
    await fork(old, last);
    const receipt = await erase(messagesOf(root, ["0"]));
    expect(countOf(receipt, ErasedKind.MESSAGE)).toBe(2);
    expect(await idsOf(own)).toEqual([]);
    expect(await idsOf(old)).toEqual(["0"]);
    expect(await idsOf(last)).toEqual(["0"]);
    const left = leftOf(receipt, ErasureRemainderReason.OTHER_OWNER);
    expect(left).toMatchObject({ count: 2n, sessionIds: [old, last] });
  });

  test("are not those that a fork said itself, nor their copies", async () => {
    const [root, first, second] = [nextName(), nextName(), nextName()];
    await open(root, { userId: root });
    await fork(root, first);
    await append(root, 1, 2);
    await append(first, 1, 3);
    await fork(first, second);
    await erase(messagesOf(root, ["0", "2"]));
    expect(await idsOf(root)).toEqual(["1"]);
    expect(await idsOf(first)).toEqual(["1", "2", "3"]);
    expect(await idsOf(second)).toEqual(["1", "2", "3"]);
  });
});

describe("messages that were deleted before", () => {
  /** A summary in the window stands for two of three messages, of which one is deleted. */
  const summarized = async (
    ids: readonly string[],
    placement: SummaryPlacement = SummaryPlacement.IN_PLACE,
  ) => {
    const sessionId = nextName();
    await client.call("createSession", { session: session({ sessionId }) });
    const { messages } = await client.call("appendMessages", {
      ...{ sessionId, messages: ids.map((messageId) => message({ messageId, text: "a secret" })) },
    });
    const replacedMessageIds = messages.slice(0, 2).map(({ messageId }) => messageId);
    const summary = { sessionId, placement, text: "It tells the secret.", replacedMessageIds };
    await client.call("setSummary", summary);
    const [first = ""] = replacedMessageIds;
    await client.call("deleteMessage", { sessionId, messageId: first });
    return { sessionId, first };
  };
  const textsOf = async (sessionId: string) => {
    const { messages } = await client.call("getWindow", { sessionId });
    return messages.map(({ text }) => text);
  };

  test.each([SummaryPlacement.IN_PLACE, SummaryPlacement.SESSION])(
    "lose the summary that stands for them, in the window too, with placement %j",
    async (of) => {
      const { sessionId, first } = await summarized(["", "", ""], of);
      expect((await textsOf(sessionId)).join()).toContain("It tells the secret.");
      const receipt = await erase(messagesOf(sessionId, [first]));
      expect(countOf(receipt, ErasedKind.SUMMARY)).toBe(1);
      expect(await textsOf(sessionId)).toEqual(["a secret"]);
      expect(leftOf(receipt, ErasureRemainderReason.DELETED_MESSAGE)).toBeUndefined();
    },
  );

  test("are named as left in summaries when a caller gave the ids", async () => {
    const { sessionId, first } = await summarized(["0", "1", "2"]);
    const receipt = await erase(messagesOf(sessionId, [first]));
    expect(leftOf(receipt, ErasureRemainderReason.DELETED_MESSAGE)).toMatchObject({ count: 1n });
    const other = await erase(messagesOf(sessionId, ["1", "2"]));
    expect(leftOf(other, ErasureRemainderReason.DELETED_MESSAGE)).toBeUndefined();
    expect(await textsOf(sessionId)).toEqual([]);
  });

  test("are not those that have the seq of an id that a caller gave", async () => {
    const { sessionId } = await summarized(["0", "m1-0123456789abcdef", "m9-0123456789abcdef"]);
    await client.call("deleteMessage", { sessionId, messageId: "m9-0123456789abcdef" });
    const { messages } = await client.call("appendMessages", {
      ...{ sessionId, messages: [message({ text: "b" })] },
    });
    expect(messages.length).toBe(1);
    const receipt = await erase(messagesOf(sessionId, ["m4-0123456789abcdef"]));
    expect(receipt.erased).toEqual([]);
    expect(leftOf(receipt, ErasureRemainderReason.DELETED_MESSAGE)).toMatchObject({ count: 1n });
  });
});

describe.each(OWNERS)("an erasure of a %s", (kind) => {
  test("does not name the fork of an earlier session with the same id", async () => {
    const [first, second, sessionId, copy] = [nextName(), nextName(), nextName(), nextName()];
    await open(sessionId, ownerOf(kind, first));
    await client.call("forkSession", { sourceSessionId: sessionId, sessionId: copy });
    await client.call("deleteSession", { sessionId });
    await open(sessionId, ownerOf(kind, second));
    const receipt = await erase(subjectOf(kind, second));
    expect(leftOf(receipt, ErasureRemainderReason.OTHER_OWNER)).toBeUndefined();
    await client.call("getSession", { sessionId: copy });
  });
});

describe("documents of summaries of an earlier session with the same id", () => {
  /** Opens a session whose first messages become a document. Gives their ids. */
  const summarized = async (sessionId: string, userId: string, collectionId: string) => {
    const policy = summarizingPolicy({ collectionId });
    await client.call("createSession", { session: session({ sessionId, userId, policy }) });
    await client.call("appendMessages", { sessionId, messages: lines(6) });
    const { ref } = await takeTask(server);
    await client.call("completeTask", { ...ref, output: outputOf(`All of ${userId}.`) });
  };
  const documentsOf = async (collectionId: string) => {
    const filter = documentFilter({ scope: EVERYONE });
    const { documents } = await client.call("listDocuments", { collectionId, filter });
    return documents.map(({ text, scope }) => [text, scope?.userId]);
  };
  const first = ["All of first.", "first"];
  const second = ["All of second.", "second"];

  test.each(["user", "messages", "session"] as const)("under an erasure of a %s", async (kind) => {
    const [sessionId, collectionId] = [nextName(), nextName()];
    await summarized(sessionId, "first", collectionId);
    await client.call("deleteSession", { sessionId });
    server.advance(1_000);
    await summarized(sessionId, "second", collectionId);
    expect(await documentsOf(collectionId)).toEqual([first, second]);
    const receipt = await erase(
      {
        user: user("second"),
        messages: messagesOf(sessionId, ["m1"]),
        session: ofSession(sessionId),
      }[kind],
    );
    const gone = kind === "session" ? 2 : 1;
    expect(countOf(receipt, ErasedKind.DOCUMENT)).toBe(gone);
    expect(await documentsOf(collectionId)).toEqual(kind === "session" ? [] : [first]);
  });
});
