// The memory: exactness, order, moves, writers that race, interrupted writes, erasure.

import { randomUUID } from "node:crypto";
import type { MastraDBMessage } from "@mastra/core/memory";
import type { MemorySidecar } from "@memory-sidecar/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { before } from "../../../../../test/support/integrations/before.ts";
import {
  erase,
  type Setting,
  startSetting,
} from "../../../../../test/support/integrations/setting.ts";
import {
  expectNoUploads,
  recordUploads,
} from "../../../../../test/support/integrations/uploads.ts";
import { SidecarMemory } from "../src/memory.ts";
import { threadName } from "../src/names.ts";

let setting: Setting;

beforeAll(async () => {
  setting = await startSetting();
});

afterAll(async () => {
  await setting?.[Symbol.asyncDispose]();
});

const START = Date.UTC(2026, 0, 1);
const NEWEST_FIRST = { field: "createdAt", direction: "DESC" } as const;

function said(id: string, seconds: number, more: Partial<MastraDBMessage> = {}): MastraDBMessage {
  const parts = [{ type: "text" as const, text: `I am ${id}.` }];
  const createdAt = new Date(START + seconds * 1_000);
  const base = { id, role: "user" as const, createdAt, threadId: "t", resourceId: "ana" };
  return { ...base, type: "text", content: { format: 2, parts }, ...more };
}

function thread(id: string, resourceId = "ana") {
  return { id, resourceId, createdAt: new Date(START), updatedAt: new Date(START) };
}

async function idsIn(memory: SidecarMemory, threadId: string): Promise<string[]> {
  const { messages } = await memory.listMessages({ threadId, perPage: false });
  return messages.map(({ id }) => id);
}

/** Reads as agents do. */
async function newest(memory: SidecarMemory, perPage: number, threadId = "t", page = 0) {
  const read = { threadId, page, perPage, orderBy: NEWEST_FIRST, includeTotal: false };
  const { hasMore, messages } = await memory.listMessages(read);
  return { hasMore, ids: messages.map(({ id }) => id) };
}

/** Makes the next call of a method of a client fail, as if the program had ended before it. */
function failOnce(
  client: MemorySidecar,
  name: "append" | "batchDeleteMessages" | "writeRecords",
): void {
  const method = client[name].bind(client) as (...rest: unknown[]) => never;
  Object.assign(client, {
    [name]: (...rest: unknown[]) => {
      // Nothing to write is no step of the work.
      if (Array.isArray(rest[0]) && rest[0].length === 0) return method(...rest);
      Object.assign(client, { [name]: method });
      return Promise.reject(new Error("ended"));
    },
  });
}

/** Makes all writes of a client fail after so many, as if the program had ended between them. */
function endAfter(client: MemorySidecar, writes: number): void {
  let count = 0;
  for (const name of ["append", "batchDeleteMessages", "updateSession", "writeRecords"] as const) {
    const method = client[name].bind(client) as (...rest: unknown[]) => Promise<unknown>;
    Object.assign(client, {
      [name]: async (...rest: unknown[]) => {
        count += 1;
        if (count > writes) throw new Error("ended");
        return await method(...rest);
      },
    });
  }
}

test("keeps messages exactly, and large ones too", async () => {
  const memory = new SidecarMemory(setting.client());
  const parts = [
    { type: "text" as const, text: "é \u0000 \u{1F426}" },
    { type: "file" as const, mimeType: "image/png", data: "A".repeat(3_000_000) },
  ];
  const content = { format: 2 as const, parts, metadata: { n: 1e21, list: [1.5, null] } };
  const large = said("large", 2, { content });
  const small = said("small", 1, { role: "signal", type: "state" });
  await memory.saveMessages({ messages: [small, large] });
  const { messages } = await memory.listMessages({ threadId: "t" });
  expect(messages).toEqual([small, large]);
  const update = { id: "large", content: { format: 2 as const, parts: [], content: "" } };
  await memory.updateMessages({ messages: [update] });
  const { messages: found } = await memory.listMessagesById({ messageIds: ["large", "none"] });
  expect(found[0]?.content).toMatchObject({ parts: [], metadata: content.metadata });
});

