// Every rpc of SessionService about sessions and windows: success, defaults, and each documented
// failure.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MetadataCondition } from "../../src/gen/memorysidecar/v1/filter.ts";
import { Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { type SessionFilter, SessionOrder } from "../../src/gen/memorysidecar/v1/session.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  dropOldest,
  keepStage,
  message,
  policy,
  protections,
  session,
  sessionSummary,
  structOfSize,
  toolCall,
  written,
} from "../support/contract/samples.ts";
import { struct } from "../support/kit/structs.ts";
import { revisionOf } from "../support/store/revisions.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

/** A session of its own, with messages. */
async function seeded(texts: readonly string[] = ["one", "two", "three"]): Promise<string> {
  const sessionId = `session-${count++}`;
  const messages = texts.map((text, index) => message({ messageId: `m${index + 1}`, text }));
  await server.client.call("createSession", { session: session({ sessionId }) });
  await server.client.call("appendMessages", { sessionId, messages });
  return sessionId;
}

const second = (seconds: number) => ({ seconds: BigInt(seconds), nanos: 0 });

describe("CreateSession", () => {
  test("makes a session with a sortable id and every default of the policy written out", async () => {
    const { session: made } = await server.client.call("createSession");
    expect(made?.namespace).toBe("default");
    expect(made?.sessionId).toMatch(/^[0-9a-z]{20,}$/);
    expect(made?.lastSeq).toBe(0n);
    expect(made?.ttl).toBeUndefined();
    expect(made?.summary).toBeUndefined();
    expect(made?.etag).not.toBe("");
    expect(made?.createTime).toEqual(made?.updateTime);
    const limits = { maxMessages: 200, maxTokens: 8_000n };
    expect(made?.policy).toEqual(written(made?.effectivePolicy ?? expect.unreachable()));
    expect(made?.effectivePolicy).toMatchObject({
      tokenRule: 1,
      imageTokenCount: 800,
      protections: { system: 2, pinFirst: 0, minMessages: 1, releaseLastUser: false },
      stages: [
        { name: "turns", on: 1, unit: 3, select: { $case: "dropOldest", value: limits } },
        { name: "assistant_turns", on: 1, unit: 2, select: { $case: "dropOldest", value: limits } },
      ],
    });
  });

  test("keeps what the caller sets and ignores what only the server sets", async () => {
    const metadata = structOfSize(100);
    const { session: made } = await server.client.call("createSession", {
      namespace: "tenant-1",
      session: session({
        sessionId: "chosen",
        userId: "u",
        agentId: "a",
        labels: new Map([
          ["b", "2"],
          ["a", "1"],
        ]),
        metadata,
        ttl: { seconds: 60n, nanos: 1 },
        summary: sessionSummary({ text: "so far", tokenCount: 99, version: 9n }),
        lastSeq: 7n,
        etag: "mine",
        namespace: "other",
      }),
    });
    expect(made).toMatchObject({
      namespace: "tenant-1",
      sessionId: "chosen",
      userId: "u",
      agentId: "a",
      ttl: { seconds: 60n, nanos: 1_000_000 },
      lastSeq: 0n,
      summary: { text: "so far", tokenCount: 2, version: 1n },
    });
    expect([...(made?.labels ?? [])]).toEqual([
      ["a", "1"],
      ["b", "2"],
    ]);
    expect(made?.metadata.equals(metadata)).toBe(true);
    expect(made?.etag).not.toBe("mine");
  });

  test("gives the first answer to a repeat, and refuses the id for another request", async () => {
    const request = { requestId: `create-${count++}`, session: session({ userId: "u" }) };
    const first = await server.client.call("createSession", request);
    expect(await server.client.call("createSession", request)).toEqual(first);
    const other = { ...request, session: session({ userId: "v" }) };
    expect(await server.client.fail("createSession", other)).toMatchObject({
      code: "FAILED_PRECONDITION",
      reason: "REQUEST_ID_REUSED",
      metadata: { request_id: request.requestId },
    });
  });

  test("takes a repeat for the same whatever the order of its labels", async () => {
    const requestId = `order-${count++}`;
    const labels = [
      ["a", "1"],
      ["b", "2"],
      ["c", "3"],
    ] as const;
    const first = await server.client.call("createSession", {
      requestId,
      session: session({ labels: new Map(labels) }),
    });
    const second = await server.client.call("createSession", {
      requestId,
      session: session({ labels: new Map([...labels].reverse()) }),
    });
    expect(second.session?.sessionId).toBe(first.session?.sessionId);
  });

  test("refuses an id that exists", async () => {
    const sessionId = await seeded();
    const failure = await server.client.fail("createSession", { session: session({ sessionId }) });
    expect(failure).toMatchObject({
      code: "ALREADY_EXISTS",
      reason: "SESSION_ALREADY_EXISTS",
      metadata: { session_id: sessionId },
    });
    expect(failure.details).toContain("ResourceInfo");
  });

  test.each([
    ["a control character", { sessionId: "a\nb" }, "session.session_id"],
    ["a label key with a space", { labels: new Map([["a b", ""]]) }, 'session.labels["a b"]'],
    ["an empty label key", { labels: new Map([["", ""]]) }, 'session.labels[""]'],
    ["a ttl below a second", { ttl: { seconds: 0n, nanos: 999_999_999 } }, "session.ttl"],
    ["a negative ttl", { ttl: { seconds: -5n, nanos: 0 } }, "session.ttl"],
    ["a ttl above ten years", { ttl: { seconds: 315_576_000n, nanos: 1 } }, "session.ttl"],
    [
      "an unknown token rule",
      { policy: policy({ tokenRule: 99 as 0 }) },
      "session.policy.policy.token_rule",
    ],
    [
      "two stages of one name",
      { policy: policy({ stages: [keepStage(), keepStage()] }) },
      "session.policy.policy.stages[1].name",
    ],
    [
      "a stage without a name",
      { policy: policy({ stages: [keepStage({ name: "" })] }) },
      "session.policy.policy.stages[0].name",
    ],
    [
      "a stage that does nothing",
      { policy: policy({ stages: [keepStage({ select: undefined })] }) },
      "session.policy.policy.stages[0].select",
    ],
    [
      "a drop without a limit",
      {
        policy: policy({
          stages: [keepStage({ select: { $case: "dropOldest", value: dropOldest({}) } })],
        }),
      },
      "session.policy.policy.stages[0].drop_oldest",
    ],
    [
      "a trigger without a condition",
      { policy: policy({ stages: [keepStage({ anyOf: [{ condition: undefined }] })] }) },
      "session.policy.policy.stages[0].any_of[0].condition",
    ],
    [
      "an unknown unit",
      { policy: policy({ stages: [keepStage({ unit: 9 as 0 })] }) },
      "session.policy.policy.stages[0].unit",
    ],
    [
      "a stage that runs at an unknown time",
      { policy: policy({ stages: [keepStage({ on: 7 as 0 })] }) },
      "session.policy.policy.stages[0].on",
    ],
    [
      "an unknown protection",
      { policy: policy({ protections: protections({ system: 8 as 0 }) }) },
      "session.policy.policy.protections.system",
    ],
    [
      "a negative number of pins",
      { policy: policy({ protections: protections({ pinFirst: -1 }) }) },
      "session.policy.policy.protections.pin_first",
    ],
  ] as const)("refuses %s", async (_, fields, path) => {
    const before = await revisionOf(server.store);
    const failure = await server.client.fail("createSession", { session: session(fields) });
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: [path] });
    expect(await revisionOf(server.store)).toBe(before);
  });

  test("names all faults at once, 20 at most", async () => {
    const labels = new Map(Array.from({ length: 30 }, (_, index) => [`bad key ${index}`, ""]));
    const failure = await server.client.fail("createSession", {
      namespace: "No",
      session: session({ userId: "u".repeat(513), labels }),
    });
    expect(failure.fields).toHaveLength(20);
    expect(failure.fields.slice(0, 2)).toEqual(["namespace", "session.user_id"]);
  });
});

