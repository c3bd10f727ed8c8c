// The server as a process: what it refuses to start with, how it guards itself, and how it stops.

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import {
  AppendMessagesRequest,
  GetWindowRequest,
} from "../../clients/typescript/src/gen/memorysidecar/v1/session_service.ts";
import {
  connect,
  isMemorySidecarError,
  type MemorySidecar,
} from "../../clients/typescript/src/index.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { start } from "./start.ts";
import { rapidReset, statuses, vanish } from "./storms.ts";

const ROOT = join(import.meta.dirname, "../..");
const BUF = join(ROOT, "node_modules/.bin/buf");
const APPEND = "/memorysidecar.v1.SessionService/AppendMessages";
const WINDOW = "/memorysidecar.v1.SessionService/GetWindow";
const TOKEN = "a-token-of-more-than-thirty-two-characters";

/** A client that never repeats a call. */
function once(address: string, token?: string): MemorySidecar {
  return connect(address, { retry: { maxAttempts: 1 }, token, timeoutMs: 10_000 });
}

test("a second server on the same directory is refused and says why", async () => {
  await using directory = await makeTempDir();
  const first = await start({ dataDir: directory.path });
  const second = start({ dataDir: directory.path });
  await expect(second).rejects.toThrow(new RegExp(`ended with 73.*${directory.path}`, "s"));
  const client = once(first.address);
  await client.append("s", "still there", { createSession: true });
  client.close();
  await first.kill("SIGKILL");
  // A lock of a dead process is no lock.
  const third = await start({ dataDir: directory.path });
  await third.stop();
});

test("below the disk floor writes are refused, reads and deletes go on", async () => {
  await using directory = await makeTempDir();
  const before = await start({ dataDir: directory.path });
  const filler = once(before.address);
  const { messages } = await filler.append("s", ["one", "two"], { createSession: true });
  const { messages: others } = await filler.append("t", "three", { createSession: true });
  const known = await filler.remember(["tea", "coffee", "milk"]);
  const memoryIds = known.results.map(({ memoryId }) => memoryId);
  filler.close();
  await before.stop();

  const args = ["--disk-floor-bytes", String(Number.MAX_SAFE_INTEGER)];
  const server = await start({ dataDir: directory.path, args });
  const client = once(server.address);
  const full = {
    reason: "STORE_FULL",
    code: 8,
    // To retry helps only once there is room.
    retryDelayMs: undefined,
    metadata: { free_bytes: expect.stringMatching(/^\d+$/), floor_bytes: args[1] },
  };
  await expect(client.append("s", "more")).rejects.toMatchObject(full);
  await expect(client.createSession({})).rejects.toMatchObject(full);
  await expect(client.forkSession("s")).rejects.toMatchObject(full);
  await expect(client.createConsumer("c")).rejects.toMatchObject(full);
  const messageId = messages[0]?.messageId ?? "";
  await expect(client.updateMessage("s", { messageId, text: "x" })).rejects.toMatchObject(full);
  const turn = client.recordTurn("s", { userText: "My name is Sam.", assistantText: "Hi." });
  await expect(turn).rejects.toMatchObject(full);
  await expect(client.remember("juice")).rejects.toMatchObject(full);
  const [first = "", second = "", third = ""] = memoryIds;
  await expect(client.updateMemory(first, { text: "x" })).rejects.toMatchObject(full);
  await expect(client.reinforceMemories(first)).rejects.toMatchObject(full);
  expect(await client.forgetMemories(first)).toMatchObject({ forgottenCount: 1 });
  const gone = client.getMemory(first);
  await expect(gone).rejects.toMatchObject({ reason: "MEMORY_NOT_FOUND" });
  expect((await client.getMemory(second)).text).toBe("coffee");
  const { text } = await client.assembleContext({ query: "what is there to drink" });
  expect(text).toContain("milk");
  expect(await client.purgeMemories({ everyone: true }, { force: true })).toMatchObject({
    memoryCount: 2,
  });
  await expect(client.getMemory(third)).rejects.toMatchObject({ reason: "MEMORY_NOT_FOUND" });
  expect((await client.window("s")).messages.map((message) => message.text)).toEqual([
    "one",
    "two",
  ]);
  await client.deleteMessage("s", messageId);
  expect((await client.window("s")).messages.map((message) => message.text)).toEqual(["two"]);
  const otherId = others[0]?.messageId ?? "";
  for (const [ids, count] of [
    [[otherId], 1],
    [["none"], 0],
  ] as const) {
    const deleted = await client.deleteFoundMessages(ids);
    expect(deleted.messages).toHaveLength(count);
  }
  await client.deleteSession("t");
  await expect(client.getSession("t")).rejects.toMatchObject({ reason: "SESSION_NOT_FOUND" });
  client.close();
  expect(await server.stop()).toEqual({ code: 0, signal: null });
});