test("lists threads that others change and delete while they are read", async () => {
  const client = setting.client();
  const memory = new SidecarMemory(client);
  const titled = (title: string) => ({ ...thread("large"), title });
  const save = (letter: string) => memory.saveThread({ thread: titled(letter.repeat(5_000_000)) });
  const list = async () => {
    const { threads } = await memory.listThreads({ perPage: false });
    return threads.map(({ id, title }) => [id, title?.[0]]).sort();
  };
  await memory.saveThread({ thread: { ...thread("small"), title: "s" } });
  await save("a");
  before(client, "getRecord", 2, () => save("b"));
  const small = ["small", "s"];
  expect(await list()).toEqual([["large", "b"], small]);
  for (const read of [1, 2]) {
    await save("c");
    const { path, key } = threadName("large");
    before(client, "getRecord", read, () => client.deleteRecord(path, key));
    expect(await list()).toEqual([small]);
  }
});

test("reads the newest of a log without the rest, in any order of times", async () => {
  const client = setting.client();
  const memory = new SidecarMemory(client);
  const messages = Array.from({ length: 500 }, (_, number) => said(`m${number}`, number));
  await memory.saveMessages({ messages });
  let count = 0;
  const list = client.listMessages.bind(client) as MemorySidecar["listMessages"];
  client.listMessages = ((...rest: Parameters<typeof list>) => {
    count += 1;
    return list(rest[0], { ...rest[1], pageSize: rest[1]?.pageSize });
  }) as typeof list;
  expect(await newest(memory, 2)).toEqual({ hasMore: true, ids: ["m499", "m498"] });
  expect(await newest(memory, 2, "t", 1)).toEqual({ hasMore: true, ids: ["m497", "m496"] });
  expect(await newest(memory, 1, "none")).toEqual({ hasMore: false, ids: [] });
  expect(count).toBe(3);
  const dateRange = { start: new Date(START + 9), end: new Date(START + 8) };
  const nothing = { threadId: "t", orderBy: NEWEST_FIRST, includeTotal: false };
  expect(await memory.listMessages({ ...nothing, filter: { dateRange } })).toMatchObject({
    ...{ messages: [], hasMore: false },
  });
  // Of the same millisecond, the one that was saved later is newer.
  await memory.saveMessages({ messages: [said("a", 600), said("b", 600)] });
  expect((await newest(memory, 3)).ids).toEqual(["b", "a", "m499"]);
  // A message with an earlier time.
  await memory.saveMessages({ messages: [said("early", -1)] });
  expect((await newest(memory, 2)).ids).toEqual(["b", "a"]);
  expect((await idsIn(memory, "t"))[0]).toBe("early");
}, 120_000);

test("moves messages between threads, also when that was interrupted", async () => {
  const client = setting.client();
  const memory = new SidecarMemory(client);
  await memory.saveThread({ thread: thread("t") });
  await memory.saveMessages({ messages: [said("a", 1), said("b", 2), said("c", 3)] });
  await memory.updateMessages({ messages: [{ id: "a", threadId: "u" }] });
  expect([await idsIn(memory, "t"), await idsIn(memory, "u")]).toEqual([["b", "c"], ["a"]]);
  // The copy is written, the original not yet deleted.
  failOnce(client, "batchDeleteMessages");
  const move = memory.updateMessages({ messages: [{ id: "b", threadId: "u" }] });
  await expect(move).rejects.toThrow("ended");
  expect([await idsIn(memory, "t"), await idsIn(memory, "u")]).toEqual([["c"], ["a", "b"]]);
  await memory.saveMessages({ messages: [said("b", 2)] });
  expect([await idsIn(memory, "t"), await idsIn(memory, "u")]).toEqual([["b", "c"], ["a"]]);
});

