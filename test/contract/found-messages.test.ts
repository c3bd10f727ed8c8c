// Messages found, and deleted, by their ids without their sessions.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DeletedMessage, FoundMessage } from "../../src/gen/memorysidecar/v1/history.ts";
import type { Message } from "../../src/gen/memorysidecar/v1/message.ts";
import type { SessionFilter } from "../../src/gen/memorysidecar/v1/session.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { message, session } from "../support/contract/samples.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startContractServer();
});
afterAll(() => server[Symbol.asyncDispose]());

let made = 0;

const said = (messageId: string): Message => message({ messageId, text: messageId });

const places = (page: { messages: readonly FoundMessage[] }) =>
  page.messages.map(({ sessionId, message: found }) => `${sessionId} ${found?.seq} ${found?.text}`);

const sessionFilter = (fields: Partial<SessionFilter>): SessionFilter => ({
  ...{ userId: undefined, agentId: undefined, labels: new Map(), metadata: [] },
  ...{ createTimeFrom: undefined, createTimeBefore: undefined, sessionIdPrefix: undefined },
  ...{ updateTimeFrom: undefined, updateTimeBefore: undefined },
  ...fields,
});

/** A namespace of its own: three sessions, of two users. */
async function three(): Promise<string> {
  const namespace = `find-${++made}`;
  for (const [sessionId, userId, ids] of [
    ["one", "ana", ["a", "b"]],
    ["two", "bob", ["b", "c"]],
    ["three", "ana", ["c", "a"]],
  ] as const) {
    await server.client.call("createSession", {
      namespace,
      session: session({ sessionId, userId }),
    });
    const messages = ids.map((id) => message({ messageId: id, text: `${sessionId}-${id}` }));
    await server.client.call("appendMessages", { namespace, sessionId, messages });
  }
  return namespace;
}

describe("FindMessages", () => {
  test("gives the messages of all sessions, the newest session first", async () => {
    const namespace = await three();
    const find = (messageIds: string[], more = {}) =>
      server.client.call("findMessages", { namespace, messageIds, ...more });
    const all = await find(["a", "b", "none", "a"]);
    expect(places(all)).toEqual(["three 2 three-a", "two 1 two-b", "one 1 one-a", "one 2 one-b"]);
    expect(all.nextPageToken).toBe("");
    const got = await server.client.call("getMessage", {
      ...{ namespace, sessionId: "two", messageId: "b" },
    });
    expect(all.messages[1]?.message).toEqual(got.message);
    const hers = await find(["b", "c"], { filter: sessionFilter({ userId: "ana" }) });
    expect(places(hers)).toEqual(["three 1 three-c", "one 2 one-b"]);
    expect(places(await find(["none"]))).toEqual([]);
    const elsewhere = { namespace: `${namespace}-x`, messageIds: ["a"] };
    expect(places(await server.client.call("findMessages", elsewhere))).toEqual([]);
  });

  test("gives pages, which go on with the same request only", async () => {
    const namespace = await three();
    const request = { namespace, messageIds: ["a", "b", "c"], pageSize: 2 };
    const first = await server.client.call("findMessages", request);
    expect(places(first)).toEqual(["three 1 three-c", "three 2 three-a"]);
    const { nextPageToken: pageToken } = first;
    const second = await server.client.call("findMessages", { ...request, pageToken });
    expect(places(second)).toEqual(["two 1 two-b", "two 2 two-c"]);
    const third = await server.client.call("findMessages", {
      ...{ ...request, pageToken: second.nextPageToken, pageSize: 10 },
    });
    expect(places(third)).toEqual(["one 1 one-a", "one 2 one-b"]);
    expect(third.nextPageToken).toBe("");
    const other = await server.client.fail("findMessages", {
      ...{ ...request, messageIds: ["a"], pageToken },
    });
    expect(other.reason).toBe("PAGE_TOKEN_INVALID");
  });

  test("does not find what was deleted, and finds what a fork has", async () => {
    const namespace = await three();
    const at = { namespace, sessionId: "one" };
    await server.client.call("batchDeleteMessages", { ...at, messageIds: ["a"] });
    await server.client.call("forkSession", {
      ...{ namespace, sourceSessionId: "one", sessionId: "fork" },
    });
    const page = await server.client.call("findMessages", { namespace, messageIds: ["a", "b"] });
    expect(places(page)).toEqual(["fork 2 one-b", "three 2 three-a", "two 1 two-b", "one 2 one-b"]);
  });

  test("ends a page before 3 MiB, also within a session", async () => {
    const namespace = `find-${++made}`;
    const messageIds = ["m0", "m1", "m2", "m3", "m4"];
    for (const messageId of messageIds) {
      const messages = [message({ messageId, text: "x".repeat(1_000_000) })];
      const request = { namespace, sessionId: "s", createSession: true, messages };
      await server.client.call("appendMessages", request);
    }
    const first = await server.client.call("findMessages", { namespace, messageIds });
    expect(first.messages).toHaveLength(3);
    const second = await server.client.call("findMessages", {
      ...{ namespace, messageIds, pageToken: first.nextPageToken },
    });
    expect(second.messages.map((found) => found.message?.messageId)).toEqual(["m3", "m4"]);
  });

  test("refuses a request without ids, and conditions that contradict themselves", async () => {
    const none = await server.client.fail("findMessages", { messageIds: [] });
    expect(none).toMatchObject({ reason: "REQUEST_INVALID", fields: ["message_ids"] });
    const filter = sessionFilter({ metadata: [{ path: "", test: undefined }] });
    const bad = await server.client.fail("findMessages", { messageIds: ["a"], filter });
    expect(bad.reason).toBe("REQUEST_INVALID");
    expect(bad.fields[0]).toMatch(/^filter\.metadata/);
  });
});

