// Memories as lines, as a block and as tools, against the real server. That the lines of both
// clients are the same is tested in clients/python/tests/test_memories.py.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../../test/support/process/server.ts";
import {
  connect,
  exportMemories,
  importMemories,
  type Memory,
  type MemoryFilterInput,
  type MemorySidecar,
  MemoryState,
  MemoryTools,
  memoryBlock,
  type RecallOptions,
} from "../src/index.ts";

let dir: string;
let server: RunningServer;
const clients: MemorySidecar[] = [];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "memory-sidecar-memories-"));
  const listen = `unix:${join(dir, "s.sock")}`;
  server = await startServer({ dataDir: join(dir, "data"), listen });
});

afterAll(async () => {
  for (const client of clients) client.close();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** A client in a namespace of its own. */
function memoryOf(namespace: string): MemorySidecar {
  const client = connect(server.address, { namespace });
  clients.push(client);
  return client;
}

async function memoriesOf(client: MemorySidecar): Promise<Memory[]> {
  const found: Memory[] = [];
  for await (const memory of client.listMemories({ filter: { everyone: true } }))
    found.push(memory);
  return found;
}

async function linesOf(client: MemorySidecar, userId?: string): Promise<string[]> {
  const found: string[] = [];
  for await (const line of exportMemories(
    client,
    userId === undefined ? { everyone: true } : { userId },
  )) {
    found.push(line);
  }
  return found;
}

describe("lines", () => {
  test("carry memories into another namespace, once", async () => {
    const from = memoryOf("from");
    const to = memoryOf("to");
    const ana = { userId: "ana" };
    await from.remember([
      {
        ...{ ...ana, text: 'Ana says "ñandú"\nand 🦤.', key: "bird", trust: "low" },
        ...{ importance: 0, confidence: 0.25, persistent: true, labels: { from: "test" } },
        ...{ topics: ["birds"], metadata: { deep: [1, null, { a: true }] }, ttlMs: 90_000_005 },
        ...{
          validFromTime: new Date("2026-03-01T12:30:00.250Z"),
          validUntilTime: new Date("2026-04-01"),
        },
        source: { sessionId: "s", messageIds: ["m1"] },
      },
      { ...ana, entity: { name: "Acme", aliases: ["Acme Inc."], attributes: { size: "small" } } },
      { ...ana, relation: { subject: "Ana", predicate: "works_at", objectValue: "Acme" } },
      { ...ana, episode: { userText: "Hello?", assistantText: "" } },
      { kind: "knowledge", text: "Tea is a leaf." },
    ]);
    const lines = await linesOf(from);
    expect(lines).toHaveLength(5);
    expect(lines.join("")).not.toContain("\n");
    for (const _ of [1, 2]) {
      expect(await importMemories(to, ["", ...lines])).toBe(5);
      expect((await linesOf(to)).sort()).toEqual(lines.toSorted());
    }
    expect(await linesOf(from, "ana")).toHaveLength(4);
  });

  test("may hold fields that nothing knows", async () => {
    const client = memoryOf("newer");
    const line = { kind: "MEMORY_KIND_FACT", text: "known", mood: { a: 1 }, key: null };
    expect(await importMemories(client, [JSON.stringify(line), '{"text":"of no kind"}'])).toBe(2);
    expect((await memoriesOf(client)).map(({ text }) => text)).toEqual(["known", "of no kind"]);
  });

  test.each([
    "5",
    "{",
    '{"text": 5}',
    '{"kind": "MEMORY_KIND_DREAM", "text": "a"}',
    '{"kind": "toString", "text": "a"}',
    '{"text": "a", "valid_from_time": "then"}',
    '{"text": "a", "ttl": "long"}',
    '{"text": "a", "topics": "b"}',
    '{"text": "a", "labels": {"b": 1}}',
    '{"text": "a", "entity": {"name": 5}}',
  ])("that are none are named, and those before are remembered: %s", async (bad) => {
    const client = memoryOf(`bad-${Buffer.from(bad).toString("hex").slice(0, 40)}`);
    const reading = importMemories(client, ['{"text":"before"}', "", bad, '{"text":"behind"}']);
    await expect(reading).rejects.toThrow(/^line 3 is no memory: ./);
    expect((await memoriesOf(client)).map(({ text }) => text)).toEqual(["before"]);
  });
});

describe("the definitions of the tools", () => {
  const keys = { anthropic: "input_schema", mcp: "inputSchema" } as const;
  const names = ["remember", "recall", "forget"];
  const tools = new MemoryTools(connect("unix:unused.sock"));

  function expectSchemas(schemas: readonly unknown[]): void {
    for (const schema of schemas) {
      expect(schema).toMatchObject({ type: "object", additionalProperties: false });
      const { properties, required } = schema as { properties: object; required: string[] };
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(required));
      for (const one of Object.values(properties)) {
        expect(["string", "integer", "boolean"]).toContain(one.type);
        expect(one.description).not.toBe("");
      }
    }
  }

  test("are functions for OpenAI", () => {
    const made = tools.definitions() as { type: string; function: Record<string, unknown> }[];
    expect(made.map((one) => one.function["name"])).toEqual(names);
    for (const one of made) {
      expect(one.type).toBe("function");
      expect(Object.keys(one.function)).toEqual(["name", "description", "parameters"]);
    }
    expectSchemas(made.map((one) => one.function["parameters"]));
  });

  test.each(["anthropic", "mcp"] as const)("are tools for %s", (shape) => {
    const made = tools.definitions(shape) as Record<string, unknown>[];
    expect(made.map(({ name }) => name)).toEqual(names);
    for (const one of made) expect(Object.keys(one)).toEqual(["name", "description", keys[shape]]);
    expectSchemas(made.map((one) => one[keys[shape]]));
  });

  test("are of no other shape", () => {
    expect(() => tools.definitions("gemini" as "mcp")).toThrow('mcp, not "gemini"');
  });
});

describe("a memory of a past time", () => {
  test("is what was known then", async () => {
    const client = memoryOf("past");
    const { results } = await client.remember("Ana drinks tea.", { scope: { userId: "ana" } });
    const memoryId = results[0]?.memoryId ?? "";
    const before = new Date();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await client.updateMemory(memoryId, { text: "Ana drinks coffee." });
    for (const opts of [{ asOfTime: before }, { asOf: before }]) {
      expect((await client.getMemory(memoryId, opts)).text).toBe("Ana drinks tea.");
      const filter = { everyone: true } as const;
      for await (const { text } of client.listMemories({ filter, ...opts }))
        expect(text).toBe("Ana drinks tea.");
      expect((await client.countMemories({ filter, ...opts })).count).toBe(1);
    }
    expect((await client.getMemory(memoryId)).text).toBe("Ana drinks coffee.");
  });
});

describe("several records", () => {
  test("come without their values on request", async () => {
    const client = memoryOf("records");
    await client.putRecord("places", "home", "Porto");
    const names = [{ path: "places", key: "home" }];
    for (const opts of [{ omitValues: true }, { omitValue: true }]) {
      const [found] = await client.batchGetRecords(names, opts);
      expect(found?.record?.value).toHaveLength(0);
    }
    const [found] = await client.batchGetRecords(names);
    expect(found?.record?.value.toString()).toBe("Porto");
  });
});

describe("the tools", () => {
  test("remember, recall and forget", async () => {
    const client = memoryOf("tools");
    const tools = new MemoryTools(client, { userId: "ana" });
    const home = { key: "home_city", category: "place" };
    const old = await tools.call("remember", { content: "Ana lives in Porto.", ...home });
    const given = JSON.stringify({ content: "Ana lives in Berlin.", persistent: "yes", ...home });
    const now = await tools.call("remember", given);
    expect(await client.getMemory(now)).toMatchObject({ persistent: true });
    expect(await client.getMemory(old)).toMatchObject({ supersededByMemoryId: now });
    expect(await tools.call("recall", { query: "where does Ana live", limit: "3" })).toBe(
      `Found 1 memory:\n1. [place] Ana lives in Berlin. (id: ${now})`,
    );
    const silent = new MemoryTools(client, { userId: "ana", showIds: false });
    expect(await silent.call("recall", { query: "home" })).toMatch(/in Berlin\.$/);
    expect(await tools.call("forget", { memory_id: now })).toBe("Forgotten.");
    expect(await tools.call("forget", { memory_id: now })).toMatch(/^No memory has the id/);
    expect(await tools.call("recall", { query: "Berlin" })).toMatch(/^No memories found/);
  });

  test("reach nobody else", async () => {
    const client = memoryOf("others");
    const ana = new MemoryTools(client, { userId: "ana", agentId: "cook" });
    const content = "Ana hides the key under a stone.";
    const secret = await ana.call("remember", { content, key: "stone" });
    const shared = await client.remember("The key fits every door.");
    const others = [
      new MemoryTools(client, { userId: "bo", agentId: "cook" }),
      new MemoryTools(client, { userId: "ana", agentId: "clerk" }),
      new MemoryTools(client, { userId: "ana" }),
      new MemoryTools(client),
    ];
    for (const other of others) {
      expect(await other.call("forget", { memory_id: secret })).toMatch(/^No memory has the id/);
      const said = await other.call("recall", { query: "Where is the key?", limit: 100 });
      expect(said).toContain("fits every door");
      expect(said).not.toContain("stone");
      await other.call("remember", { content: "Nothing.", key: "stone" });
    }
    expect((await client.getMemory(secret)).state).toBe(MemoryState.ACTIVE);
    const memory_id = shared.results[0]?.memoryId ?? "";
    expect(await ana.call("forget", { memory_id })).toMatch(/^No memory has the id/);
  });

  test.each([
    ["remember", "{", "the arguments are not a JSON object."],
    ["remember", "[]", "the arguments are not a JSON object."],
    ["remember", "[".repeat(100_000), "the arguments are not a JSON object."],
    ["remember", null, "the arguments are not a JSON object."],
    ["remember", {}, "content must be a text."],
    ["remember", { content: " \n" }, "content must not be empty."],
    ["remember", { content: "x".repeat(20_000) }, "content is longer than 16384 bytes."],
    ["remember", { content: "x", key: "k".repeat(200) }, "key is longer than 128 bytes."],
    ["recall", { query: 5 }, "query must be a text."],
    ["forget", { memory_id: "x".repeat(300) }, "memory_id is longer than 256 bytes."],
    ["forget", { memory_id: "" }, "memory_id is required."],
    ["toString", {}, 'there is no tool "toString".'],
  ])("answer bad arguments: %s", async (name, args, said) => {
    const tools = new MemoryTools(memoryOf("bad-arguments"), { userId: "ana" });
    expect(await tools.call(name, args as string)).toBe(`Error: ${said}`);
  });

  test("throw what is wrong with the server", async () => {
    const client = connect("unix:/nowhere/s.sock", { timeoutMs: 200 });
    await expect(new MemoryTools(client).call("recall", { query: "x" })).rejects.toThrow();
    client.close();
  });
});

describe("the block of a prompt", () => {
  test("says how sure each memory is", async () => {
    const client = memoryOf("block");
    expect(await memoryBlock(client, { userId: "ana" })).toBe("");
    await client.remember([
      { text: "Ana plays the cello.", userId: "ana", importance: 0.9 },
      { text: "Ana may like opera.", userId: "ana", confidence: 0.2 },
      { text: "Bo plays chess.", userId: "bo", importance: 1 },
    ]);
    const block = await memoryBlock(client, { userId: "ana" });
    expect(block.split("\n").slice(0, 2)).toEqual([
      "## What I remember about you:",
      "- Ana plays the cello. (confidence: high)",
    ]);
    expect(block).toContain("(confidence: low)");
    expect(block).not.toContain("Bo");
    const best = { userId: "ana", query: "opera", topK: 1, heading: "Known:" };
    expect(await memoryBlock(client, best)).toMatch(/^Known:\n- Ana may like opera\.[^\n]*$/);
  });
});

describe("recall", () => {
  test("finds what a user may see", async () => {
    const client = memoryOf("recall");
    for (const userId of ["ana", "bob"]) {
      await client.createSession({ sessionId: `s-${userId}`, userId });
      await client.append(`s-${userId}`, {
        role: "user",
        messageId: `said-${userId}`,
        text: "My vault.",
      });
      const documentId = `document-${userId}`;
      await client.upsertDocuments({ documentId, text: "Vault codes." }, { scope: { userId } });
      await client.remember({ memoryId: `memory-${userId}`, text: "A vault code.", userId });
    }
    await client.remember({ memoryId: "memory-all", text: "The vault has a code." });
    const found = async (opts: RecallOptions = {}): Promise<string[]> => {
      const { hits } = await client.recall("vault code", { pageSize: 50, ...opts });
      const ids = hits.map(({ record }) => {
        if (record?.$case === "message") return record.value.message?.messageId ?? "";
        return record?.$case === "memory" ? record.value.memoryId : record?.value.documentId;
      });
      return ids.map(String).sort();
    };
    expect(await found()).toEqual(["memory-all"]);
    const ana = ["document-ana", "memory-all", "memory-ana", "said-ana"];
    expect(await found({ userId: "ana" })).toEqual(ana);
    expect(await found({ userId: "bob", filter: { kinds: ["message"] } })).toEqual(["said-bob"]);
    expect(await found({ agentId: "clerk" })).toEqual(["memory-all"]);
    expect(await found({ filter: { everyone: true } })).toHaveLength(7);
  });
});

describe("a forgotten user", () => {
  test.each<MemoryFilterInput>([
    {},
    { userId: "" },
    { userId: undefined },
    { agentId: "a" },
    { userId: "", scope: "visible-to" },
  ])("destroys nothing with the filter %o", async (filter) => {
    const nowhere = connect("127.0.0.1:1", { retry: { maxAttempts: 1 } });
    clients.push(nowhere);
    const wrong = "the filter has no userId";
    await expect(nowhere.purgeMemories(filter, { force: true })).rejects.toThrow(wrong);
    await expect(nowhere.decayMemories({ filter })).rejects.toThrow(wrong);
    await expect(exportMemories(nowhere, filter).next()).rejects.toThrow(wrong);
  });

  test("finds what is shared alone, and everyone must be said", async () => {
    const client = memoryOf("forgotten");
    await client.remember(["Debts are due.", { text: "Ana has debts.", userId: "ana" }]);
    const textsOf = async (filter: MemoryFilterInput) => {
      const found: string[] = [];
      for await (const { text } of client.listMemories({ filter })) found.push(text);
      return found;
    };
    expect(await textsOf({})).toEqual(["Debts are due."]);
    expect(await textsOf({ userId: "ana" })).toEqual(["Debts are due.", "Ana has debts."]);
    expect(await textsOf({ userId: "ana", scope: "owned-by" })).toEqual(["Ana has debts."]);
    expect(await textsOf({ everyone: true })).toHaveLength(2);
    await client.purgeMemories({ userId: "ana" }, { force: true });
    expect(await textsOf({ everyone: true })).toEqual(["Debts are due."]);
    await client.purgeMemories({ everyone: true }, { force: true });
    expect(await textsOf({ everyone: true })).toEqual([]);
  });
});
