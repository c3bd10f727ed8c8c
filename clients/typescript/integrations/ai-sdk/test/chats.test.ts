// The store for chats: exactness, the window, writers that race, kills, erasure.

import { randomUUID } from "node:crypto";
import { Metadata } from "@grpc/grpc-js";
import {
  EventType,
  type MemorySidecar,
  MemorySidecarError,
  makePolicy,
  preset,
  Status,
  shorten,
} from "@memory-sidecar/client";
import { lookUp } from "@memory-sidecar/client/adapters";
import {
  convertToModelMessages,
  stepCountIs,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
  validateUIMessages,
} from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  erase,
  type Setting,
  startSetting,
} from "../../../../../test/support/integrations/setting.ts";
import {
  expectNoUploads,
  recordUploads,
} from "../../../../../test/support/integrations/uploads.ts";
import { SidecarChatStore } from "../src/chats.ts";
import { answered, asked, MESSAGES, turn } from "./messages.ts";
import { called, said, streamed } from "./model.ts";

let setting: Setting;

beforeAll(async () => {
  setting = await startSetting();
});

afterAll(async () => {
  await setting?.[Symbol.asyncDispose]();
});

function turns(count: number): UIMessage[] {
  return Array.from({ length: count }, (_, number) => turn(number)).flat();
}

test("gives messages back byte for byte, of any kind", async () => {
  const store = new SidecarChatStore(setting.client());
  expect(await store.loadChat("c")).toEqual([]);
  await store.deleteChat("c");
  await store.saveChat({ chatId: "c", messages: [] });
  expect(await store.loadChat("c")).toEqual([]);
  await store.saveChat({ chatId: "c", messages: MESSAGES });
  expect(JSON.stringify(await store.loadChat("c"))).toBe(JSON.stringify(MESSAGES));
  await store.deleteChat("c");
  expect(await store.loadChat("c")).toEqual([]);
});

test("appends what is new, and replaces from the first change on", async () => {
  const client = setting.client();
  const store = new SidecarChatStore(client);
  const save = (messages: UIMessage[]) => store.saveChat({ chatId: "c", messages });
  await save(turns(3));
  const before = await client.getSession("c");
  await save(turns(3));
  expect((await client.getSession("c")).revision).toBe(before.revision);
  await save(turns(4));
  // A question, the call with its text, the result, the last step.
  expect((await client.getSession("c")).lastSeq).toBe(before.lastSeq + 4);
  const rated = turns(4).with(1, { ...answered(0), metadata: { rating: 5 } });
  await save(rated);
  expect(await store.loadChat("c")).toEqual(rated);
  await save(rated.slice(0, 2));
  expect(await store.loadChat("c")).toEqual(rated.slice(0, 2));
  await save([]);
  expect(await store.loadChat("c")).toEqual([]);
});

test("keeps chats of many messages, and long ones", async () => {
  const store = new SidecarChatStore(setting.client());
  const long = asked("x".repeat(400_000), "long");
  const messages = [...turns(300), ...Array.from({ length: 12 }, () => long)];
  await store.saveChat({ chatId: "many", messages });
  expect(await store.loadChat("many")).toEqual(messages);
  const steps = Array.from({ length: 40 }, (_, number) => answered(number).parts).flat();
  const texts = Array.from({ length: 300 }, (_, number) => asked(`${number}`).parts).flat();
  const wide: UIMessage = { id: "w", role: "assistant", parts: [...steps, ...texts] };
  await store.saveChat({ chatId: "wide", messages: [wide] });
  expect(await store.loadChat("wide")).toEqual([wide]);
});

