// An empty id, which a program may have lost, never means everybody.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DESTRUCTIVE_REQUESTS } from "../../../src/gen/checks.ts";
import { type RunningServer, startServer } from "../../../test/support/process/server.ts";
import { connect, isMemorySidecarError, type MemorySidecar, MemoryTools } from "../src/index.ts";
import { memoryBlock } from "../src/memory-tools.ts";

let dir: string;
let server: RunningServer;
let client: MemorySidecar;
const nowhere = connect("127.0.0.1:1", { retry: { maxAttempts: 1 }, timeoutMs: 1 });

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "memory-sidecar-empty-"));
  const listen = `unix:${join(dir, "s.sock")}`;
  server = await startServer({ dataDir: join(dir, "data"), listen });
  client = connect(server.address);
});

afterAll(async () => {
  client.close();
  nowhere.close();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

type Call = (client: MemorySidecar) => unknown;

/** Arguments as a program without types may give them. */
const loose = (value: unknown): never => value as never;

/** Sends what a call sends, at once or when its items are asked for. */
async function send(call: Call, target: MemorySidecar): Promise<void> {
  const result = await call(target);
  if (typeof result === "object" && result !== null && Symbol.asyncIterator in result) {
    await (result as AsyncIterable<unknown>)[Symbol.asyncIterator]().next();
  }
}

describe("an empty condition", () => {
  test.each<readonly [string, Call]>([
    ["userId", (to) => to.listSessions({ userId: "" })],
    ["agentId", (to) => to.listSessions({ agentId: "" })],
    ["userId", (to) => to.listSessions({ userId: loose(null) })],
    ["sessionIdPrefix", (to) => to.countSessions({ sessionIdPrefix: "" })],
    ["userId", (to) => to.watch({ filter: { userId: "" } })],
    ["sessionId", (to) => to.watch({ filter: { sessionId: "" } })],
    ["userId", (to) => to.listEvents({ filter: { userId: "" } })],
    ['no field "user"', (to) => to.listEvents({ filter: loose({ user: "ana" }) })],
    ["userId", (to) => to.listMemories({ filter: { userId: "" } })],
    ["key", (to) => to.listMemories({ filter: { key: "" } })],
    ["textContains", (to) => to.listMemories({ filter: { textContains: "" } })],
    ["sourceSessionId", (to) => to.listMemories({ filter: { sourceSessionId: "" } })],
    ["agentId", (to) => to.purgeMemories({ userId: "ana", agentId: "" }, { force: true })],
    ["agentId", (to) => to.purgeDocuments("c", { userId: "ana", agentId: "" }, { force: true })],
    ["userId", (to) => to.purgeMemories({ userId: "", everyone: true }, { force: true })],
    ["key", (to) => to.purgeMemories({ userId: "ana", key: "" }, { force: true })],
    ["sessionId", (to) => to.decayMemories({ filter: { everyone: true, sessionId: "" } })],
    ["subject", (to) => to.queryRelations({ subject: "" })],
    ["entity", (to) => to.queryRelations({ entity: "" })],
    ["hook", (to) => to.listTasks({ hook: "" })],
    ["sessionId", (to) => to.listTasks({ sessionId: "" })],
    ["userId", (to) => to.listDocuments({ filter: { userId: "" } })],
    ["sourceDocumentId", (to) => to.listDocuments({ filter: { sourceDocumentId: "" } })],
    ['no field "roles"', (to) => to.listDocuments({ filter: loose({ roles: ["user"] }) })],
    ["userId", (to) => to.recall("tea", { userId: "" })],
    ["sessionId", (to) => to.recall("tea", { userId: "ana", sessionId: "" })],
    ["userId", (to) => to.recall("tea", { filter: { userId: "" } })],
    ["sessionIdPrefix", (to) => to.recall("tea", { filter: { sessionIdPrefix: "" } })],
    ["userId", (to) => to.remember("tea", { scope: { userId: "" } })],
    ["userId", (to) => to.putRecord("p", "k", "v", { owner: { userId: "" } })],
    ["agentId", (to) => to.upsertDocuments("tea", { scope: { agentId: "" } })],
    ["userId", (to) => to.extractMemories({ text: "tea", scope: { userId: "" } })],
    ["userId", (to) => to.assembleContext({ sessionId: "s", userId: "" })],
    ["userId", (to) => memoryBlock(to, { userId: "" })],
    ["userId", (to) => new MemoryTools(to, { userId: "" })],
  ])("%s is refused before anything is sent: %s", async (said, call) => {
    const failure = await send(call, nowhere).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure)).toContain(said);
  });
});

describe("recall", () => {
  test("takes whose records are meant beside the filter or in it, not in both", async () => {
    const both = () => nowhere.recall("tea", { userId: "ana", filter: { everyone: true } });
    expect(both).toThrow("in the filter or beside it");
  });
});