describe("GetSession", () => {
  test("gives the session with its totals", async () => {
    const sessionId = await seeded();
    const { session: found } = await server.client.call("getSession", { sessionId });
    expect(found).toMatchObject({
      sessionId,
      lastSeq: 3n,
      logTotals: { messageCount: 3n, tokenCount: 4n },
      windowTotals: { messageCount: 3n, tokenCount: 4n },
    });
  });

  test("does not find one that is missing, expired, or of another namespace", async () => {
    const missing = { code: "NOT_FOUND", reason: "SESSION_NOT_FOUND" };
    const sessionId = await seeded();
    expect(await server.client.fail("getSession", { sessionId: "none" })).toMatchObject(missing);
    const foreign = { namespace: "other", sessionId };
    expect(await server.client.fail("getSession", foreign)).toMatchObject(missing);
    await server.client.call("createSession", {
      session: session({ sessionId: "short", ttl: second(1) }),
    });
    server.advance(1_001);
    const expired = await server.client.fail("getSession", { sessionId: "short" });
    expect(expired).toMatchObject({ ...missing, metadata: { session_id: "short" } });
  });

  test("needs an id", async () => {
    expect(await server.client.fail("getSession")).toMatchObject({ fields: ["session_id"] });
  });
});

describe("ListSessions", () => {
  const namespace = "listing";
  const filter: SessionFilter = {
    userId: undefined,
    agentId: undefined,
    labels: new Map(),
    createTimeFrom: undefined,
    createTimeBefore: undefined,
    updateTimeFrom: undefined,
    updateTimeBefore: undefined,
    metadata: [],
  };
  const ids = (page: { sessions: readonly { sessionId: string }[] }) =>
    page.sessions.map((one) => one.sessionId);

  beforeAll(async () => {
    for (const [index, userId] of ["a", "b", "a", "b", "a"].entries()) {
      const labels = new Map([["parity", String(index % 2)]]);
      const made = session({ sessionId: `l${index}`, userId, agentId: `g${index}`, labels });
      await server.client.call("createSession", { namespace, session: made });
      server.advance(1_000);
    }
  });

  test("gives the newest first, in pages", async () => {
    const first = await server.client.call("listSessions", { namespace, pageSize: 2 });
    expect(ids(first)).toEqual(["l4", "l3"]);
    const rest = { namespace, pageSize: 1_000, pageToken: first.nextPageToken };
    const last = await server.client.call("listSessions", rest);
    expect(ids(last)).toEqual(["l2", "l1", "l0"]);
    expect(last.nextPageToken).toBe("");
  });

  test("gives the oldest first when asked", async () => {
    const page = await server.client.call("listSessions", { namespace, order: 2 });
    expect(ids(page)).toEqual(["l0", "l1", "l2", "l3", "l4"]);
  });

  test("filters by user, agent, labels and times", async () => {
    const list = async (fields: Partial<typeof filter> & object) =>
      ids(
        await server.client.call("listSessions", { namespace, filter: { ...filter, ...fields } }),
      );
    expect(await list({ userId: "b" })).toEqual(["l3", "l1"]);
    expect(await list({ agentId: "g2" })).toEqual(["l2"]);
    expect(await list({ labels: new Map([["parity", "1"]]) })).toEqual(["l3", "l1"]);
    const l2 = await server.client.call("getSession", { namespace, sessionId: "l2" });
    const at = l2.session?.createTime;
    expect(await list({ createTimeFrom: at } as object)).toEqual(["l4", "l3", "l2"]);
    expect(await list({ createTimeBefore: at } as object)).toEqual(["l1", "l0"]);
    expect(await list({ updateTimeFrom: at, updateTimeBefore: at } as object)).toEqual([]);
  });

  test("gives those that were changed last first when asked, in pages", async () => {
    const changed = "changed-last";
    for (const [index, sessionId] of ["a", "b", "c", "d"].entries()) {
      const made = session({ sessionId, userId: `u${index % 2}` });
      await server.client.call("createSession", { namespace: changed, session: made });
      server.advance(1_000);
    }
    const append = { namespace: changed, sessionId: "b", messages: [message({ role: 1 })] };
    await server.client.call("appendMessages", append);
    const newest = { namespace: changed, order: SessionOrder.UPDATE_TIME_DESC };
    const oldest = { namespace: changed, order: SessionOrder.UPDATE_TIME_ASC };
    expect(ids(await server.client.call("listSessions", newest))).toEqual(["b", "d", "c", "a"]);
    const first = await server.client.call("listSessions", { ...oldest, pageSize: 3 });
    expect(ids(first)).toEqual(["a", "c", "d"]);
    const rest = { ...oldest, pageToken: first.nextPageToken };
    expect(ids(await server.client.call("listSessions", rest))).toEqual(["b"]);
    const ofUser = { ...newest, filter: { ...filter, userId: "u1" } };
    expect(ids(await server.client.call("listSessions", ofUser))).toEqual(["b", "d"]);
    const at = (await server.client.call("getSession", { namespace: changed, sessionId: "d" }))
      .session?.updateTime;
    const since = { ...oldest, filter: { ...filter, updateTimeFrom: at } };
    expect(ids(await server.client.call("listSessions", since))).toEqual(["d", "b"]);
  });

  test("filters by the beginning of the id and by metadata, and counts all pages", async () => {
    const kinds = "by-metadata";
    const sizes = [1, 2, 3, 4];
    for (const size of sizes) {
      const sessionId = `${size % 2 === 0 ? "even" : "odd"}/${size}`;
      const made = session({ sessionId, metadata: struct({ size, tags: ["x", `t${size}`] }) });
      await server.client.call("createSession", { namespace: kinds, session: made });
    }
    const list = (fields: Partial<SessionFilter>, more: object = {}) =>
      server.client.call("listSessions", {
        ...{ namespace: kinds, filter: { ...filter, ...fields }, includeTotal: true },
        ...more,
      });
    const even = await list({ sessionIdPrefix: "even/" });
    expect([ids(even), even.total]).toEqual([["even/4", "even/2"], { count: 2n, atLeast: false }]);
    const range = { min: 2, lessThan: undefined, max: undefined };
    const large = { path: "size", test: { $case: "range", value: range } } as const;
    const page = await list({ metadata: [large] }, { pageSize: 1 });
    expect([ids(page), page.total?.count]).toEqual([["even/4"], 3n]);
    const tagged = { path: "tags", test: { $case: "equalTo", value: "t1" } } as const;
    const none: MetadataCondition = {
      path: "",
      test: { $case: "noneOf", value: { conditions: [tagged] } },
    };
    const both = await list({ metadata: [none], sessionIdPrefix: "odd/" });
    expect([ids(both), both.total?.count]).toEqual([["odd/3"], 1n]);
    const uncounted = await server.client.call("listSessions", { namespace: kinds });
    expect(uncounted.total).toBeUndefined();
  });

  test("refuses an empty prefix and conditions that are none", async () => {
    const deep = { path: "size", test: { $case: "equalTo", value: { a: 1 } } } as const;
    const failure = await server.client.fail("listSessions", {
      namespace,
      filter: { ...filter, sessionIdPrefix: "", metadata: [deep, { path: "", test: deep.test }] },
    });
    expect(failure.fields).toEqual([
      "filter.session_id_prefix",
      "filter.metadata[0].equal_to",
      "filter.metadata[1].path",
      "filter.metadata[1].equal_to",
    ]);
  });

  test("refuses a token that is damaged or of another query", async () => {
    const { nextPageToken } = await server.client.call("listSessions", { namespace, pageSize: 1 });
    const invalid = { code: "INVALID_ARGUMENT", reason: "PAGE_TOKEN_INVALID" };
    const requests = [
      { namespace, pageToken: "nonsense" },
      { namespace, pageToken: nextPageToken.slice(0, -2) },
      { namespace, pageToken: `${nextPageToken}AA` },
      { namespace: "default", pageToken: nextPageToken },
      { namespace, pageToken: nextPageToken, order: 2 as const },
      { namespace, pageToken: nextPageToken, filter: { ...filter, userId: "a" } },
    ];
    for (const request of requests) {
      expect(await server.client.fail("listSessions", request)).toMatchObject(invalid);
    }
  });

  test("refuses a negative size, an unknown order, and times that are none", async () => {
    const failure = await server.client.fail("listSessions", {
      order: 9 as 0,
      pageSize: -1,
      filter: { ...filter, createTimeFrom: { seconds: 253_402_300_800n, nanos: 0 } },
    });
    expect(failure.fields).toEqual(["filter.create_time_from", "order", "page_size"]);
  });
});

