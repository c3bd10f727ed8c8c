// A store whose past was replaced has another history: tokens of the one before are refused.

import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CODEC } from "../../src/edge/codec.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { newMemoryState } from "../model/state.ts";
import { openMemoryStore } from "../model/store.ts";
import {
  requestBytes,
  startContractServer,
  type TestClient,
  type TestServer,
} from "../support/contract/client.ts";
import { users } from "../support/contract/policy-wire.ts";
import { document, memory, message, session } from "../support/contract/samples.ts";
import { afterToken, Watch } from "../support/contract/watch.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";

test("refuses tokens of another history of the same store", async () => {
  const state = newMemoryState("0123456789abcdef");
  const { readFacts } = CODEC;
  const first = await openMemoryStore({ readFacts, state });
  const second = await openMemoryStore({
    readFacts,
    state: { ...state, historyId: "fedcba9876543210" },
  });
  await using before = await startContractServer({ wrapStore: () => first });
  await using after = await startContractServer({ wrapStore: () => second });
  const append = { sessionId: "s", createSession: true, messages: users(3) };
  await before.client.call("appendMessages", append);

  const { resumeToken } = await before.client.call("listEvents", {});
  expect(
    (await before.client.call("listEvents", { start: afterToken(resumeToken) })).events,
  ).toEqual([]);
  expect((await after.client.call("listEvents", {})).events).toHaveLength(2);
  expect(await after.client.fail("listEvents", { start: afterToken(resumeToken) })).toMatchObject({
    ...{ code: "INVALID_ARGUMENT", reason: "RESUME_TOKEN_FOREIGN" },
  });

  const page = { sessionId: "s", pageSize: 1 };
  const { nextPageToken: pageToken } = await before.client.call("listMessages", page);
  expect((await before.client.call("listMessages", { ...page, pageToken })).messages).toHaveLength(
    1,
  );
  expect(await after.client.fail("listMessages", { ...page, pageToken })).toMatchObject({
    ...{ code: "INVALID_ARGUMENT", reason: "PAGE_TOKEN_INVALID" },
  });
});

async function serve(directory: string, newHistory = false): Promise<TestServer> {
  const { readFacts } = CODEC;
  const store = await openLmdbStore({ directory, readFacts, newHistory, floor: { bytes: 0 } });
  return await startContractServer({ wrapStore: () => store });
}

interface Etags {
  readonly session: string;
  readonly message: string;
  readonly memory: string;
  readonly document: string;
}

/** Writes each thing with an etag, made or changed. */
async function write({ call }: Pick<TestClient, "call">, text: string): Promise<void> {
  await call("upsertDocuments", { documents: [document({ documentId: "d", text })] });
  await call("remember", { memories: [memory({ memoryId: "k", text })] });
}

async function etagsOf({ call }: Pick<TestClient, "call">): Promise<Etags> {
  const { session } = await call("getSession", { sessionId: "s" });
  const { message } = await call("getMessage", { sessionId: "s", messageId: "m" });
  const { memory } = await call("getMemory", { memoryId: "k" });
  const { document } = await call("getDocument", { documentId: "d" });
  return {
    session: session?.etag ?? "",
    message: message?.etag ?? "",
    memory: memory?.etag ?? "",
    document: document?.etag ?? "",
  };
}

/** Changes each thing once; the number of changes is the same for every text. */
async function change(client: Pick<TestClient, "call">, text: string): Promise<void> {
  await client.call("updateSession", { session: session({ sessionId: "s", userId: text }) });
  const changed = message({ messageId: "m", text });
  await client.call("updateMessage", { sessionId: "s", message: changed });
  await write(client, text);
}

/** Answers to a change with each etag. */
async function guarded({ fail }: Pick<TestClient, "fail">, etags: Etags) {
  const failures = await Promise.all([
    fail("updateSession", {
      session: session({ sessionId: "s", userId: "x", etag: etags.session }),
    }),
    fail("updateMessage", {
      ...{ sessionId: "s", message: message({ messageId: "m", text: "x", etag: etags.message }) },
    }),
    fail("deleteMessage", { sessionId: "s", messageId: "m", etag: etags.message }),
    fail("deleteSession", { sessionId: "s", etag: etags.session }),
    fail("remember", { memories: [memory({ memoryId: "k", text: "x", etag: etags.memory })] }),
    fail("forgetMemories", { memoryIds: ["k"], etag: etags.memory }),
    fail("upsertDocuments", {
      documents: [document({ documentId: "d", text: "x", etag: etags.document })],
    }),
    fail("deleteDocuments", { documentIds: ["d"], etag: etags.document }),
  ]);
  return failures.map(({ reason }) => reason);
}

test("refuses etags and consumers of what happened after the copy that was put back", async () => {
  await using directory = await makeTempDir();
  const [one, two] = ["one", "two"].map((name) => join(directory.path, name));
  if (one === undefined || two === undefined) throw new Error("no directory");
  const consumer = { consumerId: "c" };
  {
    await using server = await serve(one);
    const client = bound(server.client);
    const messages = [message({ messageId: "m", text: "a" })];
    await client.call("appendMessages", { sessionId: "s", createSession: true, messages });
    await write(client, "a");
    await client.call("createConsumer", consumer);
  }
  await mkdir(two);
  await copyFile(join(one, "data.mdb"), join(two, "data.mdb"));
  let lost: Etags;
  let token: string;
  {
    await using server = await serve(one);
    const client = bound(server.client);
    await change(client, "lost");
    lost = await etagsOf(client);
    ({ resumeToken: token } = await client.call("listEvents", {}));
  }

  await using server = await serve(two, true);
  const client = bound(server.client);
  await change(client, "kept");
  expect(await guarded(client, lost)).toEqual(Array(8).fill("ETAG_MISMATCH"));
  const kept = await etagsOf(client);
  for (const [name, etag] of Object.entries(kept)) expect(etag).not.toBe(lost[name as keyof Etags]);

  const start = { $case: "consumerId", value: "c" } as const;
  const foreign = { code: "INVALID_ARGUMENT", reason: "RESUME_TOKEN_FOREIGN" };
  const watch = requestBytes("watchEvents", { start });
  expect(await server.client.failStream(watch)).toMatchObject(foreign);
  const found = await client.call("getConsumer", consumer);
  const { revision = 0n, resumeToken = "" } = found.consumer ?? {};
  expect(found.consumer?.lag).toBe(
    BigInt((await server.store.positions("default")).newest.revision),
  );
  expect(revision).toBeGreaterThan(0n);
  for (const stale of [token, resumeToken]) {
    expect(await client.fail("ackEvents", { ...consumer, resumeToken: stale })).toMatchObject(
      foreign,
    );
  }

  // An early position of this history: it still replaces one of another.
  const { resumeToken: first } = await client.call("listEvents", { pageSize: 1 });
  const acked = await client.call("ackEvents", { ...consumer, resumeToken: first });
  expect(acked.consumer).toMatchObject({ revision: 1n, resumeToken: first });
  const again = new Watch(server.client, { start });
  expect((await again.event()).event.revision).toBe(1n);
  again.close();
});

/** The calls of a client on their own. */
function bound(client: TestClient): Pick<TestClient, "call" | "fail"> {
  return { call: client.call.bind(client), fail: client.fail.bind(client) };
}
