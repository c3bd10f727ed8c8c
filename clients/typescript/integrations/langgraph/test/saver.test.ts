// The checkpointer: sizes, branches, repeats, races, graphs whose server is killed, erasure.

import { randomUUID } from "node:crypto";
import * as langchain from "@langchain/core/messages";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import {
  Annotation,
  Command,
  END,
  interrupt,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { type Checkpoint, ERROR, emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { preset, useLangChain } from "@memory-sidecar/client";
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
import { SidecarSaver } from "../src/saver.ts";

const METADATA = { source: "loop" as const, step: 0, parents: {} };
let setting: Setting;

beforeAll(async () => {
  useLangChain(langchain);
  setting = await startSetting();
});

afterAll(async () => {
  await setting?.[Symbol.asyncDispose]();
});

const newSaver = () => new SidecarSaver(setting.client());
const onThread = (thread_id: string, more: object = {}) => ({
  configurable: { thread_id, checkpoint_ns: "", ...more },
});

function checkpointOf(values: Record<string, unknown>, version: number): Checkpoint {
  const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, version]));
  return { ...emptyCheckpoint(), id: uuid6(3), channel_values: values, channel_versions: versions };
}

async function drain<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test.each([100, 600_000, 5_000_000])("gives values of %d characters back", async (size) => {
  const saver = newSaver();
  const values = {
    text: "é".repeat(size / 2),
    bytes: new Uint8Array(1_000).fill(7),
    odd: {
      at: new Set([1]),
      error: new Error("x"),
      none: undefined,
      list: [null, [Number.MAX_VALUE]],
    },
    message: new HumanMessage({ content: "Where are the storks?", id: "m1" }),
  };
  const checkpoint = checkpointOf(values, 1);
  const config = await saver.put(onThread("a"), checkpoint, METADATA, checkpoint.channel_versions);
  await saver.putWrites(
    config,
    [
      ["text", values.text],
      ["bytes", values.bytes],
    ],
    "task",
  );
  const tuple = await saver.getTuple(onThread("a"));
  expect(tuple?.checkpoint.channel_values).toEqual(values);
  expect(tuple?.checkpoint.channel_values["message"]).toBeInstanceOf(HumanMessage);
  expect(tuple?.pendingWrites).toEqual([
    ["task", "text", values.text],
    ["task", "bytes", values.bytes],
  ]);
  expect(await drain(saver.list(onThread("a")))).toEqual([tuple]);
  await saver.deleteThread("a");
  expect(await saver.getTuple(onThread("a"))).toBeUndefined();
  for await (const { key } of saver.client.listRecords(["langgraph-js"], { recursive: true })) {
    expect.unreachable(key);
  }
});

test("keeps threads, namespaces and channels with any name apart", async () => {
  const saver = newSaver();
  const names = ["a", "a/b", "a%2Fb", "a\nb", "", "é", "x".repeat(400), `${"x".repeat(400)}y`];
  for (const thread of names.filter((name) => name !== "")) {
    for (const ns of names) {
      const checkpoint = checkpointOf({ [`of ${thread}`]: ns }, 1);
      const config = { configurable: { thread_id: thread, checkpoint_ns: ns } };
      await saver.put(config, checkpoint, METADATA, checkpoint.channel_versions);
    }
  }
  for (const thread of names.filter((name) => name !== "")) {
    for (const ns of names) {
      const config = { configurable: { thread_id: thread, checkpoint_ns: ns } };
      const tuple = await saver.getTuple(config);
      expect(tuple?.checkpoint.channel_values).toEqual({ [`of ${thread}`]: ns });
      expect(tuple?.config.configurable).toMatchObject(config.configurable);
      expect(await drain(saver.list(config))).toEqual([tuple]);
    }
  }
  expect(await drain(saver.list({ configurable: {} }))).toHaveLength(7 * 8);
});

test("keeps the first write of a task that runs again, and replaces special ones", async () => {
  const saver = newSaver();
  const checkpoint = checkpointOf({}, 1);
  const config = await saver.put(onThread("again"), checkpoint, METADATA, {});
  await saver.putWrites(
    config,
    [
      ["a", 1],
      ["__error__", "first"],
    ],
    "t",
  );
  await saver.putWrites(
    config,
    [
      ["a", 2],
      ["__error__", "second"],
      ["b", 3],
    ],
    "t",
  );
  await Promise.all([4, 5].map((value) => saver.putWrites(config, [["c", value]], "u")));
  const writes = (await saver.getTuple(config))?.pendingWrites ?? [];
  expect(writes.slice(0, 3)).toEqual([
    ["t", "__error__", "second"],
    ["t", "a", 1],
    ["t", "b", 3],
  ]);
  expect(writes).toHaveLength(4);
});

