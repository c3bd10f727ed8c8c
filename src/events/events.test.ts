import { afterEach, beforeEach, expect, test } from "vitest";
import { fromBytes, toBytes } from "../../test/support/services/json-codec.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { oldestRevisionOf } from "../../test/support/store/revisions.ts";
import type { StoredEvent } from "../store/store.ts";
import type { StreamStart, Watcher } from "./api.ts";
import type { Event } from "./rules/event.ts";
import type { EventFilter } from "./rules/event-filter.ts";

let services: TestServices;

beforeEach(async () => {
  services = await startTestServices();
});

afterEach(async () => {
  await services.stop();
  await services.store.close();
});

function watch(start: StreamStart, filter: EventFilter = {}): Promise<Watcher> {
  const input = { namespace: "default", start, filter };
  return services.events.watch(services.call("WatchEvents"), input);
}

async function take(watcher: Watcher, count: number): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  while (events.length < count) {
    const next = await watcher.next(1_000);
    if (next.length === 0) break;
    events.push(...next);
  }
  return events;
}

test("a watcher from now sees what comes, in order, and nothing before", async () => {
  await services.append("s", [{ text: "a" }]);
  const watcher = await watch({ kind: "now" });
  const waiting = watcher.next(5_000);
  await services.append("s", [{ text: "b" }]);
  await services.append("t", [{ text: "c" }]);
  const events = [...(await waiting), ...(await take(watcher, 1))];
  expect(events.map((event) => event.revision)).toEqual([2, 3, 3]);
});

test("a watcher from the oldest reads what is stored, then what comes", async () => {
  for (let i = 0; i < 300; i += 1) await services.append("s", [{ text: "a" }]);
  const watcher = await watch({ kind: "oldest" });
  // 1 creation, 300 appends, and 100 trims from the 201st on.
  expect(await take(watcher, 401)).toHaveLength(401);
  const waiting = watcher.next(5_000);
  await services.append("s", [{ text: "b" }]);
  expect(await waiting).toHaveLength(2);
});

test("a watcher resumes exactly after a position", async () => {
  for (let i = 0; i < 5; i += 1) await services.append("s", [{ text: "a" }]);
  const all = await take(await watch({ kind: "oldest" }), 6);
  for (const [index, event] of all.entries()) {
    const position = { revision: event.revision, index: event.index };
    const rest = all.slice(index + 1);
    const watcher = await watch({ kind: "after", position });
    expect(await take(watcher, Math.max(1, rest.length)).catch(() => [])).toEqual(rest);
    watcher.close();
  }
}, 20_000);

test("filters let only matching events through and the position moves past the others", async () => {
  const watcher = await watch({ kind: "now" }, { sessionId: "t", types: new Set([6]) });
  await services.append("s", [{ text: "a" }]);
  await services.append("t", [{ text: "b" }]);
  await services.append("t", [{ text: "c" }], { namespace: "other" });
  await services.append("s", [{ text: "d" }]);
  const [event] = await take(watcher, 1);
  expect(fromBytes<Event>(event?.body ?? new Uint8Array())).toMatchObject({
    sessionId: "t",
    namespace: "default",
    detail: { type: 6 },
  });
  expect(await watcher.next(1)).toEqual([]);
  expect(watcher.position.revision).toBe(3);
});

test("a watcher without news answers empty after its time", async () => {
  const watcher = await watch({ kind: "now" });
  expect(await watcher.next(5)).toEqual([]);
});

test("closing a watcher ends its wait; closing the feed ends it with an error", async () => {
  const closed = await watch({ kind: "now" });
  const waiting = closed.next(60_000);
  closed.close();
  expect(await waiting).toEqual([]);
  const cut = await watch({ kind: "now" });
  const pending = cut.next(60_000);
  services.endWatches();
  await expect(pending).rejects.toMatchObject({ reason: "SHUTTING_DOWN" });
  await expect(watch({ kind: "now" })).rejects.toMatchObject({ reason: "SHUTTING_DOWN" });
});

