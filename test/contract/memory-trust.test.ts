// Trust as a rank through the contract: what is found, or given with low trust, leaves alone what
// is trusted more, and says what it contradicts until somebody decides.

import { afterEach, describe, expect, test } from "vitest";
import {
  ConflictMode,
  ConflictRule,
  type Memory,
  MemoryState,
  RememberOutcome,
} from "../../src/gen/memorysidecar/v1/memory.ts";
import { Role, Trust } from "../../src/gen/memorysidecar/v1/message.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { memory, memoryFilter, message, ownedBy, session } from "../support/contract/samples.ts";

const started: TestServer[] = [];

afterEach(async () => {
  for (const server of started.splice(0)) await server[Symbol.asyncDispose]();
});

const SUPERSEDE = {
  ...ConflictRule.decode(new Uint8Array(0)),
  mode: ConflictMode.SUPERSEDE,
};

const home = (text: string, fields: Partial<Memory> = {}): Memory =>
  memory({ text, key: "home_city", userId: "u", ...fields });

/** A server that was told where a user lives, and hears otherwise in a message. */
async function start(): Promise<TestServer> {
  const server = await startContractServer();
  started.push(server);
  const { client } = server;
  const trusted = home("The user lives in Porto.", { memoryId: "told", persistent: true });
  await client.call("remember", { memories: [trusted] });
  await client.call("createSession", { session: session({ sessionId: "s", userId: "u" }) });
  const said = message({ role: Role.USER, text: "I live in Berlin." });
  await client.call("appendMessages", { sessionId: "s", messages: [said] });
  return server;
}

async function kept({ client }: TestServer): Promise<readonly Memory[]> {
  const filter = memoryFilter({ scope: ownedBy({ userId: "u" }), key: "home_city" });
  return (await client.call("listMemories", { filter })).memories;
}

describe("a fact that is found", () => {
  test("stands beside what a caller remembered, and names it, in the event as well", async () => {
    const server = await start();
    const { memories } = await server.client.call("extractMemories", { sessionId: "s" });
    const found = memories.find(({ key }) => key === "home_city");
    expect(found).toMatchObject({ trust: Trust.LOW, contradictsMemoryIds: ["told"] });
    expect(await kept(server)).toMatchObject([
      { memoryId: "told", version: 1n, persistent: true, contradictsMemoryIds: [] },
      { memoryId: found?.memoryId, state: MemoryState.ACTIVE },
    ]);
    const { events } = await server.client.call("listEvents");
    const remembered = events.flatMap(({ detail }) =>
      detail?.$case === "memoriesRemembered" ? [detail.value.contradictingMemoryIds] : [],
    );
    expect(remembered).toEqual([[], [found?.memoryId]]);
  });

  test("is settled by raising its trust, by forgetting it, or by remembering anew", async () => {
    for (const way of ["raise", "forget", "remember"] as const) {
      const server = await start();
      const { client } = server;
      const { memories } = await client.call("extractMemories", { sessionId: "s" });
      const memoryId = memories.find(({ key }) => key === "home_city")?.memoryId ?? "";
      if (way === "raise") {
        const raised = memory({ memoryId, trust: Trust.MEDIUM });
        await client.call("updateMemory", { memory: raised, updateMask: ["trust"] });
      } else if (way === "forget") {
        await client.call("forgetMemories", { memoryIds: [memoryId] });
      } else {
        const memories = [home("The user lives in Bern.")];
        const { results } = await client.call("remember", { memories, conflict: SUPERSEDE });
        expect(results[0]?.supersededMemoryIds).toEqual(["told", memoryId]);
      }
      const left = await kept(server);
      expect(left.flatMap(({ contradictsMemoryIds }) => contradictsMemoryIds)).toEqual([]);
      expect(left).toHaveLength(way === "raise" ? 2 : 1);
    }
  });
});

describe("Remember with low trust", () => {
  test("supersedes and evicts nothing that is trusted more", async () => {
    const server = await start();
    const low = home("The user lives in Rome.", { trust: Trust.LOW });
    const request = { memories: [low], conflict: SUPERSEDE, maxMemories: 1 };
    const { results, evictedMemoryIds } = await server.client.call("remember", request);
    expect(results).toMatchObject([{ outcome: RememberOutcome.CREATED, supersededMemoryIds: [] }]);
    expect(evictedMemoryIds).toEqual([results[0]?.memoryId]);
    expect(await kept(server)).toMatchObject([{ memoryId: "told", version: 1n }]);
  });

  test("is refused for the id of a memory that is trusted more", async () => {
    const { client } = await start();
    const low = home("The user lives in Rome.", { memoryId: "told", trust: Trust.LOW });
    const failure = await client.fail("remember", { memories: [low] });
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID" });
  });
});
