// The session store: its contract, exactness, sizes, races, kills, erasure.

import { randomUUID } from "node:crypto";
import {
  getSessionMessages,
  listSessions,
  type SessionKey,
  type SessionStoreEntry,
} from "@anthropic-ai/claude-agent-sdk";
import { EventType, preset } from "@memory-sidecar/client";
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
import { entriesOf, sessionIdOf } from "../src/names.ts";
import { SidecarSessionStore, type TranscriptAttributes } from "../src/store.ts";
import { KEY, said, turn } from "./entries.ts";

const SUB: SessionKey = { ...KEY, subpath: "subagents/agent-1" };
let setting: Setting;

beforeAll(async () => {
  setting = await startSetting();
});

afterAll(async () => {
  await setting?.[Symbol.asyncDispose]();
});

function newStore(attributes?: TranscriptAttributes): SidecarSessionStore {
  return new SidecarSessionStore(setting.client(), attributes);
}

test("gives null for what was never written, also after an append of nothing", async () => {
  const store = newStore();
  await store.append(KEY, []);
  expect(await store.load(KEY)).toBeNull();
  expect(await store.load(SUB)).toBeNull();
  expect(await store.listSessions(KEY.projectKey)).toEqual([]);
  expect(await store.listSessionSummaries(KEY.projectKey)).toEqual([]);
  expect(await store.listSubkeys(KEY)).toEqual([]);
  await store.delete(KEY);
});

test("keeps entries in their order over appends, each transcript by itself", async () => {
  const store = newStore();
  const written = [turn(1), turn(2), turn(3)];
  for (const entries of written) await store.append(KEY, entries);
  await store.append(SUB, turn(4));
  await store.append({ ...KEY, sessionId: "other" }, turn(5));
  await store.append({ ...KEY, projectKey: "other" }, turn(6));
  expect(await store.load(KEY)).toEqual(written.flat());
  const listed = await store.listSessions(KEY.projectKey);
  expect(listed.map(({ sessionId }) => sessionId).sort()).toEqual(["8f1c", "other"]);
  expect(await store.listSubkeys(KEY)).toEqual([SUB.subpath]);
  expect(await store.listSubkeys({ ...KEY, sessionId: "other" })).toEqual([]);
});

test.each<[string, (store: SidecarSessionStore, key: SessionKey) => Promise<unknown>]>([
  ["load", (store, key) => store.load(key)],
  ["append", (store, key) => store.append(key, turn(8))],
  ["window", (store, key) => store.window(key)],
])("refuses the transcript of another user: %s", async (name, use) => {
  const key = { ...KEY, sessionId: `user-${name}` };
  const client = setting.client();
  const ours = new SidecarSessionStore(client, { userId: "ana" });
  const entries = turn(7);
  await ours.append(key, entries);
  const theirs = new SidecarSessionStore(client, { userId: "bob" });
  await expect(use(theirs, key)).rejects.toThrow('belongs to another user than "bob"');
  expect(await ours.load(key)).toEqual(entries);
  expect(await new SidecarSessionStore(client).load(key)).toEqual(entries);
});

test("lists sessions and summaries with whole milliseconds of one clock, which rise", async () => {
  const store = newStore();
  await store.append(KEY, turn(1));
  const [before] = await store.listSessions(KEY.projectKey);
  await store.append(KEY, [{ type: "custom-title", customTitle: "Storks" }]);
  const [session] = await store.listSessions(KEY.projectKey);
  const [summary] = await store.listSessionSummaries(KEY.projectKey);
  expect(Number.isInteger(session?.mtime)).toBe(true);
  expect(session?.mtime).toBeGreaterThanOrEqual(before?.mtime ?? Number.POSITIVE_INFINITY);
  expect(summary?.mtime).toBe(session?.mtime);
  expect(Math.abs((session?.mtime ?? 0) - Date.now())).toBeLessThan(60_000);
  expect(summary?.data).toMatchObject({ customTitle: "Storks" });
});

test("keeps no summary of subagents", async () => {
  const store = newStore();
  await store.append(SUB, turn(1));
  expect(await store.listSessions(KEY.projectKey)).toEqual([]);
  expect(await store.listSessionSummaries(KEY.projectKey)).toEqual([]);
});

test("deletes a session with its subagents, or one subagent alone", async () => {
  const store = newStore();
  const other = { ...KEY, subpath: "subagents/agent-2" };
  for (const key of [KEY, SUB, other]) await store.append(key, turn(1));
  await store.delete(SUB);
  expect(await store.load(SUB)).toBeNull();
  expect(await store.listSubkeys(KEY)).toEqual([other.subpath]);
  await store.delete(KEY);
  expect(await store.load(KEY)).toBeNull();
  expect(await store.load(other)).toBeNull();
  expect(await store.listSubkeys(KEY)).toEqual([]);
  expect(await store.listSessions(KEY.projectKey)).toEqual([]);
});