test("an address beyond this machine needs a token or TLS", async () => {
  await using directory = await makeTempDir();
  const refused = start({ dataDir: directory.path, listen: "0.0.0.0:0" });
  await expect(refused).rejects.toThrow(/ended with 64.*token-file/s);
});

test("with a token file every call needs one of its tokens", async () => {
  await using directory = await makeTempDir();
  const tokenFile = join(directory.path, "tokens");
  writeFileSync(tokenFile, `${TOKEN}\n`, { mode: 0o600 });
  const dataDir = join(directory.path, "store");
  const args = ["--token-file", tokenFile];
  const server = await start({ dataDir, listen: "0.0.0.0:0", args });
  const address = `127.0.0.1:${server.address.split(":").at(-1)}`;
  const clients = [once(address), once(address, `${TOKEN}x`), once(address, TOKEN)] as const;
  const [nobody, stranger, friend] = clients;
  const missing = { reason: "TOKEN_MISSING", code: 16 };
  await expect(nobody.serverInfo()).rejects.toMatchObject(missing);
  await expect(nobody.watch().next()).rejects.toMatchObject(missing);
  await expect(nobody.append("s", "no", { createSession: true })).rejects.toMatchObject(missing);
  await expect(stranger.serverInfo()).rejects.toMatchObject({ reason: "TOKEN_INVALID", code: 16 });
  await friend.append("s", "yes", { createSession: true });
  expect((await friend.window("s")).messages).toHaveLength(1);
  for (const client of clients) client.close();
  await server.stop();
  expect(
    [...server.logs.map((entry) => JSON.stringify(entry)), ...server.output].join("\n"),
  ).not.toContain(TOKEN);
});

test("SIGTERM under load loses nothing that was answered and ends with 0", async () => {
  await using directory = await makeTempDir();
  for (let round = 0; round < 3; round++) {
    const dataDir = join(directory.path, String(round));
    const server = await start({ dataDir });
    const clients = Array.from({ length: 4 }, () => once(server.address));
    const answered: string[] = [];
    const endings = new Set<string>();
    const writers = Array.from({ length: 32 }, async (_, writer) => {
      for (let i = 0; ; i++) {
        const text = `${writer}/${i}`;
        try {
          await clients[writer % 4]?.append(`s${writer % 8}`, text, { createSession: true });
          answered.push(text);
        } catch (error) {
          endings.add(isMemorySidecarError(error) ? `${error.code} ${error.reason}` : `${error}`);
          return;
        }
      }
    });
    // A busy machine takes its time to get going; the stop comes in the middle of the load.
    await sleep(300);
    while (answered.length < 200 && endings.size === 0) await sleep(20);
    const exit = await server.stop();
    await Promise.all(writers);
    for (const client of clients) client.close();
    expect(exit).toEqual({ code: 0, signal: null });
    for (const ending of endings) expect(ending).toMatch(/^14 /);
    const again = await start({ dataDir });
    const reader = once(again.address);
    const stored = new Set<string>();
    for (let i = 0; i < 8; i++) {
      for await (const { text } of reader.listMessages(`s${i}`, { pageSize: 1_000 }))
        stored.add(text);
    }
    reader.close();
    await again.stop();
    expect(answered.length).toBeGreaterThan(100);
    expect(answered.filter((text) => !stored.has(text))).toEqual([]);
    // Every stored append was answered, also those under way at the stop.
    expect([...stored].filter((text) => !answered.includes(text))).toEqual([]);
  }
});

const RECALL = "/memorysidecar.v1.RecallService/";
const MEMORY = "/memorysidecar.v1.MemoryService/";

async function bufCurl(url: string, ...args: string[]): Promise<string> {
  const all = ["curl", "--protocol", "grpc", "--http2-prior-knowledge", ...args, url];
  const { stdout } = await promisify(execFile)(BUF, all, { cwd: ROOT });
  return stdout;
}

