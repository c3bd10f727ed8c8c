// Forgotten memories can be learnt again: forgetting and purging also remove the mark that keeps a
// text from being promoted twice, as do resetting and deleting its session.

import { afterEach, beforeEach, expect, test } from "vitest";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  memory,
  memoryFilter,
  memoryPolicy,
  message,
  ownedBy,
  promotion,
  session,
} from "../support/contract/samples.ts";

const NAME = "My name is John.";
const OWN = ownedBy({ userId: "u" });

let server: TestServer;

beforeEach(async () => {
  server = await startContractServer();
  await open();
});

afterEach(() => server[Symbol.asyncDispose]());

async function open(): Promise<void> {
  const fields = {
    sessionId: "s",
    userId: "u",
    memoryPolicy: memoryPolicy({ promotion: promotion() }),
  };
  await server.client.call("createSession", { session: session(fields) });
}

/** Says a name, and gives how many memories were made of what the window holds. */
async function learnt(): Promise<number> {
  const { client } = server;
  await client.call("appendMessages", { sessionId: "s", messages: [message({ text: NAME })] });
  return (await client.call("consolidateSession", { sessionId: "s" })).promotedMemoryIds.length;
}

async function forget(): Promise<void> {
  const filter = memoryFilter({ scope: OWN });
  const { memories } = await server.client.call("listMemories", { filter });
  await server.client.call("forgetMemories", {
    memoryIds: memories.map(({ memoryId }) => memoryId),
  });
}

test("by ForgetMemories", async () => {
  expect(await learnt()).toBe(1);
  expect(await learnt()).toBe(0);
  await forget();
  expect(await learnt()).toBe(1);
});

test("by PurgeMemories", async () => {
  expect(await learnt()).toBe(1);
  const filter = memoryFilter({ scope: OWN });
  await server.client.call("purgeMemories", { filter, force: true });
  expect(await learnt()).toBe(1);
});

test.each(["resetSession", "deleteSession"] as const)(
  "by %s, also when evicted",
  async (method) => {
    expect(await learnt()).toBe(1);
    // The fact goes for another one: what was promoted is known all the same.
    const other = memory({ text: "Likes tea.", importance: 1, userId: "u" });
    await server.client.call("remember", { memories: [other], maxMemories: 1 });
    expect(await learnt()).toBe(0);
    await server.client.call(method, { sessionId: "s" });
    if (method === "deleteSession") await open();
    expect(await learnt()).toBe(1);
  },
);