test("keeps parts of any size, and deletes them with their messages", async () => {
  const client = setting.client();
  const policy = preset("token_budget", { max_tokens: 100_000 });
  const store = new SidecarChatStore(client, { policy, userId: "ana" });
  const save = (...messages: UIMessage[]) => store.saveChat({ chatId: "c", messages });
  const keys = () => keysOf(client);
  const url = `data:image/png;base64,${"iVBO".repeat(500_000)}`;
  const photo: UIMessage = {
    ...asked("Whose nest?"),
    parts: [...asked("x".repeat(2_000_000)).parts, { type: "file", mediaType: "image/png", url }],
  };
  const long = answered(1, "y".repeat(1_200_000));
  await save(photo, long, photo);
  expect(await store.loadChat("c")).toEqual([photo, long, photo]);
  const [first, second] = await store.loadChat("c", { window: true });
  expect(first?.parts[1]).toEqual(photo.parts[1]);
  expect(JSON.stringify(first?.parts[0]).length).toBeLessThan(20_000);
  expect(JSON.stringify(second?.parts[2]).length).toBeGreaterThan(1_000_000);
  const all = await keys();
  await save(photo, answered(1), photo);
  expect(await store.loadChat("c")).toEqual([photo, answered(1), photo]);
  expect((await keys()).length).toBeLessThan(all.length);
  await save(...turns(1));
  expect(await keys()).toEqual([]);
  const many = Array.from({ length: 20 }, (_, number) => asked(`${number}`.padEnd(460_000)));
  await save(...many);
  expect(await store.loadChat("c")).toEqual(many);
  await store.deleteChat("c");
  expect(await keys()).toEqual([]);
  await save(photo);
  await erase(client, "ana");
  expect(await keys()).toEqual([]);
  expect(await store.loadChat("c")).toEqual([]);
});

async function keysOf(client: MemorySidecar): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of client.listRecords("ai-sdk", { recursive: true })) found.push(key);
  return found;
}

test("gives records the owner of their chat, so that erasure and deletion find them", async () => {
  const client = setting.client();
  const store = new SidecarChatStore(client);
  const messages = [asked("x".repeat(500_000))];
  // A session of ana that a store of no user goes on with.
  await client.createSession({ sessionId: "c", userId: "ana", agentId: "guide" });
  await store.saveChat({ chatId: "c", messages });
  const owners = [];
  for await (const { owner } of client.listRecords("ai-sdk", { recursive: true })) {
    owners.push(owner);
  }
  expect(owners).toEqual([{ userId: "ana", agentId: "guide", sessionId: "c" }]);
  await client.deleteSession("c");
  expect(await keysOf(client)).toHaveLength(1);
  await erase(client, "ana");
  expect(await keysOf(client)).toEqual([]);
  await store.saveChat({ chatId: "c", messages });
  await client.deleteSession("c");
  expect(await keysOf(client)).toHaveLength(1);
  await store.deleteChat("c");
  expect(await keysOf(client)).toEqual([]);
});

test("deletes with a chat what is saved while it is deleted", async () => {
  const namespace = `t-${randomUUID()}`;
  const [client, other] = [setting.client(namespace), setting.client(namespace)];
  const [store, saver] = [new SidecarChatStore(client), new SidecarChatStore(other)];
  const messages = [asked("x".repeat(500_000))];
  const deleteSession = client.deleteSession.bind(client);
  client.deleteSession = async (...args) => {
    await saver.saveChat({ chatId: "c", messages });
    return await deleteSession(...args);
  };
  await saver.saveChat({ chatId: "c", messages: turns(1) });
  await store.deleteChat("c");
  expect(await keysOf(client)).toEqual([]);
  // A chat that is saved anew after two have deleted it keeps its records.
  client.deleteSession = async (...args) => {
    const answer = await deleteSession(...args);
    await other.deleteRecords("ai-sdk", { recursive: true });
    await saver.saveChat({ chatId: "c", messages });
    return answer;
  };
  await saver.saveChat({ chatId: "c", messages });
  await store.deleteChat("c");
  expect(await saver.loadChat("c")).toEqual(messages);
});

test("reads records whole that others replace and delete meanwhile", async () => {
  const client = setting.client();
  const getRecord = client.getRecord.bind(client);
  const path = ["p"];
  const [old, changed] = [Buffer.alloc(5_000_000, "a"), Buffer.alloc(6_000_000, "b")];
  // Others change the record right before the given one of the reads that a large value takes.
  const during = async (number: number, change: () => Promise<unknown>) => {
    await client.putRecord(path, "k", await client.uploadValue(old));
    let reads = 0;
    client.getRecord = async (...args) => {
      reads += 1;
      if (reads === number) await change();
      return getRecord(...args);
    };
    return await lookUp(client, [{ path, key: "k" }]);
  };
  const replace = async () => client.putRecord(path, "k", await client.uploadValue(changed));
  const [replaced] = await during(2, replace);
  expect(replaced?.value.equals(changed)).toBe(true);
  for (const number of [1, 2]) {
    expect(await during(number, () => client.deleteRecord(path, "k"))).toEqual([undefined]);
  }
});