test("a reader that falls behind what is kept is told, never skipped ahead", async () => {
  await services.append("s", [{ text: "a" }]);
  const position = { revision: 1, index: 0 };
  for (let i = 0; i < 20; i += 1) await services.append("s", [{ text: "a" }]);
  const keep = {
    nowMs: 0,
    eventAgeMsMax: 1e15,
    replyAgeMsMax: 1e15,
    eventCountMax: 5,
    usageHourMin: 0,
  };
  while (await services.store.maintain(keep));
  await expect(watch({ kind: "after", position })).rejects.toMatchObject({
    reason: "RESUME_TOKEN_EXPIRED",
    detail: { metadata: { oldest_revision: await oldestRevisionOf(services.store) } },
  });
  const oldest = await take(await watch({ kind: "oldest" }), 5);
  expect(oldest).toHaveLength(5);
  expect(oldest[0]?.revision).toBe(await oldestRevisionOf(services.store));
});

test("a position that the store has not reached is refused, never waited for", async () => {
  await services.append("s", [{ text: "a" }]);
  const ref = { namespace: "default", consumerId: "c" };
  const start = { kind: "after", position: { revision: 1, index: 2 } } as const;
  const create = (from: StreamStart): Promise<Uint8Array> =>
    services.events.createConsumer(services.call("CreateConsumer"), {
      ...ref,
      start: from as Exclude<StreamStart, { kind: "consumer" }>,
      encode: toBytes,
    });
  const foreign = { reason: "RESUME_TOKEN_FOREIGN" };
  await expect(watch(start)).rejects.toMatchObject(foreign);
  await expect(create(start)).rejects.toMatchObject(foreign);
  await create({ kind: "now" });
  const { position } = start;
  const ack = services.events.ackEvents(services.call("AckEvents"), { ...ref, position });
  await expect(ack).rejects.toMatchObject(foreign);
  const list = services.events.listEvents(services.call("ListEvents"), {
    namespace: "default",
    start,
    filter: {},
    limit: 1,
  });
  await expect(list).rejects.toMatchObject(foreign);
});

test("a consumer starts where it was told and moves only forward", async () => {
  await services.append("s", [{ text: "a" }]);
  const ref = { namespace: "default", consumerId: "c" };
  await services.events.createConsumer(services.call("CreateConsumer"), {
    ...ref,
    start: { kind: "oldest" },
    encode: toBytes,
  });
  const consumer = { kind: "consumer", consumerId: "c" } as const;
  expect(await take(await watch(consumer), 2)).toHaveLength(2);
  const ack = (revision: number): Promise<{ lag: number }> =>
    services.events.ackEvents(services.call("AckEvents"), {
      ...ref,
      position: { revision, index: revision === 1 ? 1 : 0 },
    });
  await services.append("s", [{ text: "b" }]);
  expect((await ack(1)).lag).toBe(1);
  expect(await take(await watch(consumer), 1)).toHaveLength(1);
  await ack(2);
  expect((await ack(1)).lag).toBe(0);
  const missing = watch({ kind: "consumer", consumerId: "nobody" });
  await expect(missing).rejects.toMatchObject({ reason: "CONSUMER_NOT_FOUND" });
});

test("a consumer lags behind its own namespace only", async () => {
  await services.append("s", [{ text: "a" }]);
  const ref = { namespace: "default", consumerId: "c" };
  const create = { ...ref, start: { kind: "now" } as const, encode: toBytes };
  await services.events.createConsumer(services.call("CreateConsumer"), create);
  for (const text of ["1", "2", "3", "4", "5"]) {
    await services.append("s", [{ text }], { namespace: "other" });
  }
  const lag = async () =>
    (await services.events.getConsumer(services.call("GetConsumer"), ref)).lag;
  expect(await lag()).toBe(0);
  await services.append("s", [{ text: "b" }]);
  expect(await lag()).toBe(1);
});

test("a namespace has at most 1,000 consumers", async () => {
  const create = (consumerId: string): Promise<Uint8Array> =>
    services.events.createConsumer(services.call("CreateConsumer"), {
      namespace: "default",
      consumerId,
      start: { kind: "now" },
      encode: toBytes,
    });
  for (let i = 0; i < 1_000; i += 1) await create(`c${i}`);
  await expect(create("one more")).rejects.toMatchObject({ reason: "CONSUMER_LIMIT_REACHED" });
  await services.events.deleteConsumer(services.call("DeleteConsumer"), {
    namespace: "default",
    consumerId: "c0",
    allowMissing: false,
    encode: () => new Uint8Array(0),
  });
  await create("one more");
  const page = await services.events.listConsumers(services.call("ListConsumers"), {
    namespace: "default",
    after: "",
    limit: 10,
  });
  expect(page.consumers).toHaveLength(10);
  expect(page.next).toBe(page.consumers[9]?.consumerId);
});