describe("DeleteFoundMessages", () => {
  const left = async (namespace: string) => {
    const page = await server.client.call("findMessages", {
      namespace,
      messageIds: ["a", "b", "c"],
    });
    return places(page);
  };
  const names = (answer: { readonly messages: readonly DeletedMessage[] }) =>
    answer.messages.map((one) => `${one.sessionId} ${one.seq} ${one.messageId}`);

  test("deletes in each session that has an id, and says what", async () => {
    const namespace = await three();
    const request = { namespace, messageIds: ["a", "none", "c", "a"] };
    const answer = await server.client.call("deleteFoundMessages", request);
    expect(names(answer)).toEqual(["three 1 c", "three 2 a", "two 2 c", "one 1 a"]);
    expect(answer.nextPageToken).toBe("");
    expect(new Set(answer.messages.map(({ revision }) => revision)).size).toBe(3);
    expect(await left(namespace)).toEqual(["two 1 two-b", "one 2 one-b"]);
    const again = await server.client.call("deleteFoundMessages", request);
    expect(again).toMatchObject({ messages: [], nextPageToken: "" });
    const other = { ...request, namespace: `${namespace}-x`, messageIds: ["b"] };
    expect(names(await server.client.call("deleteFoundMessages", other))).toEqual([]);
  });

  test("deletes in the sessions of a filter only", async () => {
    const namespace = await three();
    const filter = sessionFilter({ userId: "ana" });
    const request = { namespace, messageIds: ["b", "c"], filter };
    const answer = await server.client.call("deleteFoundMessages", request);
    expect(names(answer)).toEqual(["three 1 c", "one 2 b"]);
    expect(await left(namespace)).toEqual([
      ...["three 2 three-a", "two 1 two-b", "two 2 two-c", "one 1 one-a"],
    ]);
  });

  test("gives the first answer to a repeat, and tells the pages of one request apart", async () => {
    const namespace = await three();
    const request = { namespace, messageIds: ["a"], requestId: `delete-${namespace}` };
    const first = await server.client.call("deleteFoundMessages", request);
    expect(names(first)).toEqual(["three 2 a", "one 1 a"]);
    await server.client.call("appendMessages", {
      ...{ namespace, sessionId: "two", messages: [said("a")] },
    });
    expect(await server.client.call("deleteFoundMessages", request)).toEqual(first);
    expect(await left(namespace)).toContain("two 3 a");
    const nothing = { namespace, messageIds: ["x"], requestId: `nothing-${namespace}` };
    expect(names(await server.client.call("deleteFoundMessages", nothing))).toEqual([]);
    await server.client.call("appendMessages", {
      ...{ namespace, sessionId: "two", messages: [said("x")] },
    });
    expect(names(await server.client.call("deleteFoundMessages", nothing))).toEqual([]);
    const reused = { ...nothing, messageIds: ["y"] };
    expect(await server.client.fail("deleteFoundMessages", reused)).toMatchObject({
      reason: "REQUEST_ID_REUSED",
    });
    const { events: told } = await server.client.call("listEvents", { namespace });
    const deletions = told.filter(({ detail }) => detail?.$case === "messageDeleted");
    expect(deletions.map(({ requestId }) => requestId)).toEqual([
      ...[request.requestId, request.requestId],
    ]);
  });

  test("goes on where a full call ended", async () => {
    const namespace = `find-${++made}`;
    const messageIds = ["m0", "m1", "m2", "m3", "m4"];
    for (const messageId of messageIds) {
      const messages = [message({ messageId, text: "x".repeat(1_000_000) })];
      const request = { namespace, sessionId: messageId, createSession: true, messages };
      await server.client.call("appendMessages", request);
    }
    const request = { namespace, messageIds };
    const first = await server.client.call("deleteFoundMessages", request);
    expect(names(first)).toEqual(["m4 1 m4", "m3 1 m3", "m2 1 m2"]);
    const { nextPageToken: pageToken } = first;
    const paged = { ...request, pageToken, requestId: `page-${namespace}` };
    const second = await server.client.call("deleteFoundMessages", paged);
    expect(names(second)).toEqual(["m1 1 m1", "m0 1 m0"]);
    expect(await server.client.call("deleteFoundMessages", paged)).toEqual(second);
    const without = { ...paged, pageToken: "" };
    expect((await server.client.fail("deleteFoundMessages", without)).reason).toBe(
      "REQUEST_ID_REUSED",
    );
    const wrong = { ...request, messageIds: ["m0"], pageToken };
    expect((await server.client.fail("deleteFoundMessages", wrong)).reason).toBe(
      "PAGE_TOKEN_INVALID",
    );
  });
});