test("leaves no upload behind when writes are there, and writes what is not", async () => {
  const saver = newSaver();
  const config = await saver.put(onThread("a"), checkpointOf({}, 1), METADATA, {});
  const text = "x".repeat(600_000);
  const error: [string, unknown] = ["__error__", text];
  await saver.putWrites(config, [["a", text], error], "t");
  const uploads = recordUploads(saver.client);
  await saver.putWrites(config, [["a", "again"], error, ["b", text], ["c", text]], "t");
  await saver.putWrites(config, [["a", text]], "t");
  expect(uploads.length).toBeGreaterThan(3);
  await expectNoUploads(saver.client, uploads);
  expect((await saver.getTuple(config))?.pendingWrites).toEqual([
    ["t", "__error__", text],
    ["t", "a", text],
    ["t", "b", text],
    ["t", "c", text],
  ]);
});

test("keeps more large values than may wait for a call", async () => {
  const saver = newSaver();
  // A namespace has at most 64 uploads that wait.
  for (let count = 0; count < 48; count += 1) await saver.client.uploadValue("waits");
  const text = "x".repeat(600_000);
  const values = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`c${at}`, text]));
  const stored = checkpointOf(values, 1);
  const config = await saver.put(onThread("a"), stored, METADATA, stored.channel_versions);
  expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual(values);
});

test("gives versions that rise and that two branches do not share", () => {
  const saver = newSaver();
  const versions = Array.from({ length: 100 }, () => saver.getNextVersion(undefined));
  expect(new Set(versions).size).toBe(100);
  let last: number | undefined;
  for (let count = 0; count < 100; count += 1) {
    const next = saver.getNextVersion(last);
    expect(next).toBeGreaterThan(last ?? 0);
    last = next;
  }
});

/** Large metadata: it is in the record of the checkpoint itself. */
const noted = (note: string) => ({ ...METADATA, note: note.repeat(5_000_000) });

/** A thread whose newest checkpoint is large, and has a large write. */
async function largeThread() {
  const saver = newSaver();
  const [old, large] = [checkpointOf({}, 1), checkpointOf({}, 1)];
  await saver.put(onThread("a"), old, METADATA, {});
  const put = (note: string) => saver.put(onThread("a"), large, noted(note), {});
  const write = async (error: string) => {
    await saver.putWrites(await put("a"), [[ERROR, error.repeat(5_000_000)]], "task");
  };
  await write("a");
  const client = saver.client;
  const remove = async (kind: string) => {
    const options = { recursive: true, order: "desc" } as const;
    for await (const { path, key } of client.listRecords(["langgraph-js", kind], options)) {
      return await client.deleteRecord(path, key);
    }
    return expect.unreachable(kind);
  };
  return { client, large, old, put, remove, saver, write };
}

test.each([1, 2])("passes over a large checkpoint that is gone at read %d of it", async (read) => {
  for (const isList of [false, true]) {
    const { client, old, remove, saver } = await largeThread();
    before(client, "getRecord", read, () => remove("checkpoints"));
    const found = isList
      ? await drain(saver.list(onThread("a")))
      : [await saver.getTuple(onThread("a"))];
    expect(found.map((tuple) => tuple?.checkpoint.id)).toEqual([old.id]);
  }
});

test("has no checkpoint when its thread is deleted while it is read", async () => {
  const { client, saver } = await largeThread();
  await saver.deleteThread("a");
  const only = checkpointOf({}, 1);
  await saver.put(onThread("a"), only, noted("x"), {});
  before(client, "getRecord", 2, () => saver.deleteThread("a"));
  expect(await saver.getTuple(onThread("a"))).toBeUndefined();
});

test("reads a large checkpoint again that is replaced meanwhile, and its writes", async () => {
  const { client, large, put, remove, saver, write } = await largeThread();
  before(client, "getRecord", 2, () => put("b"));
  const [newest] = await drain(saver.list(onThread("a"), { limit: 1 }));
  expect(newest?.checkpoint.id).toBe(large.id);
  expect(newest?.metadata).toMatchObject({ note: "b".repeat(5_000_000) });
  // The reads of the checkpoint come first.
  before(client, "getRecord", 4, () => write("b"));
  const replaced = await saver.getTuple(onThread("a"));
  expect(replaced?.pendingWrites).toEqual([["task", ERROR, "b".repeat(5_000_000)]]);
  before(client, "getRecord", 4, () => remove("writes"));
  const tuple = await saver.getTuple(onThread("a"));
  expect(tuple?.checkpoint.id).toBe(large.id);
  expect(tuple?.pendingWrites).toEqual([]);
});

const Counted = Annotation.Root({
  log: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
});

/** A graph of two steps; `between` runs in the second one. */
function graphOf(saver: SidecarSaver, between: () => Promise<unknown>) {
  return new StateGraph(Counted)
    .addNode("first", () => ({ log: ["first"] }))
    .addNode("second", async () => {
      await between();
      return { log: ["second"] };
    })
    .addNode("ask", () => ({ log: [String(interrupt("sure?"))] }))
    .addEdge(START, "first")
    .addEdge("first", "second")
    .addEdge("second", "ask")
    .addEdge("ask", END)
    .compile({ checkpointer: saver });
}

