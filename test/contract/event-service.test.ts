// Every rpc of EventService and AdminService: success, defaults, and each documented failure.

import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventType } from "../../src/gen/memorysidecar/v1/event.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import {
  failureOf,
  type RequestOf,
  requestBytes,
  startContractServer,
  type TestServer,
} from "../support/contract/client.ts";
import { keepStage, message, policy, session } from "../support/contract/samples.ts";
import { afterToken, NOW, OLDEST, type Streamed, Watch } from "../support/contract/watch.ts";
import { oldestRevisionOf } from "../support/store/revisions.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

async function append(namespace: string, sessionId: string, ...texts: string[]): Promise<void> {
  await server.client.call("appendMessages", {
    namespace,
    sessionId,
    createSession: true,
    messages: texts.map((text) => message({ text })),
  });
}

/** Leaves the newest events of the store. */
async function dropEvents({ store }: TestServer, eventCountMax: number): Promise<void> {
  const kept = { eventAgeMsMax: 1e12, replyAgeMsMax: 1e12, usageHourMin: 0 };
  while (await store.maintain({ ...kept, nowMs: Date.now(), eventCountMax })) {
    // There is more to drop.
  }
}

describe("WatchEvents", () => {
  test("begins with a token, then gives every event of the namespace in order", async () => {
    const namespace = `w${count++}`;
    const watch = new Watch(server.client, { namespace, start: NOW });
    const first = await watch.next();
    expect(first.events).toEqual([]);
    expect(first.resumeToken.length).toBeGreaterThan(0);
    expect(first.resumeToken.length).toBeLessThanOrEqual(LIMITS.resumeTokenBytes);
    await append("elsewhere", "s", "not here");
    await append(namespace, "s", "one");
    const created = await watch.event();
    const appended = await watch.event();
    expect(created.event).toMatchObject({ type: 1, namespace, sessionId: "s", index: 0 });
    expect(appended.event).toMatchObject({
      type: 6,
      index: 1,
      detail: {
        $case: "messagesAppended",
        value: { seqRange: { firstSeq: 1n, lastSeq: 1n }, appendedTotals: { messageCount: 1n } },
      },
    });
    watch.close();
  });

  test("gives the events of several sessions, by their ids and beginnings", async () => {
    const namespace = `w${count++}`;
    const filter = {
      ...{ sessionId: undefined, userId: undefined, eventTypes: [] },
      ...{ sessionIds: ["a", "b1"], sessionIdPrefixes: ["team/", "x"] },
    };
    const watch = new Watch(server.client, { namespace, start: NOW, filter });
    await watch.next();
    for (const id of ["a", "ab", "b", "b1", "team/1", "team", "x", "yx"]) {
      await server.client.call("createSession", { namespace, session: session({ sessionId: id }) });
    }
    const wanted = ["a", "b1", "team/1", "x"];
    const told: (string | undefined)[] = [];
    for (const _ of wanted) told.push((await watch.event()).event?.sessionId);
    expect(told).toEqual(wanted);
    watch.close();
    const ids = async (fields: Partial<typeof filter>) => {
      const request = { namespace, filter: { ...filter, ...fields } };
      const { events } = await server.client.call("listEvents", request);
      return events.map(({ sessionId }) => sessionId);
    };
    expect(await ids({})).toEqual(wanted);
    expect(await ids({ sessionIds: [] })).toEqual(["team/1", "x"]);
    expect(await ids({ sessionIdPrefixes: [] })).toEqual(["a", "b1"]);
    const both = { namespace, filter: { ...filter, sessionId: "x" } };
    expect((await server.client.call("listEvents", both)).events).toHaveLength(1);
    const none = { namespace, filter: { ...filter, sessionId: "ab" } };
    expect((await server.client.call("listEvents", none)).events).toEqual([]);
  });

  test("goes on after a token, without a gap", async () => {
    const namespace = `w${count++}`;
    for (let index = 0; index < 5; index++) await append(namespace, "s", String(index));
    const all = new Watch(server.client, { namespace, start: OLDEST });
    const events: Streamed[] = [];
    for (let index = 0; index < 6; index++) events.push(await all.event());
    all.close();
    for (const [index, { resumeToken }] of events.slice(0, -1).entries()) {
      const rest = new Watch(server.client, { namespace, start: afterToken(resumeToken) });
      expect((await rest.event()).event).toEqual(events[index + 1]?.event);
      rest.close();
    }
  });

  test("filters by session, user and type, and sends checkpoints meanwhile", async () => {
    const namespace = `w${count++}`;
    const user = session({ sessionId: "b", userId: "u" });
    const filter = {
      sessionId: undefined,
      userId: undefined,
      sessionIds: [],
      sessionIdPrefixes: [],
      eventTypes: [],
    };
    const bySession = new Watch(server.client, {
      namespace,
      start: NOW,
      filter: { ...filter, sessionId: "b" },
    });
    const byUser = new Watch(server.client, {
      namespace,
      start: NOW,
      filter: { ...filter, userId: "u" },
    });
    const byType = new Watch(server.client, {
      namespace,
      start: NOW,
      filter: { ...filter, eventTypes: [6] },
    });
    const first = await Promise.all([bySession.next(), byUser.next(), byType.next()]);
    await append(namespace, "a", "one");
    const checkpoint = await bySession.next();
    expect(checkpoint.events).toEqual([]);
    expect(checkpoint.resumeToken).not.toBe(first[0]?.resumeToken);
    await server.client.call("createSession", { namespace, session: user });
    expect((await bySession.event()).event).toMatchObject({ type: 1, sessionId: "b" });
    expect((await byUser.event()).event).toMatchObject({ type: 1, sessionId: "b", userId: "u" });
    expect((await byType.event()).event).toMatchObject({ type: 6, sessionId: "a" });
    for (const watch of [bySession, byUser, byType]) watch.close();
  });

  test("filters by every type of the contract", async () => {
    const known = Object.values(EventType).filter((type) => type > 0);
    for (const type of known) {
      const filter = {
        sessionId: undefined,
        userId: undefined,
        sessionIds: [],
        sessionIdPrefixes: [],
        eventTypes: [type],
      };
      expect((await server.client.call("listEvents", { filter })).events).toEqual([]);
    }
    expect(known.length).toBeGreaterThan(20);
  });

  test("tells trims, updates, deletes, forks and resets", async () => {
    const namespace = `w${count++}`;
    const sessionId = "s";
    const call = server.client.call.bind(server.client);
    await append(namespace, sessionId, "1", "2", "3", "4");
    const watch = new Watch(server.client, { namespace, start: NOW });
    await watch.next();
    const { messages } = await call("listMessages", { namespace, sessionId });
    const [first, second] = messages;
    const stages = [keepStage()];
    await call("updateSession", {
      namespace,
      session: session({ sessionId, policy: policy({ stages }) }),
    });
    const changed = message({ messageId: second?.messageId ?? "", text: "new" });
    await call("updateMessage", { namespace, sessionId, message: changed, requestId: "my-id" });
    await call("deleteMessage", { namespace, sessionId, messageId: second?.messageId ?? "" });
    await call("forkSession", { namespace, sourceSessionId: sessionId, sessionId: "t" });
    await call("resetSession", { namespace, sessionId });
    await call("deleteSession", { namespace, sessionId });
    const seen: unknown[] = [];
    for (let index = 0; index < 7; index++) seen.push((await watch.event()).event);
    expect(seen).toMatchObject([
      { type: 2, detail: { value: { paths: ["policy"] } } },
      {
        type: 7,
        index: 1,
        detail: { value: { trim: { stage: "keep", messageIds: [first?.messageId] } } },
      },
      { type: 8, requestId: "my-id", detail: { value: { paths: ["text"], seq: 2n } } },
      { type: 9, detail: { value: { seq: 2n, wasInWindow: true } } },
      { type: 4, sessionId: "t", detail: { value: { origin: { sessionId, seq: 4n } } } },
      { type: 5, detail: { value: { deletedTotals: { messageCount: 3n } } } },
      { type: 3, detail: { value: { reason: 1 } } },
    ]);
    watch.close();
  });

  test("refuses tokens that are damaged or come from elsewhere, and missing consumers", async () => {
    const fail = (fields: Partial<RequestOf<"watchEvents">>) =>
      server.client.failStream(requestBytes("watchEvents", fields));
    const token = (value: string) => ({ $case: "resumeToken", value }) as const;
    const { resumeToken } = await server.client.call("listEvents");
    for (const bad of ["x", resumeToken.slice(1), `${resumeToken}A`, "A".repeat(50), "%%%"]) {
      expect(await fail({ start: token(bad) })).toMatchObject({
        code: "INVALID_ARGUMENT",
        reason: "RESUME_TOKEN_INVALID",
      });
    }
    expect(await fail({ namespace: "other", start: token(resumeToken) })).toMatchObject({
      code: "INVALID_ARGUMENT",
      reason: "RESUME_TOKEN_FOREIGN",
    });
    await using foreign = await startContractServer();
    const { resumeToken: theirs } = await foreign.client.call("listEvents");
    expect(await fail({ start: token(theirs) })).toMatchObject({ reason: "RESUME_TOKEN_FOREIGN" });
    expect(await fail({ start: { $case: "consumerId", value: "none" } })).toMatchObject({
      code: "NOT_FOUND",
      reason: "CONSUMER_NOT_FOUND",
    });
    const position = { $case: "position", value: 3 as 0 } as const;
    expect(await fail({ start: position })).toMatchObject({ fields: ["position"] });
    const unknown = {
      sessionId: undefined,
      userId: undefined,
      sessionIds: [],
      sessionIdPrefixes: [],
      eventTypes: [0, 1_000] as 0[],
    };
    expect(await fail({ start: NOW, filter: unknown })).toMatchObject({
      fields: ["filter.event_types[0]", "filter.event_types[1]"],
    });
  });

  test("says when events after the token are gone", async () => {
    await using small = await startContractServer({ settings: { eventCountMax: 2 } });
    const { resumeToken } = await small.client.call("listEvents");
    for (let index = 0; index < 5; index++) await small.client.call("createSession");
    await dropEvents(small, 2);
    const start = { $case: "resumeToken", value: resumeToken } as const;
    const oldest = String(await oldestRevisionOf(small.store));
    expect(await small.client.failStream(requestBytes("watchEvents", { start }))).toMatchObject({
      code: "OUT_OF_RANGE",
      reason: "RESUME_TOKEN_EXPIRED",
      metadata: { oldest_revision: oldest },
    });
    const listed = await small.client.fail("listEvents", { start: afterToken(resumeToken) });
    expect(listed.reason).toBe("RESUME_TOKEN_EXPIRED");
  });

  test("ends with UNAVAILABLE when the server stops", async () => {
    const stopping = await startContractServer();
    const stream = stopping.client.stream(requestBytes("watchEvents", { start: NOW }));
    await once(stream, "data");
    const ended = once(stream, "error");
    await stopping[Symbol.asyncDispose]();
    const [error] = await ended;
    expect(failureOf(error)).toMatchObject({
      code: "UNAVAILABLE",
      reason: "SHUTTING_DOWN",
      retryAfterMs: 1_000,
    });
  });
});