test("keeps no large parts of chats that expire", async () => {
  const client = setting.client();
  const large = [...turns(1), asked("x".repeat(500_000))];
  const store = new SidecarChatStore(client, { ttlMs: 3_600_000 });
  const error = 'the chat "c" has a ttl, and a part above 458752 bytes as JSON';
  await expect(store.saveChat({ chatId: "c", messages: large })).rejects.toThrow(error);
  expect(await store.loadChat("c")).toEqual([]);
  await store.saveChat({ chatId: "c", messages: turns(1) });
  // The ttl of the session counts, whoever has set it.
  const other = new SidecarChatStore(client);
  await expect(other.saveChat({ chatId: "c", messages: large })).rejects.toThrow(error);
  expect(await other.loadChat("c")).toEqual(turns(1));
  expect(await keysOf(client)).toEqual([]);
});

test("keeps any number of large parts in one message", async () => {
  const client = setting.client();
  const store = new SidecarChatStore(client);
  const texts = Array.from({ length: 65 }, (_, number) => `${number}`.padEnd(460_000));
  const message = {
    ...asked("all"),
    parts: texts.map((text) => ({ type: "text" as const, text })),
  };
  await store.saveChat({ chatId: "c", messages: [message] });
  expect(await store.loadChat("c")).toEqual([message]);
  expect(await keysOf(client)).toHaveLength(65);
  await store.saveChat({ chatId: "c", messages: turns(1), replace: true });
  expect(await keysOf(client)).toEqual([]);
});

test("loads a fork with its large parts, and keeps them when the origin is deleted", async () => {
  const client = setting.client();
  const store = new SidecarChatStore(client, { userId: "ana" });
  const messages = [asked("x".repeat(500_000)), answered(1), asked("y".repeat(600_000), "u")];
  await store.saveChat({ chatId: "c", messages });
  await client.forkSession("c", { sessionId: "fork" });
  await client.forkSession("fork", { sessionId: "again" });
  expect(await store.loadChat("again")).toEqual(messages);
  expect(await store.loadChat("fork")).toEqual(messages);
  await store.deleteChat("c");
  await store.deleteChat("fork");
  const next = [...messages, answered(2)];
  await store.saveChat({ chatId: "again", messages: next });
  expect(await store.loadChat("again")).toEqual(next);
  await erase(client, "ana");
  expect(await keysOf(client)).toEqual([]);
});

test("loads a fork with its large parts where a client may only read", async () => {
  const namespace = `t-${randomUUID()}`;
  const client = setting.client(namespace);
  const store = new SidecarChatStore(client);
  // The second is so large that its value is sent before the record is put.
  const messages = [asked("x".repeat(500_000)), answered(1), asked("y".repeat(600_000), "u")];
  await store.saveChat({ chatId: "c", messages });
  await client.forkSession("c", { sessionId: "fork" });
  const reader = setting.client(namespace);
  let refusals = 0;
  const refuse = async () => {
    refusals += 1;
    const metadata = new Metadata();
    const answer = { code: Status.PERMISSION_DENIED, details: "may only read", metadata };
    throw new MemorySidecarError(Object.assign(new Error("may only read"), answer), "/a.B/Write");
  };
  Object.assign(reader, { uploadValue: refuse, writeRecords: refuse });
  expect(await new SidecarChatStore(reader).loadChat("fork")).toEqual(messages);
  expect(await keysOf(client)).toHaveLength(2);
  // One refusal is enough, and a client that may write makes up for it.
  expect(refusals).toBe(1);
  expect(await store.loadChat("fork")).toEqual(messages);
  expect(await keysOf(client)).toHaveLength(4);
  const broken = setting.client(namespace);
  await client.forkSession("c", { sessionId: "other" });
  Object.assign(broken, { writeRecords: () => Promise.reject(new TypeError("a fault")) });
  await expect(new SidecarChatStore(broken).loadChat("other")).rejects.toThrow("a fault");
});