describe("UpdateSession", () => {
  test("remembers the answer to an update that sets nothing", async () => {
    const sessionId = await seeded();
    const update = (fields: object) =>
      ({ session: session({ sessionId, ...fields }), requestId: `nothing-${sessionId}` }) as const;
    const first = await server.client.call("updateSession", update({}));
    const other = { ...update({ userId: "u" }), requestId: "" };
    await server.client.call("updateSession", other);
    expect(await server.client.call("updateSession", update({}))).toEqual(first);
    const reused = await server.client.fail("updateSession", update({ userId: "v" }));
    expect(reused.reason).toBe("REQUEST_ID_REUSED");
  });

  test("changes what the mask names, clears what is named and not set", async () => {
    const sessionId = await seeded();
    const all = session({ sessionId, userId: "u", agentId: "a", labels: new Map([["k", "v"]]) });
    await server.client.call("updateSession", { session: all });
    const { session: changed } = await server.client.call("updateSession", {
      session: session({ sessionId, agentId: "b" }),
      updateMask: ["agent_id", "labels", "etag"],
    });
    expect(changed).toMatchObject({ userId: "u", agentId: "b", labels: new Map() });
    const star = { session: session({ sessionId }), updateMask: ["*"] };
    const { session: cleared } = await server.client.call("updateSession", star);
    expect(cleared).toMatchObject({ userId: "", agentId: "" });
    expect(cleared?.effectivePolicy?.stages).toHaveLength(2);
  });

  test("trims at once by a new policy", async () => {
    const sessionId = await seeded();
    const { trims, session: changed } = await server.client.call("updateSession", {
      session: session({
        sessionId,
        policy: policy({
          stages: [keepStage({ select: { $case: "keepLast", value: { unitCount: 1 } } })],
        }),
      }),
    });
    expect(trims).toMatchObject([
      {
        stage: "keep",
        reason: 3,
        messageIds: ["m1", "m2"],
        seqRanges: [{ firstSeq: 1n, lastSeq: 2n }],
      },
    ]);
    expect(changed?.windowTotals?.messageCount).toBe(1n);
  });

  test("refuses a stale etag, a missing session, and paths that cannot be changed", async () => {
    const sessionId = await seeded();
    const update = (fields: object, updateMask?: string[]) =>
      server.client.fail("updateSession", { session: session(fields), updateMask });
    expect(await update({ sessionId, etag: "old", userId: "u" })).toMatchObject({
      code: "ABORTED",
      reason: "ETAG_MISMATCH",
    });
    expect(await update({ sessionId: "none", userId: "u" })).toMatchObject({
      reason: "SESSION_NOT_FOUND",
    });
    const failure = await update({ sessionId }, ["session_id", "user_id", "nonsense"]);
    expect(failure.fields).toEqual(["update_mask.paths[0]", "update_mask.paths[2]"]);
    expect(await server.client.fail("updateSession")).toMatchObject({ fields: ["session"] });
  });
});