test("a graph goes on after the server was killed, forks and is resumed", async () => {
  await using own = await startSetting();
  const saver = new SidecarSaver(own.client());
  const graph = graphOf(saver, () => own.restart());
  const config = { configurable: { thread_id: "trip" } };
  const asked = await graph.invoke({ log: ["start"] }, config);
  expect(asked.log).toEqual(["start", "first", "second"]);
  await own.restart();
  const [, , early] = await drain(graph.getStateHistory(config));
  expect(early?.values).toEqual({ log: ["start"] });
  const forked = await graph.updateState(early?.config ?? config, { log: ["forked"] });
  await graphOf(saver, async () => undefined).invoke(null, forked);
  const done = await graph.invoke(new Command({ resume: "yes" }), config);
  expect(done.log).toEqual(["start", "forked", "first", "second", "yes"]);
  // The values of the other branch are as they were.
  const states = await drain(graph.getStateHistory(config));
  const logs = states.map(({ values }) => values.log?.join(" "));
  expect(logs).toContain("start first second");
  expect(logs).toContain("start forked first second");
});

test("a step that fails is run again, and those that were done are not", async () => {
  const saver = newSaver();
  let failures = 1;
  const graph = graphOf(saver, async () => {
    failures -= 1;
    if (failures >= 0) throw new Error("no network");
  });
  const config = { configurable: { thread_id: "retried" } };
  await expect(graph.invoke({ log: [] }, config)).rejects.toThrow("no network");
  expect((await graph.getState(config)).next).toEqual(["second"]);
  expect((await graph.invoke(null, config)).log).toEqual(["first", "second"]);
});

test("threads of two processes at once stay whole", async () => {
  const namespace = `t-${randomUUID()}`;
  const graphs = [1, 2].map(() =>
    graphOf(new SidecarSaver(setting.client(namespace)), async () => undefined),
  );
  const runs = graphs.flatMap((graph, writer) =>
    ["shared", `own-${writer}`].map((thread_id) =>
      graph.invoke({ log: [`${writer}`] }, { configurable: { thread_id } }),
    ),
  );
  await Promise.all(runs);
  const graph = graphOf(new SidecarSaver(setting.client(namespace)), async () => undefined);
  for (const thread_id of ["shared", "own-0", "own-1"]) {
    const states = await drain(graph.getStateHistory({ configurable: { thread_id } }));
    expect(states[0]?.values["log"].slice(-2)).toEqual(["first", "second"]);
    for (const { values } of states) expect(values["log"]).toBeDefined();
  }
});

test("an agent keeps its messages, and a session keeps them within its tokens", async () => {
  const client = setting.client();
  const model = new FakeListChatModel({ responses: ["On the roof."] });
  const policy = preset("token_budget", { max_tokens: 60 });
  await client.createSession({ sessionId: "window", policy });
  const sent: number[] = [];
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("answer", async ({ messages }) => {
      const options = { form: "langchain" as const };
      await client.append("window", messages.slice(-1), options);
      const window = await client.window<BaseMessage>("window", options);
      sent.push(window.messages.length);
      const answer = await model.invoke(window.messages);
      await client.append("window", [answer], options);
      return { messages: [answer] };
    })
    .addEdge(START, "answer")
    .compile({ checkpointer: new SidecarSaver(client) });
  const config = { configurable: { thread_id: "agent" } };
  for (let turn = 0; turn < 20; turn += 1) {
    await graph.invoke({ messages: [new HumanMessage(`Where are they on day ${turn}?`)] }, config);
  }
  const state = await graph.getState(config);
  expect(state.values.messages).toHaveLength(40);
  expect(Math.max(...sent)).toBeLessThan(20);
});

test("is erased with its user", async () => {
  const saver = newSaver();
  const config = onThread("hers", { user_id: "ana" });
  const checkpoint = checkpointOf({ text: "x".repeat(600_000) }, 1);
  const stored = await saver.put(config, checkpoint, METADATA, checkpoint.channel_versions);
  await saver.putWrites(
    { configurable: { ...stored.configurable, user_id: "ana" } },
    [["a", 1]],
    "t",
  );
  await erase(saver.client, "ana");
  expect(await saver.getTuple(config)).toBeUndefined();
  for await (const { key } of saver.client.listRecords(["langgraph-js"], { recursive: true })) {
    expect.unreachable(key);
  }
});

test("does not show the client when it is logged, and does not swallow errors", async () => {
  const saver = newSaver();
  expect(JSON.stringify({ saver })).toBe('{"saver":"[SidecarSaver]"}');
  await expect(saver.getTuple(onThread(""))).rejects.toThrow("no thread_id");
  await expect(saver.putWrites(onThread("a"), [], "t")).rejects.toThrow("no checkpoint_id");
  const broken = new SidecarSaver(setting.client(), { root: "x".repeat(300) });
  await expect(broken.getTuple(onThread("a"))).rejects.toThrow("path");
});