describe("after_revision", () => {
  const place = (revision: number | bigint) =>
    ({ $case: "afterRevision", value: BigInt(revision) }) as const;

  test("starts a list, a watch and a consumer after all events of the revision", async () => {
    const namespace = `r${count++}`;
    for (let index = 0; index < 3; index++) {
      await append("elsewhere", "s", "not here");
      await append(namespace, `s${index % 2}`, String(index));
    }
    const all = (await server.client.call("listEvents", { namespace })).events;
    // Two revisions create a session: they have two events.
    expect(all.map(({ revision }) => revision)).toEqual([1n, 1n, 2n, 2n, 3n]);
    const filter = {
      sessionId: "s0",
      userId: undefined,
      sessionIds: [],
      sessionIdPrefixes: [],
      eventTypes: [],
    };
    for (const revision of [0n, 1n, 2n, 3n]) {
      const start = place(revision);
      const rest = all.filter((event) => event.revision > revision);
      const mine = rest.filter((event) => event.sessionId === "s0");
      const list = (fields: object) =>
        server.client.call("listEvents", { namespace, start, ...fields });
      expect((await list({})).events).toEqual(rest);
      expect((await list({ filter })).events).toEqual(mine);
      const first = await list({ pageSize: 1 });
      expect(first.events).toEqual(rest.slice(0, 1));
      if (rest.length > 1) {
        const second = await list({ pageSize: 1, pageToken: first.nextPageToken });
        expect(second.events).toEqual(rest.slice(1, 2));
      }

      const watch = new Watch(server.client, { namespace, start });
      const { resumeToken } = await watch.next();
      for (const event of rest) expect((await watch.event()).event).toEqual(event);
      watch.close();
      expect((await list({ start: afterToken(resumeToken) })).events).toEqual(rest);

      const consumerId = `c${revision}`;
      const made = await server.client.call("createConsumer", { namespace, consumerId, start });
      expect(made.consumer).toMatchObject({ revision, lag: 3n - revision });
      const consumer = { $case: "consumerId", value: consumerId } as const;
      const work = new Watch(server.client, { namespace, start: consumer, filter });
      for (const event of mine) expect((await work.event()).event).toEqual(event);
      work.close();
    }
  });

  test("is in front of the newest event, whatever comes meanwhile", async () => {
    const namespace = `r${count++}`;
    await append(namespace, "s", "1");
    const { revision } = (await server.client.call("listEvents", { namespace })).events[0] ?? {};
    const watch = new Watch(server.client, { namespace, start: place(revision ?? 0n) });
    const { resumeToken } = await watch.next();
    await append(namespace, "s", "2");
    expect((await watch.event()).event).toMatchObject({ revision: 2n, index: 0 });
    watch.close();
    const { events } = await server.client.call("listEvents", {
      ...{ namespace, start: afterToken(resumeToken) },
    });
    expect(events).toMatchObject([{ revision: 2n }]);
  });

  test("is refused when the namespace has not reached it, or is negative", async () => {
    const namespace = `r${count++}`;
    await append(namespace, "s", "1");
    const start = place(2);
    const ahead = {
      code: "OUT_OF_RANGE",
      reason: "REVISION_NOT_REACHED",
      metadata: { revision: "2", newest_revision: "1" },
    };
    const { client } = server;
    const watch = (fields: object) =>
      client.failStream(requestBytes("watchEvents", { namespace, ...fields }));
    expect(await watch({ start })).toMatchObject(ahead);
    expect(await client.fail("listEvents", { namespace, start })).toMatchObject(ahead);
    const create = { namespace, consumerId: "c", start };
    expect(await client.fail("createConsumer", create)).toMatchObject(ahead);
    for (const wrong of [-1n, 2n ** 53n]) {
      expect(await watch({ start: place(wrong) })).toMatchObject({ fields: ["after_revision"] });
    }
  });

  test("is expired when events after it are gone", async () => {
    await using small = await startContractServer();
    for (let index = 0; index < 5; index++) await small.client.call("createSession");
    await dropEvents(small, 2);
    const expired = { code: "OUT_OF_RANGE", reason: "RESUME_TOKEN_EXPIRED" };
    const metadata = { oldest_revision: "4" };
    for (const revision of [0, 1, 2]) {
      const start = place(revision);
      expect(await small.client.fail("listEvents", { start })).toMatchObject({
        ...{ ...expired, metadata },
      });
      expect(await small.client.failStream(requestBytes("watchEvents", { start }))).toMatchObject({
        ...{ ...expired, metadata },
      });
      const create = { consumerId: "c", start };
      expect(await small.client.fail("createConsumer", create)).toMatchObject(expired);
    }
    const { events } = await small.client.call("listEvents", { start: place(3) });
    expect(events.map(({ revision }) => revision)).toEqual([4n, 5n]);
  });
});