describe("DeleteSession", () => {
  test("deletes, and succeeds again when missing ones are allowed", async () => {
    const sessionId = await seeded();
    const { revision } = await server.client.call("deleteSession", { sessionId });
    expect(revision).toBeGreaterThan(0n);
    const again = await server.client.call("deleteSession", { sessionId, allowMissing: true });
    expect(again.revision).toBe(0n);
    expect(await server.client.fail("deleteSession", { sessionId })).toMatchObject({
      reason: "SESSION_NOT_FOUND",
    });
  });

  test("refuses a stale etag", async () => {
    const sessionId = await seeded();
    const failure = await server.client.fail("deleteSession", { sessionId, etag: "old" });
    expect(failure.reason).toBe("ETAG_MISMATCH");
  });
});

describe("ForkSession", () => {
  test("copies up to a seq", async () => {
    const sourceSessionId = await seeded();
    const { session: copy } = await server.client.call("forkSession", {
      sourceSessionId,
      atSeq: 2n,
    });
    expect(copy).toMatchObject({
      lastSeq: 2n,
      forkedFrom: { sessionId: sourceSessionId, seq: 2n },
      logTotals: { messageCount: 2n },
    });
    const sessionId = copy?.sessionId ?? "";
    const { messages } = await server.client.call("getWindow", { sessionId });
    expect(messages.map((one) => one.text)).toEqual(["one", "two"]);
  });

  test("refuses a missing source, a target that exists, and a seq that is not there", async () => {
    const source = await seeded();
    const other = await seeded();
    const fork = (fields: object) => server.client.fail("forkSession", fields);
    expect(await fork({ sourceSessionId: "none" })).toMatchObject({ reason: "SESSION_NOT_FOUND" });
    expect(await fork({ sourceSessionId: source, sessionId: other })).toMatchObject({
      reason: "SESSION_ALREADY_EXISTS",
    });
    expect(await fork({ sourceSessionId: source, atSeq: 4n })).toMatchObject({
      code: "OUT_OF_RANGE",
      reason: "SEQ_OUT_OF_RANGE",
      metadata: { seq: "4", last_seq: "3" },
    });
    expect(await fork({ sourceSessionId: source, atSeq: -1n })).toMatchObject({
      fields: ["at_seq"],
    });
  });
});