test("stock tools see health and reflection", async () => {
  await using directory = await makeTempDir();
  const server = await start({ dataDir: directory.path });
  const url = `http://${server.address}`;
  const services = await bufCurl(url, "--list-services");
  const served = ["Admin", "Event", "Task", "Memory", "Recall", "Session"];
  for (const name of served.map((word) => `${word}Service`)) {
    expect(services).toContain(`memorysidecar.v1.${name}`);
    const check = `${url}/grpc.health.v1.Health/Check`;
    const health = await bufCurl(check, "-d", `{"service": "memorysidecar.v1.${name}"}`);
    expect(JSON.parse(health)).toEqual({ status: "SERVING" });
  }
  expect(services).toContain("grpc.health.v1.Health");
  // The service that hooks implement is described for reflection, and not served.
  expect(services).toContain("memorysidecar.hook.v1.HookService");
  const summarize = `${url}/memorysidecar.hook.v1.HookService/Summarize`;
  await expect(bufCurl(summarize, "-d", "{}")).rejects.toThrow(/unimplemented/i);
  const append = JSON.stringify({
    sessionId: "s",
    createSession: true,
    messages: [{ role: "ROLE_USER", text: "by reflection" }],
  });
  const answer = JSON.parse(await bufCurl(url + APPEND, "-d", append));
  expect(answer).toMatchObject({ lastSeq: "1" });
  const window = JSON.parse(await bufCurl(url + WINDOW, "-d", '{"sessionId": "s"}'));
  expect(window.messages[0].text).toBe("by reflection");
  const upsert = { documents: [{ documentId: "d", text: "reflection", metadata: { nr: 7 } }] };
  await bufCurl(`${url}${MEMORY}UpsertDocuments`, "-d", JSON.stringify(upsert));
  const metadata = [{ path: "nr", equalTo: 7 }];
  const ask = { query: "reflections", filter: { metadata } };
  const { hits } = JSON.parse(await bufCurl(`${url}${RECALL}Recall`, "-d", JSON.stringify(ask)));
  expect(hits).toMatchObject([{ document: { documentId: "d", metadata: { nr: 7 } } }]);
  expect(hits[0].parts[0].feature).toMatch(/^SCORE_FEATURE_/);
  const fact = { text: "Ann likes tea.", metadata: { nr: 7 }, labels: { a: "b" } };
  const given = JSON.stringify({ memories: [fact] });
  const { results } = JSON.parse(await bufCurl(`${url}${MEMORY}Remember`, "-d", given));
  expect(results).toMatchObject([{ outcome: "REMEMBER_OUTCOME_CREATED" }]);
  const id = JSON.stringify({ memoryId: results[0].memoryId });
  const found = JSON.parse(await bufCurl(`${url}${MEMORY}GetMemory`, "-d", id));
  expect(found.memory).toMatchObject({ ...fact, kind: "MEMORY_KIND_FACT" });
  await server.stop();
});

test("reflection can be left out", async () => {
  await using directory = await makeTempDir();
  const server = await start({ dataDir: directory.path, args: ["--disable-reflection"] });
  const url = `http://${server.address}`;
  await expect(bufCurl(url, "--list-services")).rejects.toThrow(/unimplemented|not support/i);
  const schema = join(ROOT, "proto/image.binpb");
  const call = ["--schema", schema, "-d", "{}"];
  const info = await bufCurl(`${url}/memorysidecar.v1.AdminService/GetServerInfo`, ...call);
  expect(JSON.parse(info).version).toMatch(/^\d/);
  await server.stop();
});

const appendCall = {
  path: APPEND,
  message: AppendMessagesRequest.encode(
    AppendMessagesRequest.fromPartial({
      sessionId: "storm",
      createSession: true,
      messages: [{ role: "ROLE_USER", text: "storm" }],
    }),
  ).finish(),
};
const windowCall = {
  path: WINDOW,
  message: GetWindowRequest.encode(GetWindowRequest.fromPartial({ sessionId: "storm" })).finish(),
};

test("storms of resets, deadlines and lost callers leave no call behind", async () => {
  await using directory = await makeTempDir();
  // So few places that a single one that is not given back shows.
  const args = ["--max-handlers", "4", "--max-streams", "100"];
  const server = await start({ dataDir: directory.path, args });
  const client = once(server.address);
  await client.append("storm", "first", { createSession: true });

  const resets = await rapidReset(server.address, appendCall, 3_000);
  await Promise.all([1, 2, 3].map(() => vanish(server.address, appendCall, 80)));
  const short = Array.from({ length: 2_000 }, (_, i) => {
    const call = i % 2 === 0 ? appendCall : windowCall;
    return { ...call, headers: { "grpc-timeout": `${1 + (i % 20)}m` } };
  });
  const deadlines = await statuses(server.address, short);
  const many = await statuses(
    server.address,
    Array.from({ length: 2_000 }, () => windowCall),
  );
  console.log(
    `storms: ${resets} resets, deadlines ${JSON.stringify([...deadlines])}, ` +
      `many ${JSON.stringify([...many])}`,
  );
  // OK, deadline exceeded or refused for load; never an internal error.
  for (const status of [...deadlines.keys(), ...many.keys()]) {
    expect(["0", "4", "14", "reset"]).toContain(status);
  }
  for (let round = 0; round < 50; round++) {
    await Promise.all([1, 2, 3, 4].map(() => client.window("storm")));
  }
  const { lastSeq, logTotals: log } = await client.getSession("storm");
  expect(log?.messageCount).toBe(lastSeq);
  client.close();
  expect(await server.stop()).toEqual({ code: 0, signal: null });
});