test("gives entries back exactly, of any kind", async () => {
  const store = newStore();
  const id = "t".repeat(300);
  const odd: unknown[] = [
    {
      type: "summary",
      z: 9007199254740991,
      a: 1e-7,
      b: null,
      t: "😀 \u0000 \ud800",
      1: [],
      "": {},
    },
    { type: "odd", message: "no object" },
    { type: "odd\u0007", message: { role: "boss", content: "x" }, uuid: "x".repeat(300) },
    { type: "user", uuid: "", message: { role: "user", content: "" } },
    { type: "user", uuid: "a\nb", message: { role: "user", content: [null, { type: "text" }] } },
    { type: "user", message: { role: "user", content: [{ type: "tool_result", tool_use_id: 7 }] } },
    said("assistant", [
      { type: "tool_use", id, name: "x" },
      { type: "tool_use", id: "a" },
    ]),
    said("assistant", [
      { type: "tool_use", id: "a", name: "x" },
      { type: "tool_use", id: "a", name: "y" },
    ]),
    said("user", [
      { type: "tool_result", tool_use_id: "a" },
      { type: "tool_result", tool_use_id: "a" },
    ]),
    {},
    ...turn(1),
  ];
  const entries = odd as SessionStoreEntry[];
  await store.append(KEY, entries);
  expect(JSON.stringify(await store.load(KEY))).toBe(JSON.stringify(entries));
});

test.each([400_000, 500_000, 2_000_000, 7_000_000])(
  "gives entries of %d characters back, and deletes them whole",
  async (size) => {
    const store = newStore();
    const data = { type: "file", data: "y".repeat(size) };
    const large = [said("user", "x".repeat(size)), data, data, said("user", [])];
    await store.append(KEY, large);
    expect(await store.load(KEY)).toEqual(large);
    await store.delete(KEY);
    expect(await store.load(KEY)).toBeNull();
    for await (const { key } of store.client.listRecords(["claude-agent-ts"], {
      recursive: true,
    })) {
      expect.unreachable(key);
    }
  },
);

test("leaves no upload behind when the server refuses an append", async () => {
  const client = setting.client();
  const uploads = recordUploads(client);
  const store = new SidecarSessionStore(client, { labels: { "": "no name" } });
  const large = said("user", "x".repeat(500_000));
  await expect(store.append(KEY, [large, large])).rejects.toThrow(/labels/);
  expect(uploads).toHaveLength(1);
  await expectNoUploads(client, uploads);
});

test("splits many entries into appends that the server takes", async () => {
  const store = newStore();
  const many = Array.from({ length: 2_500 }, (_, number) => said("user", `${number}`));
  await store.append(KEY, many);
  expect(await store.load(KEY)).toEqual(many);
});

test.each([1, 2])("loads a transcript again that goes at read %d of an entry", async (read) => {
  const entry = (letter: string) => said("user", letter.repeat(5_000_000));
  for (const left of [[], [entry("b")]]) {
    const store = newStore();
    await store.append(KEY, [...turn(1), entry("a")]);
    before(store.client, "getRecord", read, async () => {
      await store.delete(KEY);
      await store.append(KEY, left);
    });
    expect(await store.load(KEY)).toEqual(left.length === 0 ? null : left);
  }
});

test("reads an entry again that is written again meanwhile", async () => {
  const store = newStore();
  const entries = [said("user", "x".repeat(5_000_000))];
  await store.append(KEY, entries);
  before(store.client, "getRecord", 2, () => store.append(KEY, entries));
  expect(await store.load(KEY)).toEqual(entries);
});

test("says when the record of an entry is gone", async () => {
  const store = newStore();
  await store.append(KEY, [said("user", "x".repeat(500_000))]);
  await store.client.deleteRecords(entriesOf(KEY));
  await expect(store.load(KEY)).rejects.toMatchObject({ reason: "RECORD_NOT_FOUND" });
});

test("does not append an entry again whose uuid the transcript has", async () => {
  const store = newStore();
  const [first, second] = [turn(1), turn(2)];
  const title = { type: "custom-title", customTitle: "Storks" };
  await store.append(KEY, [...first, title]);
  await store.append(KEY, [...first, ...second, title]);
  expect(await store.load(KEY)).toEqual([...first, title, ...second, title]);
});

