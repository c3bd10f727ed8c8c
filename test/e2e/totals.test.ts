// Totals of lists at the bound up to which they count, by a server with a store on disk.

import { expect, onTestFinished, test } from "vitest";
import { Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { TestClient } from "../support/contract/client.ts";
import { times } from "../support/contract/limits.ts";
import { document, memory, message, messageFilter } from "../support/contract/samples.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { start } from "./start.ts";

const BOUND = LIMITS.pageScan;

async function serve(): Promise<TestClient> {
  const directory = await makeTempDir();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const server = await start({ dataDir: directory.path });
  onTestFinished(async () => void (await server.stop()));
  return new TestClient(server.address);
}

/** Writes so many items, several with one call. */
async function fill(count: number, step: number, write: (ids: number[]) => Promise<unknown>) {
  for (let at = 0; at < count; at += step) {
    await write(times(Math.min(step, count - at), (index) => at + index));
  }
}

test("ListDocuments counts 10,000 documents, and of more says so", async () => {
  const client = await serve();
  const upsert = (ids: number[]) =>
    client.call("upsertDocuments", {
      documents: ids.map((id) => document({ text: `page ${id}` })),
    });
  const list = async () =>
    (await client.call("listDocuments", { pageSize: 1, includeTotal: true })).total;
  await fill(BOUND, LIMITS.writeDocuments, upsert);
  expect(await list()).toEqual({ count: BigInt(BOUND), atLeast: false });
  await upsert([BOUND]);
  expect(await list()).toEqual({ count: BigInt(BOUND), atLeast: true });
});

test("ListMemories counts 10,000 memories, and of more says so", async () => {
  const client = await serve();
  const remember = (ids: number[]) =>
    client.call("remember", { memories: ids.map((id) => memory({ text: `fact number ${id}` })) });
  const list = async () =>
    (await client.call("listMemories", { pageSize: 1, includeTotal: true })).total;
  await fill(BOUND, LIMITS.writeMemories, remember);
  expect(await list()).toEqual({ count: BigInt(BOUND), atLeast: false });
  await remember([BOUND]);
  expect(await list()).toEqual({ count: BigInt(BOUND), atLeast: true });
});

test("ListMessages counts 10,000 messages of a filter, and all without one", async () => {
  const client = await serve();
  const append = (ids: number[]) =>
    client.call("appendMessages", {
      ...{ sessionId: "s", createSession: true },
      messages: ids.map((id) => message({ role: Role.USER, text: `message ${id}` })),
    });
  const list = async (fields: object) => {
    const ask = { sessionId: "s", pageSize: 1, includeTotal: true, ...fields };
    return (await client.call("listMessages", ask)).total;
  };
  const filtered = { filter: messageFilter({ roles: [Role.USER] }) };
  await fill(BOUND, LIMITS.appendMessages, append);
  expect(await list(filtered)).toEqual({ count: BigInt(BOUND), atLeast: false });
  await append([BOUND]);
  expect(await list(filtered)).toEqual({ count: BigInt(BOUND), atLeast: true });
  expect(await list({})).toEqual({ count: BigInt(BOUND + 1), atLeast: false });
});
