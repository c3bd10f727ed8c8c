// Erase means gone: a real server writes words into every kind of record of a subject, erases it,
// and no file of its directory holds one of them any more.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { ErasureState, type ErasureSubject } from "../../src/gen/memorysidecar/v1/admin_service.ts";
import { parseWords, proveErased } from "../../src/store/verify/prove-erased.ts";
import { TestClient } from "../support/contract/client.ts";
import { type Subject, writeSubject } from "../support/erase/subject.ts";
import { randomFrom, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { SERVER_MAIN } from "../support/process/server.ts";
import { eventually } from "../support/process/summary-reader.ts";
import { start } from "./start.ts";

function run(...args: readonly string[]) {
  return spawnSync(process.execPath, [SERVER_MAIN, ...args], { encoding: "utf8" });
}

async function serve(dataDir: string, failpoints = "") {
  const args = failpoints === "" ? [] : ["--failpoints", failpoints];
  const server = await start({ dataDir, args });
  const client = new TestClient(server.address);
  return {
    client,
    exited: server.exited,
    end: async () => {
      client.close();
      await server.stop();
    },
  };
}

/** The subjects of words that the files hold, by what held them. */
function held(directory: string, { words }: Subject): readonly string[] {
  const names = [...words.keys()];
  const { found } = proveErased(directory, parseWords([...words.values()].join("\n")));
  return [...new Set(found.map(({ line }) => names[line - 1] ?? ""))];
}

/** Writes a subject, and waits for its summary: one that came later would change the counts. */
async function writeSettled(client: TestClient, userId: string): Promise<Subject> {
  const subject = await writeSubject(client, userId);
  await eventually("the summary of the archived session", 90_000, async () => {
    const sessionId = `${subject.sessionId}-task`;
    const { summaries } = await client.call("listSummaries", { sessionId });
    return summaries[0];
  });
  return subject;
}

function ofUser(userId: string): ErasureSubject {
  return { subject: { $case: "userId", value: userId } };
}

async function erase(client: TestClient, subject: ErasureSubject, requestId = "") {
  const { erasure } = await client.call("eraseSubject", { subject, requestId });
  const erasureId = erasure?.erasureId ?? "";
  return await eventually("the end of the erasure", 90_000, async () => {
    const { erasure: now } = await client.call("getErasure", { erasureId });
    return now?.state === ErasureState.DONE ? now : undefined;
  });
}

const COMPACTIONS = ["compact DIR", "CompactStore"] as const;

test.for(COMPACTIONS)("after an erasure and %s no file holds a word of the user", async (way) => {
  await using directory = await makeTempDir();
  const dataDir = directory.path;
  const first = await serve(dataDir);
  const gone = await writeSettled(first.client, "anna");
  const kept = await writeSettled(first.client, "bert");
  await first.end();
  // The control: a word that was written is found.
  expect(held(dataDir, gone)).toEqual([...gone.words.keys()]);

  const second = await serve(dataDir);
  const dry = await second.client.call("eraseSubject", { subject: ofUser("anna"), dryRun: true });
  const receipt = await erase(second.client, ofUser("anna"));
  expect(receipt.erased).toEqual(dry.erasure?.erased);
  if (way === "CompactStore") {
    const { chunks } = await second.client.compactStore({});
    expect(chunks.at(-1)?.part?.$case).toBe("compaction");
    expect(held(dataDir, gone)).toEqual([]);
  }
  await second.end();
  if (way === "compact DIR") {
    const { status, stdout, stderr } = run("compact", dataDir);
    expect({ status, stderr }, stdout).toMatchObject({ status: 0 });
  }
  expect(held(dataDir, gone)).toEqual([]);
  expect(held(dataDir, kept)).toEqual([...kept.words.keys()]);
  const verified = run("verify", dataDir);
  expect(JSON.parse(verified.stdout)).toMatchObject({ clean: true, problems: [] });
});

// An erasure of this subject takes about 15 commits; a start takes one or two.
const KILLS = [
  "before-commit:3",
  "after-commit:4",
  "after-commit:3",
  "before-commit:7",
  "mid-purge:1",
];

test("an erasure that is killed again and again ends with an exact receipt", async () => {
  const random = randomFrom(testSeed("erase"));
  await using directory = await makeTempDir();
  const dataDir = directory.path;
  const first = await serve(dataDir);
  const gone = await writeSettled(first.client, "anna");
  const kept = await writeSettled(first.client, "bert");
  const subject = ofUser("anna");
  const dry = await first.client.call("eraseSubject", { subject, dryRun: true });
  await first.end();
  let killed = 0;
  const drawn = Array.from(
    { length: 2 },
    () => `after-commit:${2 + Math.floor(random.next() * 8)}`,
  );
  for (const failpoint of [...KILLS, ...drawn]) {
    // A start goes on with the erasure, so it may be killed before it serves.
    const served = await serve(dataDir, failpoint).catch((error: Error) => {
      if (!error.message.includes("SIGKILL")) throw error;
    });
    if (served === undefined) {
      killed += 1;
      continue;
    }
    const { client, end, exited } = served;
    // Begun once: a repeat under the request id only asks for it again.
    const done = erase(client, subject, "erase-anna").then(
      () => "done",
      () => "killed",
    );
    const outcome = await Promise.race([done, exited.then(() => "killed")]);
    if (outcome === "killed") killed += 1;
    await end();
  }
  expect(killed, `seed ${random.seed}`).toBeGreaterThan(3);
  const last = await serve(dataDir);
  const receipt = await erase(last.client, subject, "erase-anna");
  expect(receipt.erased, `seed ${random.seed}`).toEqual(dry.erasure?.erased);
  await last.end();
  expect(JSON.parse(run("verify", dataDir).stdout)).toMatchObject({ clean: true, problems: [] });
  expect(run("compact", dataDir).status).toBe(0);
  expect(held(dataDir, gone)).toEqual([]);
  expect(held(dataDir, kept)).toEqual([...kept.words.keys()]);
}, 240_000);