test("leaves out messages of other clients", async () => {
  const store = newStore();
  const entries = turn(1);
  await store.append(KEY, entries);
  await store.client.append(sessionIdOf(KEY), "Not of the SDK.");
  expect(await store.load(KEY)).toEqual(entries);
});

test("loses no entry and no title when writers race", async () => {
  const namespace = `t-${randomUUID()}`;
  const stores = [1, 2, 3, 4].map(() => new SidecarSessionStore(setting.client(namespace)));
  await Promise.all(
    stores.map(async (store, writer) => {
      for (let number = 0; number < 5; number += 1) {
        const title = { type: "custom-title", customTitle: `${writer}-${number}` };
        await store.append(KEY, [...turn(number), title]);
      }
    }),
  );
  const [store] = stores;
  const loaded = (await store?.load(KEY)) ?? [];
  expect(loaded).toHaveLength(4 * 5 * 5);
  const newest = loaded.findLast(({ type }) => type === "custom-title");
  const [summary] = (await store?.listSessionSummaries(KEY.projectKey)) ?? [];
  expect(summary?.data["customTitle"]).toBe(newest?.["customTitle"]);
});

test("gives a window that keeps its limit and whole tool calls, and tells of trims", async () => {
  const policy = preset("token_budget", { max_tokens: 60 });
  const store = newStore({ policy, userId: "ana" });
  for (let number = 0; number < 30; number += 1) await store.append(KEY, turn(number));
  const window = await store.window(KEY);
  expect(window.windowTotals?.tokenCount).toBeLessThanOrEqual(60);
  expect(window.messages.length).toBeGreaterThan(0);
  expect(window.openToolCallIds).toEqual([]);
  expect(await store.load(KEY)).toHaveLength(120);
  const { hits } = await store.client.recall("storks of note 3", { filter: { userId: "ana" } });
  const texts = hits.map(({ record }) =>
    record?.$case === "message" ? record.value.message?.text : undefined,
  );
  expect(texts).toContain("Storks, says note 3.");
  const filter = { sessionId: sessionIdOf(KEY), eventTypes: [EventType.MESSAGES_TRIMMED] };
  const trims = [];
  for await (const { detail } of store.client.listEvents({ filter })) trims.push(detail?.$case);
  expect(new Set(trims)).toEqual(new Set(["messagesTrimmed"]));
  expect((await store.client.getSession(sessionIdOf(KEY))).userId).toBe("ana");
});

test("is erased with its user", async () => {
  const store = newStore({ userId: "ana" });
  await store.append(KEY, [...turn(1), { type: "file", data: "y".repeat(500_000) }]);
  await store.append(SUB, turn(1));
  await erase(store.client, "ana");
  for (const key of [KEY, SUB]) expect(await store.load(key)).toBeNull();
  expect(await store.listSessions(KEY.projectKey)).toEqual([]);
  expect(await store.listSubkeys(KEY)).toEqual([]);
});

test("tells keys apart, and refuses those that are none", () => {
  const keys: SessionKey[] = [
    { projectKey: "a", sessionId: "b/c" },
    { projectKey: "a/b", sessionId: "c" },
    { projectKey: "a", sessionId: "b", subpath: "c" },
    { projectKey: "a", sessionId: "b%2Fc" },
    { projectKey: "p".repeat(200), sessionId: randomUUID(), subpath: "s".repeat(400) },
  ];
  const names = keys.map(sessionIdOf);
  expect(new Set(names).size).toBe(keys.length);
  for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(512);
  expect(() => sessionIdOf({ ...KEY, subpath: "" })).toThrow("subpath is empty");
});

test("does not swallow errors of the server", async () => {
  const store = newStore({ policy: preset("token_budget", { max_tokens: -1 }) });
  await expect(store.append(KEY, turn(1))).rejects.toThrow("max_tokens");
  const long = { ...KEY, sessionId: "s".repeat(300) };
  await expect(store.append(long, turn(1))).rejects.toThrow("at most 254 bytes");
});

test("serves the functions of the SDK that read a store", async () => {
  const store = newStore();
  const dir = "/tmp/trip";
  const sessionId = randomUUID();
  const projectKey = dir.replaceAll("/", "-");
  const entries = turn(1).map((entry, index, all) => {
    return { ...entry, sessionId, parentUuid: all[index - 1]?.uuid ?? null, cwd: dir };
  });
  await store.append({ projectKey, sessionId }, entries);
  const read = await getSessionMessages(sessionId, { sessionStore: store, dir });
  expect(read.map(({ uuid }) => uuid)).toEqual(entries.map(({ uuid }) => uuid));
  const listed = await listSessions({ sessionStore: store, dir });
  expect(listed).toMatchObject([{ sessionId, firstPrompt: "What does note 1 say?" }]);
});
