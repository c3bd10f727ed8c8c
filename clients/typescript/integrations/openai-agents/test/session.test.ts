// The session: exactness, the window, transactions, an agent whose server is killed, erasure.

import { randomUUID } from "node:crypto";
import { EventType, preset } from "@memory-sidecar/client";
import { Agent, type AgentInputItem, run, setTracingDisabled, tool } from "@openai/agents-core";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import {
  erase,
  type Setting,
  startSetting,
} from "../../../../../test/support/integrations/setting.ts";
import { SidecarSession } from "../src/session.ts";
import { ITEMS, turn } from "./items.ts";

setTracingDisabled(true);
let setting: Setting;

beforeAll(async () => {
  setting = await startSetting();
});

afterAll(async () => {
  await setting?.[Symbol.asyncDispose]();
});

const said = (content: string): AgentInputItem => ({ role: "user", content });

test("gives items back exactly, of any kind", async () => {
  const session = new SidecarSession("chat", setting.client());
  expect(await session.getSessionId()).toBe("chat");
  expect(await session.getItems()).toEqual([]);
  expect(await session.popItem()).toBeUndefined();
  await session.clearSession();
  await session.addItems([]);
  await session.addItems(ITEMS);
  expect(await session.getItems()).toStrictEqual(ITEMS);
  expect(await session.getItems(3)).toStrictEqual(ITEMS.slice(-3));
  expect(await session.getItems(0)).toEqual([]);
  expect(await session.popItem()).toStrictEqual(ITEMS.at(-1));
  expect(await session.popItem()).toStrictEqual(ITEMS.at(-2));
  await session.clearSession();
  expect(await session.getItems()).toEqual([]);
  expect(await session.popItem()).toBeUndefined();
});

test.each<[string, (session: SidecarSession) => Promise<unknown>]>([
  ["getItems", (session) => session.getItems()],
  ["addItems", (session) => session.addItems([said("I am Bob.")])],
  ["popItem", (session) => session.popItem()],
  ["clearSession", (session) => session.clearSession()],
  ["a compaction", (session) => session.replaceHistoryWithCompaction([said("Short.")])],
])("refuses the session of another user: %s", async (name, use) => {
  const client = setting.client();
  const ours = new SidecarSession(`user-${name}`, client, { userId: "ana" });
  await ours.addItems([said("I am Ana.")]);
  const theirs = new SidecarSession(`user-${name}`, client, { userId: "bob" });
  await expect(use(theirs)).rejects.toThrow('belongs to another user than "bob"');
  expect(await ours.getItems()).toEqual([said("I am Ana.")]);
  const anyones = new SidecarSession(`user-${name}`, client);
  expect(await anyones.getItems()).toEqual([said("I am Ana.")]);
});

test("refuses values that would not come back", async () => {
  const session = new SidecarSession("odd", setting.client());
  const items = [{ type: "unknown", providerData: { at: new Date() } }] as AgentInputItem[];
  await expect(session.addItems(items)).rejects.toThrow("an item holds plain objects");
});

test("gives more than a page, and the newest of it", async () => {
  const session = new SidecarSession("long", setting.client());
  const items = Array.from({ length: 1_500 }, (_, number) => said(`${number}`));
  await session.addItems(items.slice(0, 900));
  await session.addItems(items.slice(900));
  expect(await session.getItems()).toEqual(items);
  expect(await session.getItems(1_200)).toEqual(items.slice(-1_200));
});