test("goes on after an interrupted deletion", async () => {
  const client = setting.client();
  const memory = new SidecarMemory(client);
  await memory.saveMessages({ messages: [said("a", 1), said("b", 2), said("c", 3)] });
  failOnce(client, "writeRecords");
  await expect(memory.deleteMessages(["a"])).rejects.toThrow("ended");
  // The message may be gone while its place is still known.
  await memory.deleteMessages(["a"]);
  expect(await idsIn(memory, "t")).toEqual(["b", "c"]);
  failOnce(client, "writeRecords");
  await expect(memory.deleteMessages(["b"])).rejects.toThrow("ended");
  await memory.saveMessages({ messages: [said("b", 2)] });
  expect(await idsIn(memory, "t")).toEqual(["b", "c"]);
  expect((await newest(memory, 1)).ids).toEqual(["c"]);
  failOnce(client, "writeRecords");
  await expect(memory.deleteThread({ threadId: "t" })).rejects.toThrow("ended");
  await memory.deleteThread({ threadId: "t" });
  expect(await idsIn(memory, "t")).toEqual([]);
});

test("keeps what two writers do at once, over a kill of the server", async () => {
  await using own = await startSetting();
  const namespace = `t-${randomUUID()}`;
  const memories = [1, 2].map(() => new SidecarMemory(own.client(namespace)));
  const [memory] = memories as [SidecarMemory];
  await memory.saveThread({ thread: thread("t") });
  await memory.saveMessages({ messages: [said("both", 0)] });
  const writes = memories.flatMap((one, writer) =>
    Array.from({ length: 6 }, async (_, number) => {
      const key = `w${writer}n${number}`;
      await one.saveMessages({ messages: [said(key, number)] });
      await one.updateThread({ id: "t", metadata: { [key]: number } });
      const content = { metadata: { [key]: number } } as never;
      await one.updateMessages({ messages: [{ id: "both", content }] });
      await one.updateResource({ resourceId: "ana", metadata: { [key]: number } });
      const update = ({ metadata }: { metadata?: Record<string, unknown> }) => ({
        count: Number(metadata?.["count"] ?? 0) + 1,
      });
      await one.updateThreadMetadata({ id: "t", update });
    }),
  );
  await own.restart();
  await Promise.all(writes);
  expect(await idsIn(memory, "t")).toHaveLength(13);
  const stored = await memory.getThreadById({ threadId: "t" });
  expect(Object.keys(stored?.metadata ?? {})).toHaveLength(13);
  expect(stored?.metadata?.["count"]).toBe(12);
  const { messages } = await memory.listMessagesById({ messageIds: ["both"] });
  expect(Object.keys(messages[0]?.content.metadata ?? {})).toHaveLength(12);
  const resource = await memory.getResourceById({ resourceId: "ana" });
  expect(Object.keys(resource?.metadata ?? {})).toHaveLength(12);
});

test.each([2, 3])("gives a thread to another user while others write, at read %i", async (step) => {
  const namespace = `t-${randomUUID()}`;
  const client = setting.client(namespace);
  const [memory, other] = [client, setting.client(namespace)].map((one) => new SidecarMemory(one));
  if (memory === undefined || other === undefined) throw new Error("no memory");
  await memory.saveThread({ thread: thread("t") });
  await memory.saveMessages({ messages: ["a", "b", "c"].map((id, at) => said(id, at)) });
  before(client, "batchGetRecords", step, async () => {
    const content = { metadata: { seen: true } } as never;
    await other.updateMessages({ messages: [{ id: "a", content }] });
    await other.deleteMessages(["b"]);
    await other.updateMessages({ messages: [{ id: "c", threadId: "u" }] });
  });
  await memory.saveThread({ thread: thread("t", "bob") });
  expect([await idsIn(memory, "t"), await idsIn(memory, "u")]).toEqual([["a"], ["c"]]);
  const { messages } = await memory.listMessagesById({ messageIds: ["a", "b", "c"] });
  expect(messages.map(({ id }) => id)).toEqual(["a", "c"]);
  expect(messages[0]?.content.metadata).toEqual({ seen: true });
  await erase(client, "bob");
  expect([await idsIn(memory, "t"), await idsIn(memory, "u")]).toEqual([[], ["c"]]);
});