describe("ListEvents", () => {
  test("gives pages and a token to go on from", async () => {
    const namespace = `l${count++}`;
    for (let index = 0; index < 4; index++) await append(namespace, "s", String(index));
    const list = (fields: object = {}) =>
      server.client.call("listEvents", { namespace, ...fields });
    const whole = await list();
    expect(whole.events.map((event) => event.type)).toEqual([1, 6, 6, 6, 6]);
    expect(whole.nextPageToken).toBe("");
    const first = await list({ pageSize: 2 });
    const second = await list({ pageSize: 5_000, pageToken: first.nextPageToken });
    expect([...first.events, ...second.events]).toEqual(whole.events);
    expect((await list({ start: afterToken(first.resumeToken) })).events).toEqual(
      whole.events.slice(2),
    );
    const none = await list({ start: afterToken(whole.resumeToken) });
    expect(none.events).toEqual([]);
    expect(none.resumeToken).not.toBe("");
    const wrong = {
      namespace,
      pageToken: first.nextPageToken,
      start: afterToken(whole.resumeToken),
    };
    expect(await server.client.fail("listEvents", wrong)).toMatchObject({
      reason: "PAGE_TOKEN_INVALID",
    });
    const filter = {
      sessionId: undefined,
      userId: undefined,
      sessionIds: [],
      sessionIdPrefixes: [],
      eventTypes: [1 as const],
    };
    expect((await list({ filter })).events).toHaveLength(1);
    expect(await server.client.fail("listEvents", { pageSize: -1 })).toMatchObject({
      fields: ["page_size"],
    });
  });
});