test("gives a fork no record of another user", async () => {
  const client = setting.client();
  const store = new SidecarChatStore(client, { userId: "ana" });
  await store.saveChat({ chatId: "c", messages: [asked("x".repeat(500_000))] });
  await client.forkSession("c", { sessionId: "fork" });
  await client.updateSession({ sessionId: "fork", userId: "bob" });
  const other = new SidecarChatStore(client, { userId: "bob" });
  await expect(other.loadChat("fork")).rejects.toThrow("lacks the record");
});

test("leaves no upload behind when another saver comes first", async () => {
  const client = setting.client();
  const store = new SidecarChatStore(client);
  const uploads = recordUploads(client, async (count) => {
    if (count === 1) await store.saveChat({ chatId: "c", messages: turns(1) });
  });
  const messages = [...turns(1), asked("x".repeat(500_000))];
  await store.saveChat({ chatId: "c", messages });
  expect(await store.loadChat("c")).toEqual(messages);
  expect(uploads).toHaveLength(2);
  await expectNoUploads(client, uploads);
});

test("leaves no upload behind when a replacement is refused", async () => {
  const client = setting.client();
  const store = new SidecarChatStore(client);
  await store.saveChat({ chatId: "c", messages: turns(1) });
  const uploads = recordUploads(client);
  const write = client.writeRecords.bind(client);
  vi.spyOn(client, "writeRecords").mockImplementationOnce(async (...call) => {
    await client.getRecord("none", "none");
    return await write(...call);
  });
  const messages = [asked("x".repeat(500_000))];
  await expect(store.saveChat({ chatId: "c", messages, replace: true })).rejects.toThrow(/none/);
  expect(uploads).toHaveLength(1);
  await expectNoUploads(client, uploads);
});

test("reads a long chat in large pages when its beginning has changed", async () => {
  const client = setting.client();
  const store = new SidecarChatStore(client);
  const messages = turns(100);
  await store.saveChat({ chatId: "c", messages });
  const list = vi.spyOn(client, "listMessages");
  const rated = messages.with(1, { ...answered(0), metadata: { rating: 5 } });
  await store.saveChat({ chatId: "c", messages: rated, replace: true });
  expect(list.mock.calls.map(([, options]) => options?.pageSize).slice(0, 2)).toEqual([10, 1_000]);
  expect(await store.loadChat("c")).toEqual(rated);
});

test("says when a record of a chat is gone", async () => {
  const client = setting.client();
  const store = new SidecarChatStore(client);
  await store.saveChat({ chatId: "c", messages: [asked("x".repeat(500_000))] });
  await client.deleteRecords("ai-sdk", { recursive: true });
  await expect(store.loadChat("c")).rejects.toThrow("the chat lacks the record");
  await store.saveChat({ chatId: "c", messages: turns(1) });
  expect(await store.loadChat("c")).toEqual(turns(1));
});

test("refuses what does not fit, and changes nothing then", async () => {
  const store = new SidecarChatStore(setting.client());
  const save = (...messages: UIMessage[]) => store.saveChat({ chatId: "c", messages });
  await save(...turns(1));
  const step = { type: "step-start" as const };
  const text = { type: "text" as const, text: "x".repeat(400_000) };
  const large = Array.from({ length: 11 }, () => [step, text]).flat();
  await expect(save({ id: "a", role: "assistant", parts: large })).rejects.toThrow("4194304");
  expect(await store.loadChat("c")).toEqual(turns(1));
  for (const chatId of ["", "a\nb", "a\ud800", "é".repeat(257)]) {
    const saving = store.saveChat({ chatId, messages: [] });
    const error = `chatId takes 1 to 512 bytes, this one has ${Buffer.byteLength(chatId)}; `;
    await expect(saving).rejects.toThrow(error);
  }
});