test("adds observations while another program adds some", async () => {
  const namespace = `t-${randomUUID()}`;
  const client = setting.client(namespace);
  const [memory, other] = [new SidecarMemory(client), new SidecarMemory(setting.client(namespace))];
  const scope = { scope: "thread", threadId: "t", resourceId: "ana", config: {} } as const;
  let faster: unknown;
  before(client, "writeRecords", 1, async () => {
    faster = (await other.initializeObservationalMemory(scope)).id;
  });
  // Both begin the memory: its first record stays the only one.
  const first = await memory.initializeObservationalMemory(scope);
  expect(first.id).toBe(faster);
  const insert = async (one: SidecarMemory, generationCount: number) => {
    const record = { ...first, id: randomUUID(), generationCount };
    await one.insertObservationalMemoryRecord(record);
  };
  before(client, "batchGetRecords", 2, async () => await insert(other, 5));
  await insert(memory, 1);
  const history = await memory.getObservationalMemoryHistory("t", "ana");
  expect(history.map(({ generationCount }) => generationCount)).toEqual([5, 1, 0]);
});

test("gives of a large message in a window what the window counts", async () => {
  const memory = new SidecarMemory(setting.client(), { window: true });
  const [text, data] = ["storks ".repeat(90_000), "A".repeat(600_000)];
  const holding = (part: object) => ({ content: { format: 2, parts: [part] } as never });
  const image = said("image", 2, holding({ type: "file", mimeType: "image/png", data }));
  const long = said("long", 1, holding({ type: "text", text }));
  await memory.saveMessages({ messages: [long, image] });
  const read = { threadId: "t", orderBy: NEWEST_FIRST, includeTotal: false };
  const { messages } = await memory.listMessages(read);
  expect(messages[0]).toEqual(image);
  const parts = [{ type: "text", text: text.slice(0, 16_384) }];
  expect(messages[1]).toMatchObject({ role: "user", content: { format: 2, parts } });
  // Saved again, what the agent got replaces nothing.
  await memory.saveMessages({ messages });
  const { messages: found } = await memory.listMessagesById({ messageIds: ["long", "image"] });
  expect(found).toEqual([long, image]);
});

test("leaves no upload behind when another program is faster", async () => {
  const namespace = `t-${randomUUID()}`;
  const client = setting.client(namespace);
  const [memory, other] = [new SidecarMemory(client), new SidecarMemory(setting.client(namespace))];
  await other.saveThread({ thread: thread("t") });
  const uploads = recordUploads(client, async (count) => {
    // Changes what the first write of each demands unchanged.
    if (count === 1) await other.updateThread({ id: "t", metadata: { n: 1 } });
    if (count === 3) await other.updateResource({ resourceId: "ana", metadata: { n: 1 } });
  });
  const text = "storks ".repeat(90_000);
  const large = { content: { format: 2 as const, parts: [{ type: "text" as const, text }] } };
  await memory.saveMessages({ messages: [said("large", 1, large)] });
  await memory.updateResource({ resourceId: "ana", workingMemory: text });
  expect((await memory.listMessages({ threadId: "t" })).messages[0]).toMatchObject(large);
  const resource = await memory.getResourceById({ resourceId: "ana" });
  expect(resource).toMatchObject({ workingMemory: text, metadata: { n: 1 } });
  expect(uploads).toHaveLength(4);
  await expectNoUploads(client, uploads);
});