/** Arguments that a program which has lost its ids may pass to each rpc that deletes. */
const LOST: Readonly<Record<string, readonly Call[]>> = {
  appendMessages: ["", "kept"].map((path): Call => {
    const recordOperations = [{ delete: { path, key: path === "" ? "kept" : "" } }];
    return (to) => to.append("kept", "Again", { recordOperations });
  }),
  deleteSession: [(to) => to.deleteSession("")],
  resetSession: [(to) => to.resetSession("")],
  trimSession: [(to) => to.trimSession("", { maxMessages: 0 })],
  deleteMessage: [(to) => to.deleteMessage("", "kept"), (to) => to.deleteMessage("kept", "")],
  deleteFoundMessages: [
    (to) => to.deleteFoundMessages([]),
    (to) => to.deleteFoundMessages([""]),
    (to) => to.deleteFoundMessages(["kept"], { userId: "" }),
  ],
  batchDeleteMessages: [
    (to) => to.batchDeleteMessages("", ["kept"]),
    (to) => to.batchDeleteMessages("kept", []),
    (to) => to.batchDeleteMessages("kept", [""]),
  ],
  replaceMessages: [
    (to) => to.replaceMessages("", "all", []),
    (to) => to.replaceMessages("", 1, []),
    (to) => to.replaceMessages("kept", 0, []),
  ],
  popMessages: [(to) => to.popMessages("")],
  purgeDocuments: [
    (to) => to.purgeDocuments("", { userId: "ana" }, { force: true }),
    (to) => to.purgeDocuments("c", loose(undefined), { force: true }),
    (to) => to.purgeDocuments("c", {}, { force: true }),
    (to) => to.purgeDocuments("c", { userId: "" }, { force: true }),
  ],
  ...Object.fromEntries(
    (["purgeMemories", "decayMemories"] as const).map((name) => [
      name,
      [undefined, null, {}, { userId: "" }, { userId: undefined }, { userId: null }].map(
        (filter): Call =>
          name === "purgeMemories"
            ? (to) => to.purgeMemories(loose(filter), { force: true })
            : (to) => to.decayMemories({ filter: loose(filter), factor: 0, deleteBelow: 1 }),
      ),
    ]),
  ),
  forgetMemories: [(to) => to.forgetMemories(""), (to) => to.forgetMemories([])],
  mergeEntities: [
    (to) => to.mergeEntities("", ["kept"]),
    (to) => to.mergeEntities("kept", []),
    (to) => to.mergeEntities("kept", ""),
  ],
  deleteDocuments: [(to) => to.deleteDocuments(""), (to) => to.deleteDocuments([])],
  clearCollection: [(to) => to.clearCollection("")],
  writeRecords: [
    (to) => to.writeRecords([]),
    (to) => to.writeRecords([{ delete: { path: "", key: "kept" } }]),
    (to) => to.writeRecords([{ delete: { path: "kept", key: "" } }]),
  ],
  deleteRecord: [
    (to) => to.deleteRecord("", "kept"),
    (to) => to.deleteRecord([], "kept"),
    (to) => to.deleteRecord("kept", ""),
  ],
  deleteRecords: [
    (to) => to.deleteRecords("", { recursive: true }),
    (to) => to.deleteRecords([], { recursive: true }),
    (to) => to.deleteRecords(["kept", ""], { recursive: true }),
  ],
  deleteConsumer: [(to) => to.deleteConsumer("")],
  deleteTask: [(to) => to.deleteTask("")],
  eraseSubject: [{}, { userId: "" }, { sessionId: "" }, { userId: undefined }].map(
    (subject): Call =>
      (to) =>
        to.eraseSubject(loose(subject)),
  ),
};

describe("a lost id", () => {
  test("is tried with every rpc that deletes", () => {
    const names = [...DESTRUCTIVE_REQUESTS.keys()];
    const rpcs = names.map((name) => /\.(\w+)Request$/.exec(name)?.[1] ?? "");
    const methods = rpcs.map((name) => name.charAt(0).toLowerCase() + name.slice(1));
    expect(Object.keys(LOST).sort()).toEqual(methods.sort());
  });

  test.each(Object.entries(LOST))("deletes nothing with %s", async (_name, calls) => {
    const revisions = async (): Promise<number[]> => {
      const found: number[] = [];
      for await (const { revision } of client.listEvents()) found.push(revision);
      return found;
    };
    await client.append("kept", "Hello", { createSession: true });
    await client.remember({ memoryId: "kept", text: "Kept.", userId: "ana" });
    await client.upsertDocuments({ documentId: "kept", text: "Kept." });
    await client.putRecord("kept", "kept", "Kept.");
    const before = await revisions();
    for (const call of calls) {
      const failure = await send(call, client).catch((error: unknown) => error);
      const isInvalid = isMemorySidecarError(failure, "REQUEST_INVALID");
      expect(isInvalid || failure instanceof TypeError, String(failure)).toBe(true);
    }
    expect(await revisions()).toEqual(before);
    expect((await client.getMemory("kept")).text).toBe("Kept.");
    expect((await client.getDocument("kept")).text).toBe("Kept.");
    expect((await client.getRecord("kept", "kept")).value.toString()).toBe("Kept.");
  });
});