describe("consumers", () => {
  test("CreateConsumer, GetConsumer, AckEvents, WatchEvents and DeleteConsumer work together", async () => {
    const namespace = `c${count++}`;
    await append(namespace, "s", "one");
    const { consumer } = await server.client.call("createConsumer", {
      namespace,
      consumerId: "worker",
      start: OLDEST,
    });
    expect(consumer).toMatchObject({ consumerId: "worker" });
    expect(consumer?.lag).toBeGreaterThan(0n);
    const start = { $case: "consumerId", value: "worker" } as const;
    const watch = new Watch(server.client, { namespace, start });
    const created = await watch.event();
    const appended = await watch.event();
    watch.close();
    const ack = (resumeToken: string) =>
      server.client.call("ackEvents", { namespace, consumerId: "worker", resumeToken });
    const acked = await ack(appended.resumeToken);
    expect(acked.consumer).toMatchObject({ resumeToken: appended.resumeToken, lag: 0n });
    const late = await ack(created.resumeToken);
    expect(late.consumer?.resumeToken).toBe(appended.resumeToken);
    const found = await server.client.call("getConsumer", { namespace, consumerId: "worker" });
    expect(found.consumer?.resumeToken).toBe(appended.resumeToken);
    await server.client.call("deleteConsumer", { namespace, consumerId: "worker" });
    expect(
      await server.client.fail("getConsumer", { namespace, consumerId: "worker" }),
    ).toMatchObject({ code: "NOT_FOUND", reason: "CONSUMER_NOT_FOUND" });
  });

  test("ListConsumers gives them by id, in pages", async () => {
    const namespace = `c${count++}`;
    for (const consumerId of ["b", "a", "c"]) {
      await server.client.call("createConsumer", { namespace, consumerId });
    }
    const list = (fields: object) => server.client.call("listConsumers", { namespace, ...fields });
    const first = await list({ pageSize: 2 });
    expect(first.consumers.map((one) => one.consumerId)).toEqual(["a", "b"]);
    const second = await list({ pageToken: first.nextPageToken });
    expect(second.consumers.map((one) => one.consumerId)).toEqual(["c"]);
    expect(second.nextPageToken).toBe("");
    expect(
      await server.client.fail("listConsumers", { pageToken: first.nextPageToken }),
    ).toMatchObject({ reason: "PAGE_TOKEN_INVALID" });
  });

  test("are refused when they exist, are missing, or get a token that is none", async () => {
    const namespace = `c${count++}`;
    const requestId = `r${count++}`;
    const create = { namespace, consumerId: "a", requestId };
    const made = await server.client.call("createConsumer", create);
    expect(await server.client.call("createConsumer", create)).toEqual(made);
    expect(await server.client.fail("createConsumer", { ...create, requestId: "" })).toMatchObject({
      code: "ALREADY_EXISTS",
      reason: "CONSUMER_ALREADY_EXISTS",
    });
    const { resumeToken } = await server.client.call("listEvents", { namespace });
    const ack = (fields: object) =>
      server.client.fail("ackEvents", { namespace, consumerId: "a", resumeToken, ...fields });
    expect((await ack({ consumerId: "none" })).reason).toBe("CONSUMER_NOT_FOUND");
    expect((await ack({ resumeToken: "x" })).reason).toBe("RESUME_TOKEN_INVALID");
    expect((await ack({ namespace: "other" })).reason).toBe("RESUME_TOKEN_FOREIGN");
    expect((await ack({ resumeToken: "" })).fields).toEqual(["resume_token"]);
    const gone = { namespace, consumerId: "none" };
    expect((await server.client.fail("deleteConsumer", gone)).reason).toBe("CONSUMER_NOT_FOUND");
    await server.client.call("deleteConsumer", { ...gone, allowMissing: true });
  });

  test("are 1,000 at most in a namespace", async () => {
    const namespace = `c${count++}`;
    for (let start = 0; start < LIMITS.consumers; start += 100) {
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          server.client.call("createConsumer", { namespace, consumerId: `c${start + index}` }),
        ),
      );
    }
    const failure = await server.client.fail("createConsumer", { namespace, consumerId: "more" });
    expect(failure).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      reason: "CONSUMER_LIMIT_REACHED",
      metadata: { limit: "1000" },
    });
    expect(failure.details).toContain("QuotaFailure");
  });
});

describe("GetServerInfo", () => {
  test("tells the version, the store, what the server can do, and its limits", async () => {
    const info = await server.client.call("getServerInfo");
    expect(info.version).toBe("0.1.0");
    expect(info.storeId).toBe(server.store.storeId);
    const limits = new Map(info.limits.map(({ name, value }) => [name, value]));
    expect(limits.get("message_bytes")).toBe(1_048_576n);
    expect([...limits.keys()]).toEqual([...limits.keys()].sort());
    expect(limits.get("polls")).toBe(1_000n);
    expect(info.capabilities).toEqual([...new Set(info.capabilities)].sort());
    const ofHooks = ["compact_session", "hook_workers", "hooks", "summary_history"];
    expect(info.capabilities).toEqual(expect.arrayContaining(ofHooks));
    for (const bound of ["memory_bytes", "recall_memory_bytes"]) {
      expect(limits.get(bound)).toBeGreaterThan(0n);
    }
    // The bounds that follow from the memory of the machine stand beside those of the table.
    expect(limits.size).toBe(Object.keys(LIMITS).length + 5);
  });
});