test("shows messages that another program appended", async () => {
  const client = setting.client();
  const memory = new SidecarMemory(client);
  await memory.saveThread({ thread: thread("t") });
  await memory.saveMessages({ messages: [said("a", 1)] });
  await client.append("t", [{ role: "assistant", text: "From elsewhere." }]);
  const { messages } = await memory.listMessages({ threadId: "t", resourceId: "ana" });
  expect(messages[1]).toMatchObject({
    ...{ role: "assistant", threadId: "t", resourceId: "ana" },
    content: { parts: [{ type: "text", text: "From elsewhere." }] },
  });
});

test("a thread takes along what is saved while it changes its owner", async () => {
  const namespace = `t-${randomUUID()}`;
  const client = setting.client(namespace);
  const [memory, other] = [new SidecarMemory(client), new SidecarMemory(setting.client(namespace))];
  await memory.saveThread({ thread: thread("t", "carol") });
  await memory.saveMessages({ messages: [said("a", 1, { resourceId: "carol" })] });
  const parts = [{ type: "text" as const, text: "x".repeat(500_000) }];
  const large = { resourceId: "carol", content: { format: 2 as const, parts } };
  const save = (id: string) => () => other.saveMessages({ messages: [said(id, 2, large)] });
  // One comes before the thread changes, one while its messages do.
  before(client, "writeRecords", 1, save("b"));
  before(client, "append", 1, save("c"));
  await memory.saveThread({ thread: thread("t", "ana") });
  await erase(client, "carol");
  expect((await idsIn(memory, "t")).sort()).toEqual(["a", "b", "c"]);
  failOnce(client, "append");
  const change = { threadId: "t", resourceId: "bob" };
  await expect(memory.updateThreadResourceId(change)).rejects.toThrow("ended");
  await memory.updateThreadResourceId(change);
  await erase(client, "ana");
  expect((await idsIn(memory, "t")).sort()).toEqual(["a", "b", "c"]);
  const session = await client.getSession("t");
  expect(session.userId).toBe("bob");
  const { messages } = await memory.listMessages({ threadId: "t", perPage: false });
  expect(messages.map(({ resourceId }) => resourceId)).toEqual(["bob", "bob", "bob"]);
  await erase(client, "bob");
  expect(await idsIn(memory, "t")).toEqual([]);
});

test("a repeat completes a change of owner that ended anywhere", async () => {
  const change = { threadId: "t", resourceId: "bob" };
  let isWhole = false;
  for (let writes = 0; !isWhole; writes += 1) {
    // A program that runs next may save the thread before it repeats the change.
    for (const isSaved of [false, true]) {
      const namespace = `t-${randomUUID()}`;
      const [client, next] = [setting.client(namespace), setting.client(namespace)];
      const memory = new SidecarMemory(client);
      await memory.saveThread({ thread: thread("t", "ana") });
      await memory.saveMessages({ messages: [said("a", 1), said("b", 2)] });
      endAfter(client, writes);
      isWhole = await memory.updateThreadResourceId(change).then(
        () => true,
        () => false,
      );
      const after = new SidecarMemory(next);
      const now = await after.getThreadById({ threadId: "t" });
      if (isSaved && now !== null) await after.saveThread({ thread: now });
      expect((await after.updateThreadResourceId(change)).resourceId).toBe("bob");
      const { messages } = await after.listMessages({ threadId: "t", perPage: false });
      const owners = messages.map(({ resourceId }) => resourceId);
      expect(owners, `ended after ${writes} writes`).toEqual(["bob", "bob"]);
      await erase(next, "ana");
      expect(await idsIn(after, "t"), `ended after ${writes} writes`).toEqual(["a", "b"]);
    }
    expect(writes).toBeLessThan(20);
  }
});

