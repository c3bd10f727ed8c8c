// Kills a process that writes documents, at random moments and at named places of the code, and
// holds what its store has afterwards against what was answered: each call is there as a whole when
// it was answered, and as a whole or not at all when it was not.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import type { Failpoint } from "../../src/kit/failpoint.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { verifyDirectory } from "../../src/store/verify/verify.ts";
import { type Random, randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { allCollections, allDocuments, type DocumentAction } from "../support/store/documents.ts";
import { readFacts } from "../support/store/plans.ts";
import { applyAction, DocumentAccount } from "./documents-account.ts";

const WRITER = join(import.meta.dirname, "documents-writer.ts");
const OPTIONS = { readFacts, floor: { bytes: 0 } };
const ROUNDS = 8 * TEST_DEPTH;
const LIFE_MS = 30_000;
const FAILPOINTS = ["before-commit:5", "after-commit:9", "mid-flush:2", "mid-purge:2"] as const;

type Line =
  | { readonly intended: DocumentAction }
  | { readonly answered: { readonly sessionId: string; readonly saved: boolean } };

interface Kill {
  readonly directory: string;
  readonly seed: number;
  readonly failpoint: string;
}

/** One life of the writer. Without a failpoint it is killed after some answers. Gives its end. */
async function live(account: DocumentAccount, random: Random, kill: Kill): Promise<string> {
  const args = [WRITER, kill.directory, String(kill.seed), kill.failpoint];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exit = new Promise<string>((resolve) => {
    child.on("close", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const lines = createInterface({ input: child.stdout });
  // A slow machine must show something, too: so the kill waits for some answers first.
  const enough = account.answered + random.int(1, 60);
  let isTooLong = false;
  const limit = setTimeout(() => {
    isTooLong = true;
    child.kill("SIGKILL");
  }, LIFE_MS);
  let isKilled = kill.failpoint !== "";
  let torn = false;
  for await (const text of lines) {
    if (torn) throw new Error("a line in the middle is no JSON");
    const line = lineOf(text);
    // The kill may cut off the last line. What it tells of was not begun, or not answered: if it
    // was done all the same, the account finds it.
    torn = line === undefined;
    if (line === undefined) continue;
    if ("intended" in line) account.intend(line.intended);
    else account.answer(line.answered.sessionId);
    if (!isKilled && account.answered >= enough) {
      isKilled = true;
      setTimeout(() => child.kill("SIGKILL"), random.int(0, 40));
    }
  }
  clearTimeout(limit);
  return isTooLong ? "reached no end" : await exit;
}

/** A line of the writer; undefined when it is cut off. */
function lineOf(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

/** Opens what was left, holds it against the account and goes on from what is there. */
async function look(account: DocumentAccount, directory: string): Promise<readonly string[]> {
  const report = await verifyDirectory(directory);
  const store = await openLmdbStore({ directory, ...OPTIONS });
  const wrong = report.problems.map(({ kind, examples }) => `verify: ${kind} ${examples[0]}`);
  const listed = await allCollections(store, "default");
  for (const collectionId of account.collectionIds()) {
    const documents = await allDocuments(store, { namespace: "default", collectionId }, 50);
    const count = listed.find((one) => one.collectionId === collectionId)?.documentCount ?? 0;
    if (count !== documents.length) wrong.push(`${collectionId} counts ${count}`);
    wrong.push(...account.check(collectionId, documents));
  }
  await store.close();
  return wrong;
}

test("no acknowledged document is lost by SIGKILL at random moments", {
  timeout: 600_000 * TEST_DEPTH,
}, async () => {
  const random = randomFrom(testSeed("documents sigkill"));
  const account = new DocumentAccount();
  await using temporary = await makeTempDir();
  const directory = join(temporary.path, "data");
  for (let seed = 1; seed <= ROUNDS; seed++) {
    expect(await live(account, random, { directory, seed, failpoint: "" })).toBe("SIGKILL");
    expect(await look(account, directory)).toEqual([]);
  }
  console.log(`documents: ${ROUNDS} rounds, ${account.answered} answered, ${account.open} open`);
  expect(account.answered).toBeGreaterThan(ROUNDS * 10);
  expect(account.open).toBeGreaterThan(ROUNDS);
});

test.for(FAILPOINTS)("a crash at %s loses no document", { timeout: 120_000 }, async (failpoint) => {
  const name = failpoint.split(":")[0] as Failpoint;
  const random = randomFrom(testSeed(`documents ${name}`));
  const account = new DocumentAccount();
  await using temporary = await makeTempDir();
  const directory = join(temporary.path, "data");
  await live(account, random, { directory, seed: 1, failpoint: "" });
  expect(await look(account, directory)).toEqual([]);
  for (const seed of [2, 3]) {
    expect(await live(account, random, { directory, seed, failpoint })).toBe("SIGKILL");
    expect(await look(account, directory)).toEqual([]);
  }
});

test("the account tells of what is lost, torn, changed, or back from the dead", async () => {
  const base = { kind: "documents", namespace: "default", sessionId: "c", nowMs: 1 } as const;
  const nothing = { put: [], remove: [], removeChunks: [], clear: false };
  const put = ["a", "b"].map((documentId) => ({ documentId, text: documentId }));
  const made = { ...base, ...nothing, put };
  const state = applyAction({ next: 1, documents: new Map() }, made);
  const seen = [...state.documents.values()];
  const told = (documents: typeof seen, answered = true, also?: DocumentAction): string => {
    const account = new DocumentAccount();
    account.intend(made);
    if (answered) account.answer("c");
    if (also !== undefined) account.intend(also);
    if (also !== undefined && answered) account.answer("c");
    return account.checkShort("c", documents).join();
  };
  expect(told(seen)).toBe("");
  expect(told([], false)).toBe("");
  expect(told(seen, false)).toBe("");
  expect(told(seen.slice(0, 1), false)).not.toBe("");
  expect(told(seen.slice(0, 1))).toContain("LOST");
  expect(told([])).toContain("LOST");
  expect(told(seen.map((one) => `${one}.`))).not.toBe("");
  expect(told(seen, true, { ...base, ...nothing, clear: true })).not.toBe("");
  expect(told([], true, { ...base, ...nothing, clear: true })).toBe("");
});
