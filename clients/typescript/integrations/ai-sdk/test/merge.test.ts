// Saves of lists that lack a part of the log: no message of any client is lost.

import { makePolicy, preset, shorten } from "@memory-sidecar/client";
import type { UIMessage } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Setting, startSetting } from "../../../../../test/support/integrations/setting.ts";
import { SidecarChatStore } from "../src/chats.ts";
import { answered, asked, turn } from "./messages.ts";

let setting: Setting;

beforeAll(async () => {
  setting = await startSetting();
});

afterAll(async () => {
  await setting?.[Symbol.asyncDispose]();
});

const TRIMMING = preset("token_budget", { max_tokens: 80 });

function turns(count: number): UIMessage[] {
  return Array.from({ length: count }, (_, number) => turn(number)).flat();
}

test("keeps the log when a window is saved with a new turn", async () => {
  const store = new SidecarChatStore(setting.client(), { policy: TRIMMING });
  const save = (messages: UIMessage[]) => store.saveChat({ chatId: "w", messages });
  await save(turns(20));
  const window = await store.loadChat("w", { window: true });
  expect(window.length).toBeLessThan(10);
  await save([...window, asked("And now?")]);
  expect(await store.loadChat("w")).toEqual([...turns(20), asked("And now?")]);
  // The window has moved on; the list still begins with the old one.
  await save([...window, asked("And now?"), answered(50)]);
  expect(await store.loadChat("w")).toEqual([...turns(20), asked("And now?"), answered(50)]);
  const moved = await store.loadChat("w", { window: true });
  await save([...moved.slice(0, -1), answered(51)]);
  expect(await store.loadChat("w")).toEqual([...turns(20), asked("And now?"), answered(51)]);
});

test("refuses to erase what the window lacks, unless it is told to", async () => {
  const store = new SidecarChatStore(setting.client(), { policy: TRIMMING });
  const save = (messages: UIMessage[]) => store.saveChat({ chatId: "w", messages });
  await save(turns(20));
  await expect(save([asked("Else")])).rejects.toThrow("outside its window");
  await expect(save(turns(2))).rejects.toThrow("outside its window");
  await expect(save([])).rejects.toThrow("outside its window");
  expect(await store.loadChat("w")).toEqual(turns(20));
  await save(turns(19));
  expect(await store.loadChat("w")).toEqual(turns(19));
  await store.saveChat({ chatId: "w", messages: turns(2), replace: true });
  expect(await store.loadChat("w")).toEqual(turns(2));
});

test("keeps whole what a window has shortened", async () => {
  const policy = makePolicy([shorten("short", { maxTokens: 20, allRoles: true, keepNewest: 0 })]);
  const store = new SidecarChatStore(setting.client(), { policy });
  const messages = [asked("Where? ".repeat(100), "u"), answered(1, "roof ".repeat(200))];
  await store.saveChat({ chatId: "s", messages });
  const window = await store.loadChat("s", { window: true });
  expect(window).not.toEqual(messages);
  await store.saveChat({ chatId: "s", messages: [...window, asked("So?")] });
  expect(await store.loadChat("s")).toEqual([...messages, asked("So?")]);
});

test("keeps whole what is too large for a window", async () => {
  const store = new SidecarChatStore(setting.client());
  const messages = [asked("x".repeat(500_000)), answered(1)];
  await store.saveChat({ chatId: "l", messages });
  const window = await store.loadChat("l", { window: true });
  expect(window).not.toEqual(messages);
  await store.saveChat({ chatId: "l", messages: [...window, asked("So?")] });
  expect(await store.loadChat("l")).toEqual([...messages, asked("So?")]);
});

test("keeps the messages of other clients as they wrote them", async () => {
  const client = setting.client();
  const store = new SidecarChatStore(client);
  const save = (messages: UIMessage[]) => store.saveChat({ chatId: "m", messages });
  await save(turns(1));
  const data = Buffer.from("iVBORw0KGgo=", "base64");
  const payload = { provider: "other", mediaType: "text/plain", data: Buffer.from("exact") };
  const image = { image: { data, mediaType: "image/png" } };
  await client.append("m", [
    { role: "user", parts: [{ text: "Look." }, image], messageId: "x1", providerPayload: payload },
    { role: "assistant", toolCalls: [{ toolCallId: "c1", name: "look" }], messageId: "x2" },
    { role: "tool", toolCallId: "c1", text: "Nobody.", messageId: "x3" },
  ]);
  const others = async () => await client.batchGetMessages("m", ["x1", "x2", "x3"]);
  const before = await others();
  const loaded = await store.loadChat("m");
  await save([...loaded, ...turns(1)]);
  expect(await store.loadChat("m")).toEqual([...loaded, ...turns(1)]);
  expect(await others()).toEqual(before);
  await save([...loaded, asked("Else?")]);
  expect(await others()).toEqual(before);
  await expect(save([...turns(1), asked("Unaware")])).rejects.toThrow("messages of other clients");
  expect(await store.loadChat("m")).toEqual([...loaded, asked("Else?")]);
  await store.saveChat({ chatId: "m", messages: turns(1), replace: true });
  expect(await store.loadChat("m")).toEqual(turns(1));
});

test("keeps a chat that another client began", async () => {
  const client = setting.client();
  const store = new SidecarChatStore(client);
  await client.append("o", [{ role: "user", text: "Hello.", messageId: "x1" }], {
    createSession: true,
  });
  const before = await client.batchGetMessages("o", ["x1"]);
  const loaded = await store.loadChat("o");
  await store.saveChat({ chatId: "o", messages: [...loaded, answered(1)] });
  expect(await client.batchGetMessages("o", ["x1"])).toEqual(before);
  expect(await store.loadChat("o")).toEqual([...loaded, answered(1)]);
});