test("one who gives a thread away last decides", async () => {
  const namespace = `t-${randomUUID()}`;
  const client = setting.client(namespace);
  const [memory, other] = [new SidecarMemory(client), new SidecarMemory(setting.client(namespace))];
  await memory.saveThread({ thread: thread("t", "carol") });
  await memory.saveMessages({ messages: [said("a", 1), said("b", 2)] });
  before(client, "append", 1, () => other.saveThread({ thread: thread("t", "bob") }));
  await memory.saveThread({ thread: thread("t", "ana") });
  for (const user of ["carol", "ana"]) await erase(client, user);
  expect(await idsIn(memory, "t")).toEqual(["a", "b"]);
  expect((await memory.getThreadById({ threadId: "t" }))?.resourceId).toBe("bob");
});

test("is erased with its user, and with everything", async () => {
  const client = setting.client();
  const memory = new SidecarMemory(client);
  for (const [threadId, resourceId] of [
    ["hers", "ana"],
    ["his", "bob"],
  ] as const) {
    await memory.saveThread({ thread: thread(threadId, "carol") });
    await memory.saveMessages({ messages: [said(threadId, 1, { threadId, resourceId: "carol" })] });
    await memory.updateThreadResourceId({ threadId, resourceId });
    await memory.updateResource({ resourceId, workingMemory: "Lives in Berlin." });
    const scope = { scope: "thread", threadId, resourceId, config: {} } as const;
    await memory.initializeObservationalMemory(scope);
  }
  await erase(client, "ana");
  const { threads } = await memory.listThreads({});
  expect(threads.map(({ id }) => id)).toEqual(["his"]);
  expect([await idsIn(memory, "hers"), await idsIn(memory, "his")]).toEqual([[], ["his"]]);
  expect(await memory.getResourceById({ resourceId: "ana" })).toBeNull();
  expect(await memory.getObservationalMemory("hers", "ana")).toBeNull();
  for await (const { owner, path } of client.listRecords(["mastra"], { recursive: true })) {
    expect([owner?.userId, path.join("/")]).not.toContain("ana");
  }
  expect((await memory.listMessagesByResourceId({ resourceId: "bob" })).total).toBe(1);
  await memory.dangerouslyClearAll();
  expect(await idsIn(memory, "his")).toEqual([]);
  for await (const { key } of client.listRecords(["mastra"], { recursive: true })) {
    expect.unreachable(key);
  }
});

test("is erased with the resource of its thread, whoever said what", async () => {
  const client = setting.client();
  const memory = new SidecarMemory(client);
  const parts = [{ type: "text" as const, text: "storks ".repeat(90_000) }];
  const large = { content: { format: 2 as const, parts } };
  const nobody = { resourceId: undefined as never };
  await memory.saveMessages({
    messages: [said("a", 1, nobody), said("b", 2, { ...large, ...nobody })],
  });
  await memory.saveThread({ thread: thread("t", "bob") });
  await memory.saveMessages({ messages: [said("c", 3, { ...large, resourceId: "carol" })] });
  await memory.saveThread({ thread: thread("t", "ana") });
  for (const userId of ["bob", "carol"]) await erase(client, userId);
  expect(await idsIn(memory, "t")).toEqual(["a", "b", "c"]);
  await erase(client, "ana");
  expect(await idsIn(memory, "t")).toEqual([]);
  for await (const { key } of client.listRecords(["mastra"], { recursive: true })) {
    expect.unreachable(key);
  }
});

test("refuses what it cannot keep", async () => {
  const memory = new SidecarMemory(setting.client());
  const save = (message: Partial<MastraDBMessage>) =>
    memory.saveMessages({ messages: [said("a", 1, message)] });
  await expect(save({ threadId: "" })).rejects.toThrow("has no threadId");
  await expect(save({ id: "" })).rejects.toThrow("has no id");
  await expect(save({ createdAt: new Date("never") })).rejects.toThrow("invalid createdAt");
  await expect(save({ resourceId: "x".repeat(600) })).rejects.toThrow("user_id");
  await expect(memory.updateThread({ id: "none" })).rejects.toThrow("not found");
  await expect(memory.setObservingFlag("none", true)).rejects.toThrow("not found");
});