describe("ResetSession", () => {
  test("empties a session and goes on with the seqs", async () => {
    const sessionId = await seeded();
    const { deletedTotals, session: empty } = await server.client.call("resetSession", {
      sessionId,
    });
    expect(deletedTotals?.messageCount).toBe(3n);
    expect(empty?.logTotals?.messageCount).toBe(0n);
    const next = await server.client.call("appendMessages", { sessionId, messages: [message()] });
    expect(next.lastSeq).toBe(4n);
  });

  test("keeps system messages when asked; refuses a stale etag and a missing session", async () => {
    const sessionId = await seeded();
    const system = message({ role: Role.SYSTEM, text: "rules" });
    await server.client.call("appendMessages", { sessionId, messages: [system] });
    const stale = await server.client.fail("resetSession", { sessionId, etag: "old" });
    expect(stale.reason).toBe("ETAG_MISMATCH");
    const reset = { sessionId, keepSystemMessages: true };
    const { session: kept } = await server.client.call("resetSession", reset);
    expect(kept?.logTotals?.messageCount).toBe(1n);
    const missing = await server.client.fail("resetSession", { sessionId: "none" });
    expect(missing.reason).toBe("SESSION_NOT_FOUND");
  });
});

describe("GetWindow", () => {
  test("gives the messages for the model, and what is outside", async () => {
    const sessionId = await seeded(["one", "two", "three", "four"]);
    const view = policy({
      stages: [
        keepStage({ select: { $case: "dropOldest", value: dropOldest({ maxMessages: 2 }) } }),
      ],
    });
    const window = await server.client.call("getWindow", { sessionId, policy: written(view) });
    expect(window).toMatchObject({
      windowTotals: { messageCount: 2n },
      outsideTotals: { messageCount: 2n },
      outsideSeqRanges: [{ firstSeq: 1n, lastSeq: 2n }],
      outsideTruncated: false,
      overLimit: false,
      lastSeq: 4n,
      trims: [{ stage: "keep", reason: 1, messageIds: ["m1", "m2"] }],
    });
    expect(window.messages.map((one) => one.text)).toEqual(["three", "four"]);
    const whole = await server.client.call("getWindow", { sessionId });
    expect(whole.messages).toHaveLength(4);
    expect(whole.outsideTotals?.messageCount).toBe(0n);
  });

  test("gives the window as it was, and names calls without a result", async () => {
    const sessionId = await seeded(["one"]);
    const call = message({ role: Role.ASSISTANT, toolCalls: [toolCall("c1")] });
    await server.client.call("appendMessages", { sessionId, messages: [call] });
    const now = await server.client.call("getWindow", { sessionId });
    expect(now.openToolCallIds).toEqual(["c1"]);
    const past = await server.client.call("getWindow", { sessionId, asOfSeq: 1n });
    expect(past.messages.map((one) => one.text)).toEqual(["one"]);
    expect(past.outsideTotals).toBeUndefined();
    expect(past.lastSeq).toBe(1n);
  });

  test("refuses a missing session, a seq that is not there, and a policy that is none", async () => {
    const sessionId = await seeded();
    const get = (fields: object) => server.client.fail("getWindow", fields);
    expect(await get({ sessionId: "none" })).toMatchObject({ reason: "SESSION_NOT_FOUND" });
    expect(await get({ sessionId, asOfSeq: 4n })).toMatchObject({ reason: "SEQ_OUT_OF_RANGE" });
    expect(await get({ sessionId, asOfSeq: -1n })).toMatchObject({ fields: ["as_of_seq"] });
    const broken = policy({ stages: [keepStage({ name: "Not a name" })] });
    expect(await get({ sessionId, policy: written(broken) })).toMatchObject({
      fields: ["policy.policy.stages[0].name"],
    });
  });
});

