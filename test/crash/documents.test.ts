// Kills a process that writes documents, at random moments and at named places of the code, and
// holds what its store has afterwards against what was answered: each call is there as a whole when
// it was answered, and as a whole or not at all when it was not.

import { join } from "node:path";
import { expect, test } from "vitest";
import type { Failpoint } from "../../src/kit/failpoint.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { verifyDirectory } from "../../src/store/verify/verify.ts";
import { randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { allCollections, allDocuments, type DocumentAction } from "../support/store/documents.ts";
import { readFacts } from "../support/store/plans.ts";
import { applyAction, DocumentAccount } from "./documents-account.ts";
import { live } from "./writer-life.ts";

const writer = join(import.meta.dirname, "documents-writer.ts");
const OPTIONS = { readFacts, floor: { bytes: 0 } };
const ROUNDS = 8 * TEST_DEPTH;
const FAILPOINTS = ["before-commit:5", "after-commit:9", "mid-flush:2", "mid-purge:2"] as const;

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
    for (const { documentId, payloadBytes } of documents) {
      const ref = { namespace: "default", collectionId };
      const holder = await store.readPayload(ref, documentId);
      const { length = 0 } = holder?.payload?.data ?? {};
      if (length !== payloadBytes) wrong.push(`the payload of ${documentId} has ${length} bytes`);
    }
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
    expect(await live(account, random, { writer, directory, seed, failpoint: "" })).toBe("SIGKILL");
    expect(await look(account, directory)).toEqual([]);
  }
  console.log(`documents: ${ROUNDS} rounds, ${account.answered} answered, ${account.open} open`);
  expect(account.answered).toBeGreaterThan(ROUNDS * 10);
  expect(account.open).toBeGreaterThan(ROUNDS);
});

test.for(FAILPOINTS)("a crash at %s loses no document", async (failpoint) => {
  const name = failpoint.split(":")[0] as Failpoint;
  const random = randomFrom(testSeed(`documents ${name}`));
  const account = new DocumentAccount();
  await using temporary = await makeTempDir();
  const directory = join(temporary.path, "data");
  await live(account, random, { writer, directory, seed: 1, failpoint: "" });
  expect(await look(account, directory)).toEqual([]);
  for (const seed of [2, 3]) {
    expect(await live(account, random, { writer, directory, seed, failpoint })).toBe("SIGKILL");
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