test("takes any id that the server takes", async () => {
  const client = setting.client();
  const store = new SidecarChatStore(client);
  const id = "👨‍👩‍👧‍👦 \ue000\u0378";
  const [first, , look] = answered(1).parts;
  const messages = [{ id, role: "assistant", parts: [first, { ...look, toolCallId: id }] }];
  await store.saveChat({ chatId: id, messages: messages as UIMessage[] });
  expect(await store.loadChat(id)).toEqual(messages);
  const { messages: log } = await client.window(id);
  const ids = log.map(({ metadata }) => metadata?.["chatMessageId"]);
  expect(ids).toEqual([id, id]);
  expect(JSON.stringify(log.map(({ parts }) => parts))).toContain(id);
});

test("gives a window that keeps its limit and whole calls, and tells of trims", async () => {
  const client = setting.client();
  const policy = preset("token_budget", { max_tokens: 80 });
  const store = new SidecarChatStore(client, { policy, userId: "ana" });
  for (let count = 1; count <= 20; count += 1) {
    await store.saveChat({ chatId: "w", messages: turns(count) });
  }
  const given = await store.loadChat("w", { window: true });
  expect(given.length).toBeGreaterThan(0);
  expect(given.length).toBeLessThan(10);
  expect(given.at(-1)).toEqual(answered(19));
  await convertToModelMessages(given);
  expect(await store.loadChat("w")).toHaveLength(40);
  const window = await client.window("w");
  expect(window.windowTotals?.tokenCount).toBeLessThanOrEqual(80);
  expect(window.openToolCallIds).toEqual([]);
  const filter = { sessionId: "w", eventTypes: [EventType.MESSAGES_TRIMMED] };
  const trims = [];
  for await (const { detail } of client.listEvents({ filter })) trims.push(detail?.$case);
  expect(new Set(trims)).toEqual(new Set(["messagesTrimmed"]));
  const { hits } = await client.recall("storks of note 3", { filter: { userId: "ana" } });
  const ids = hits.map(({ record }) =>
    record?.$case === "message" ? record.value.message?.metadata?.["chatMessageId"] : undefined,
  );
  expect(ids).toContain("a-3");
});

test("shows in the window what a policy has shortened, and the log whole", async () => {
  const client = setting.client();
  const policy = makePolicy([shorten("short", { maxTokens: 20, allRoles: true, keepNewest: 0 })]);
  const store = new SidecarChatStore(client, { policy });
  const place = "roof ".repeat(200);
  const messages = [asked("Where? ".repeat(100), "u"), answered(1, place)];
  await store.saveChat({ chatId: "s", messages });
  const [question, answer] = await store.loadChat("s", { window: true });
  expect(JSON.stringify(question).length).toBeLessThan(300);
  expect(answer?.parts.map(({ type }) => type)).toEqual(messages[1]?.parts.map(({ type }) => type));
  const call = answer?.parts.find(({ type }) => type === "tool-look");
  expect(JSON.stringify(call && "output" in call && call.output).length).toBeLessThan(300);
  expect(await store.loadChat("s")).toEqual(messages);
});

test("makes messages of what other clients wrote, and keeps them when it saves", async () => {
  const client = setting.client();
  const store = new SidecarChatStore(client);
  await store.saveChat({ chatId: "m", messages: turns(1) });
  const toolCalls = ["c1", "c2", "c3"].map((toolCallId) => {
    return { toolCallId, name: "look", arguments: toolCallId === "c1" ? '{"at":1}' : "?" };
  });
  await client.append("m", [
    { role: "user", text: "Hello.", messageId: "x1" },
    { role: "assistant", text: "Hi.", toolCalls, messageId: "x2" },
    { role: "tool", toolCallId: "c1", text: "Nobody." },
    { role: "tool", parts: [{ toolResult: { toolCallId: "c2", text: "No.", error: true } }] },
    { role: "system", text: "Be kind.", messageId: "x3" },
  ]);
  const call = { type: "dynamic-tool", toolName: "look" };
  const others = [
    { id: "x1", role: "user", parts: [{ type: "text", text: "Hello." }] },
    {
      ...{ id: "x2", role: "assistant" },
      parts: [
        { type: "text", text: "Hi." },
        {
          ...{ ...call, toolCallId: "c1", input: { at: 1 } },
          ...{ state: "output-available", output: "Nobody." },
        },
        { ...call, toolCallId: "c2", input: "?", state: "output-error", errorText: "No." },
        { ...call, toolCallId: "c3", input: "?", state: "input-available" },
      ],
    },
    { id: "x3", role: "system", parts: [{ type: "text", text: "Be kind." }] },
  ] as UIMessage[];
  const loaded = await store.loadChat("m");
  expect(loaded).toEqual([...turns(1), ...others]);
  await validateUIMessages({ messages: loaded });
  await store.saveChat({ chatId: "m", messages: [...loaded, ...turns(1)] });
  expect(await store.loadChat("m")).toEqual([...loaded, ...turns(1)]);
});