describe("ListNamespaces", () => {
  test("gives the namespaces by name with their revisions, in pages", async () => {
    await using own = await startContractServer();
    expect((await own.client.call("listNamespaces")).namespaces).toEqual([]);
    for (const namespace of ["team-b", "", "team-a"]) {
      const made = session({ sessionId: "s" });
      await own.client.call("createSession", { namespace, session: made });
    }
    await own.client.call("deleteSession", { namespace: "team-a", sessionId: "s" });
    const first = await own.client.call("listNamespaces", { pageSize: 2 });
    expect(first.namespaces).toEqual([
      { namespace: "default", revision: 1n },
      { namespace: "team-a", revision: 2n },
    ]);
    const rest = await own.client.call("listNamespaces", { pageToken: first.nextPageToken });
    expect(rest).toEqual({
      namespaces: [{ namespace: "team-b", revision: 1n }],
      nextPageToken: "",
    });
  });

  test("refuses a negative size and a token of another list", async () => {
    const failure = await server.client.fail("listNamespaces", { pageSize: -1 });
    expect(failure.fields).toEqual(["page_size"]);
    const page = await server.client.call("listSessions", { namespace: "listing", pageSize: 1 });
    expect(
      await server.client.fail("listNamespaces", { pageToken: page.nextPageToken }),
    ).toMatchObject({ code: "INVALID_ARGUMENT", reason: "PAGE_TOKEN_INVALID" });
  });
});