test("gives a window that keeps its limit and whole calls, and tells of trims", async () => {
  const client = setting.client();
  const options = { policy: preset("token_budget", { max_tokens: 60 }), userId: "ana" };
  const session = new SidecarSession("window", client, { ...options, window: true });
  for (let number = 0; number < 20; number += 1) await session.addItems(turn(number));
  const given = await session.getItems();
  const ids = (type: string) =>
    given.flatMap((item) => (item.type === type && "callId" in item ? [item.callId] : []));
  expect(given.length).toBeGreaterThan(0);
  expect(given.length).toBeLessThan(20);
  expect(ids("function_call")).toEqual(ids("function_call_result"));
  expect(await session.getItems(1)).toEqual(given.slice(-1));
  expect(await new SidecarSession("window", client).getItems()).toHaveLength(80);
  const filter = { sessionId: "window", eventTypes: [EventType.MESSAGES_TRIMMED] };
  const trims = [];
  for await (const { detail } of client.listEvents({ filter })) trims.push(detail?.$case);
  expect(new Set(trims)).toEqual(new Set(["messagesTrimmed"]));
  const { hits } = await client.recall("storks of note 3", { filter: { userId: "ana" } });
  const texts = hits.map(({ record }) =>
    record?.$case === "message" ? record.value.message?.text : undefined,
  );
  expect(texts).toContain("The storks are back, says note 3.");
});

test("makes items of what other clients wrote", async () => {
  const client = setting.client();
  const session = new SidecarSession("mixed", client);
  await client.append("mixed", ["Hello.", { role: "assistant", text: "Hi." }], {
    createSession: true,
  });
  await client.append("mixed", { role: "system", text: "Be kind." });
  const content = [{ type: "output_text", text: "Hi." }];
  expect(await session.getItems()).toEqual([
    { type: "message", role: "user", content: "Hello." },
    { type: "message", role: "assistant", status: "completed", content },
    { type: "message", role: "system", content: "Be kind." },
  ]);
});

test("replaces the history by a compaction in one transaction", async () => {
  const client = setting.client();
  const session = new SidecarSession("compacted", client, { userId: "ana" });
  await session.replaceHistoryWithCompaction([]);
  await session.addItems(ITEMS);
  const before = (await client.getSession("compacted")).revision;
  await session.replaceHistoryWithCompaction(ITEMS.slice(-1));
  expect(await session.getItems()).toStrictEqual(ITEMS.slice(-1));
  expect(Number((await client.getSession("compacted")).revision)).toBe(Number(before) + 1);
  expect((await client.getSession("compacted")).userId).toBe("ana");
  const many = Array.from({ length: 1_001 }, (_, number) => said(`${number}`));
  await expect(session.replaceHistoryWithCompaction(many)).rejects.toThrow("messages");
  expect(await session.getItems()).toStrictEqual(ITEMS.slice(-1));
});

test("applies a transaction once, also for two writers at the same time", async () => {
  const namespace = `t-${randomUUID()}`;
  const sessions = [1, 2].map(() => new SidecarSession("twice", setting.client(namespace)));
  const [session] = sessions;
  await session?.addItems([said("a"), said("b")]);
  const append = { type: "append_items", items: [said("c")] } as const;
  const replace = {
    ...{ type: "replace_suffix", expectedSuffix: [said("b"), said("c")] },
    replacement: [said("d")],
  } as const;
  for (const [operationId, transaction] of [
    ["1", append],
    ["2", replace],
  ] as const) {
    const args = { operationId, transaction: structuredClone(transaction) };
    await Promise.all(sessions.map((one) => one.applyHistoryTransaction(args as never)));
  }
  expect(await session?.getItems()).toEqual([said("a"), said("d")]);
});

test("repeats a replacement that was not known to be done, and does it once", async () => {
  const client = setting.client();
  const session = new SidecarSession("crash", client);
  await session.addItems([said("a"), said("b")]);
  const write = client.writeRecords.bind(client);
  const args = {
    operationId: "op",
    transaction: {
      ...{ type: "replace_suffix" as const, expectedSuffix: [said("b")] },
      replacement: [said("c"), said("d")],
    },
  };
  let calls = 0;
  // The process ends after the replacement, before that is written down.
  client.writeRecords = (...rest) => {
    calls += 1;
    return calls === 2 ? Promise.reject(new Error("ended")) : write(...rest);
  };
  await expect(session.applyHistoryTransaction(args)).rejects.toThrow("ended");
  client.writeRecords = write;
  const again = new SidecarSession("crash", client);
  await again.applyHistoryTransaction(args);
  await again.applyHistoryTransaction(args);
  expect(await again.getItems()).toEqual([said("a"), said("c"), said("d")]);
});