test("shows the chats of one user only to this user", async () => {
  const namespace = `t-${randomUUID()}`;
  const [hers, his] = ["ana", "bo"].map((userId) => {
    return new SidecarChatStore(setting.client(namespace), { userId });
  });
  await hers?.saveChat({ chatId: "c", messages: turns(1) });
  expect(await his?.loadChat("c")).toEqual([]);
  expect(await his?.loadChat("c", { window: true })).toEqual([]);
  await expect(his?.saveChat({ chatId: "c", messages: [] })).rejects.toThrow("not of this user");
  await his?.deleteChat("c");
  expect(await hers?.loadChat("c")).toEqual(turns(1));
});

test("keeps the whole list of one of those who save at once, never a mixture", async () => {
  const namespace = `t-${randomUUID()}`;
  const stores = [1, 2, 3, 4].map(() => new SidecarChatStore(setting.client(namespace)));
  for (let round = 1; round <= 5; round += 1) {
    const common = round % 2 === 0 ? turns(2) : [];
    const lists = stores.map((_, at) => [...common, ...turns(at + 1), asked(`${round}-${at}`)]);
    const saving = stores.map((store, at) => {
      return store.saveChat({ chatId: "c", messages: lists[at] ?? [] });
    });
    await Promise.all(saving);
    expect(lists).toContainEqual(await stores[0]?.loadChat("c"));
  }
});

test("keeps the chat of an agent whose server is killed in the middle", async () => {
  await using own = await startSetting();
  const store = new SidecarChatStore(own.client(), { userId: "ana" });
  const look = tool({
    inputSchema: z.object({ place: z.string() }),
    execute: async ({ place }) => {
      await own.restart();
      return `Storks at ${place}.`;
    },
  });
  const model = new MockLanguageModelV4({
    doStream: [
      streamed(called("c1", "look", { place: "the roof" })),
      streamed(said("On the roof.")),
      streamed(said("As I said: on the roof.")),
    ],
  });
  const chat = async (question: UIMessage) => {
    const messages = [...(await store.loadChat("trip")), question];
    const { stream } = streamText({
      ...{ model, tools: { look }, stopWhen: stepCountIs(5) },
      messages: await convertToModelMessages(messages),
    });
    const shown = toUIMessageStream({
      ...{ stream, originalMessages: messages, generateMessageId: () => randomUUID() },
      onEnd: async (end) => await store.saveChat({ chatId: "trip", messages: end.messages }),
    });
    for await (const _ of shown);
  };
  await chat(asked("Where are they?"));
  await chat(asked("Sure?"));
  const loaded = await store.loadChat("trip");
  expect(loaded.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  await validateUIMessages({ messages: loaded });
  const found = loaded[1]?.parts.find(({ type }) => type === "tool-look");
  expect(found).toMatchObject({ state: "output-available", output: "Storks at the roof." });
  expect(model.doStreamCalls[2]?.prompt.map(({ role }) => role)).toEqual([
    ...["user", "assistant", "tool", "assistant", "user"],
  ]);
});

test("is erased with its user", async () => {
  const client = setting.client();
  const store = new SidecarChatStore(client, { userId: "ana" });
  await store.saveChat({ chatId: "c", messages: turns(2) });
  await erase(client, "ana");
  expect(await store.loadChat("c")).toEqual([]);
});

test("does not swallow errors of the server", async () => {
  const policy = preset("token_budget", { max_tokens: -1 });
  const store = new SidecarChatStore(setting.client(), { policy });
  await expect(store.saveChat({ chatId: "c", messages: turns(1) })).rejects.toThrow("max_tokens");
  await expect(store.loadChat("x".repeat(600))).rejects.toThrow("session_id");
});
