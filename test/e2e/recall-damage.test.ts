// Damages single records of a store under a real server: recall leaves out what is damaged and
// nothing else, says so, and never makes a caller wait.

import { expect, test } from "vitest";
import { connect, type MemorySidecar } from "../../clients/typescript/src/index.ts";
import { type Environment, openEnvironment } from "../../src/store/engine/environment.ts";
import { u64 } from "../../src/store/engine/keys.ts";
import { SESSION, SESSION_LIST } from "../../src/store/tables/session-tables.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { start } from "./start.ts";

const SESSIONS = 4;
const MESSAGES = 6;
/** Far below the 30 seconds that a caller waits. */
const RECALL_MS = 10_000;

/** The record of the second of four sessions, or of its third message, in the order of writing. */
const DAMAGES: Readonly<
  Record<string, (env: Environment) => readonly [keyof Environment, string]>
> = {
  "a message": () => ["message", u64(MESSAGES + 3)],
  "a session": (env) => ["index", keysUnder(env, SESSION.id)[1] ?? ""],
  "a list of sessions": (env) => ["index", keysUnder(env, SESSION_LIST.id)[1] ?? ""],
};

function keysUnder(env: Environment, id: string): string[] {
  const end = String.fromCharCode(id.charCodeAt(0) + 1);
  return [...env.index.getKeys({ start: id, end })];
}

async function damage(directory: string, kind: string): Promise<void> {
  const env = openEnvironment({ directory });
  const [name, key] = DAMAGES[kind]?.(env) ?? ["index", ""];
  const table = env[name as "index" | "message"];
  const record = Buffer.from(table.get(key) ?? []);
  record[record.length - 1] = (record.at(-1) ?? 0) ^ 1;
  await table.put(key, record);
  await env.root.close();
}

const textOf = (session: number, message: number): string => `harbor word${session}x${message}`;

async function found(client: MemorySidecar, query: string) {
  const filter = { everyone: true, kinds: ["message"] } as const;
  const page = await client.recall(query, { filter, pageSize: 100, mode: "lexical" });
  return {
    texts: page.hits.map(({ passage }) => passage).sort(),
    isComplete: page.coverage?.complete,
  };
}

test.for(Object.keys(DAMAGES))("recall leaves out %s that is damaged and says so", async (kind) => {
  await using directory = await makeTempDir();
  const first = await start({ dataDir: directory.path });
  const writer = connect(first.address);
  for (let session = 0; session < SESSIONS; session++) {
    for (let message = 0; message < MESSAGES; message++) {
      await writer.append(`s${session}`, [textOf(session, message)], { createSession: true });
    }
  }
  writer.close();
  await first.stop();
  await damage(directory.path, kind);
  const server = await start({ dataDir: directory.path });
  const client = connect(server.address, { timeoutMs: RECALL_MS });
  const all = await found(client, "harbor");
  const lost = kind === "a message" ? [textOf(1, 2)] : all.texts.slice(0, 0);
  expect(all.isComplete).toBe(false);
  expect(all.texts).not.toContain(lost[0]);
  for (const session of [0, 2, 3]) {
    for (let message = 0; message < MESSAGES; message++) {
      expect(all.texts).toContain(textOf(session, message));
    }
  }
  if (kind === "a message") expect(all.texts).toHaveLength(SESSIONS * MESSAGES - 1);
  // The index is made once: a second search is as quick, and nothing is logged again.
  expect(await found(client, "harbor")).toEqual(all);
  await client.append("s9", ["harbor new"], { createSession: true });
  expect((await found(client, "new")).texts).toEqual(["harbor new"]);
  client.close();
  const faults = server.logs.filter((entry) => /damaged/.test(JSON.stringify(entry)));
  expect(faults).toHaveLength(1);
});