test("compares the suffix anew when the log has grown since the place was written down", async () => {
  const client = setting.client();
  const session = new SidecarSession("grown", client);
  await session.addItems([said("a"), said("b")]);
  const write = client.writeRecords.bind(client);
  client.writeRecords = async (...rest) => {
    const answer = await write(...rest);
    client.writeRecords = write;
    await new SidecarSession("grown", client).addItems([said("c")]);
    return answer;
  };
  const transaction = {
    type: "replace_suffix" as const,
    expectedSuffix: [said("b")],
    replacement: [],
  };
  const args = { operationId: "op", transaction };
  await expect(session.applyHistoryTransaction(args)).rejects.toThrow("no longer matches");
  expect(await session.getItems()).toEqual([said("a"), said("b"), said("c")]);
});

test.each([
  [{ operationId: " ", transaction: { type: "append_items", items: [] } }, "non-empty string"],
  [{ operationId: "a", transaction: { type: "other" } }, "must append items or replace"],
  [{ operationId: "a", transaction: { type: "replace_suffix", replacement: [] } }, "must append"],
])("refuses a transaction that is none: %j", async (args, text) => {
  const session = new SidecarSession("bad", setting.client());
  await expect(session.applyHistoryTransaction(args as never)).rejects.toThrow(text);
});

test("keeps the items of an agent over kills of the server", async () => {
  await using own = await startSetting();
  const look = tool({
    ...{
      name: "look",
      description: "Looks at a place.",
      parameters: z.object({ place: z.string() }),
    },
    execute: async ({ place }) => {
      await own.restart();
      return `Storks at ${place}.`;
    },
  });
  const model = new ScriptedModel([
    [functionCall("look", { place: "the roof" }, { callId: "c1" })],
    [assistantMessage("They are on the roof.")],
    [assistantMessage("As I said: on the roof.")],
  ]);
  const agent = new Agent({ name: "looker", model, tools: [look] });
  const session = new SidecarSession("trip", own.client(), { userId: "ana" });
  const first = await run(agent, "Where are they?", { session });
  expect(first.finalOutput).toBe("They are on the roof.");
  await own.restart();
  const second = await run(agent, "Sure?", { session });
  expect(second.finalOutput).toBe("As I said: on the roof.");
  const kinds = (await session.getItems()).map((item) => item.type ?? "message");
  const call = ["function_call", "function_call_result"];
  expect(kinds).toEqual(["message", ...call, "message", "message", "message"]);
});

test("gives the agent only its window", async () => {
  const policy = preset("token_budget", { max_tokens: 60 });
  const session = new SidecarSession("short", setting.client(), { window: true, policy });
  for (let number = 0; number < 20; number += 1) await session.addItems(turn(number));
  const model = new ScriptedModel([[assistantMessage("Yes.")]]);
  await run(new Agent({ name: "reader", model }), "Are they back?", { session });
  const input = model.calls[0]?.request.input;
  expect(input?.length).toBeLessThan(20);
  expect(input?.at(-1)).toMatchObject({ role: "user", content: "Are they back?" });
});

test("is erased with its user, with the marks of its transactions", async () => {
  const client = setting.client();
  const session = new SidecarSession("hers", client, { userId: "ana" });
  const transaction = { type: "append_items" as const, items: ITEMS };
  await session.applyHistoryTransaction({ operationId: "a", transaction });
  await erase(client, "ana");
  expect(await session.getItems()).toEqual([]);
  for await (const { key } of client.listRecords(["openai-agents-ts"], { recursive: true })) {
    expect.unreachable(key);
  }
});

test("does not swallow errors of the server", async () => {
  const session = new SidecarSession("x".repeat(600), setting.client());
  await expect(session.addItems([said("a")])).rejects.toThrow("session_id");
  await expect(session.getItems()).rejects.toThrow("session_id");
});
