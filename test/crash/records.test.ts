// Kills a process that writes records, at random moments and at named places of the code, and holds
// what its store has afterwards against what was answered: each transaction is there as a whole
// when it was answered, and as a whole or not at all when it was not.

import { join } from "node:path";
import { expect, test } from "vitest";
import type { Failpoint } from "../../src/kit/failpoint.ts";
import { recordDocumentIds, recordId } from "../../src/records/rules/record.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import type { DocumentPage, Store } from "../../src/store/store.ts";
import { verifyDirectory } from "../../src/store/verify/verify.ts";
import { randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { readFacts } from "../support/store/plans.ts";
import { type RecordAction, recordsIn } from "../support/store/records.ts";
import { recordsToldBy, TURNS } from "./record-turns.ts";
import { live } from "./writer-life.ts";

const writer = join(import.meta.dirname, "records-writer.ts");
const OPTIONS = { readFacts, floor: { bytes: 0 } };
const ROUNDS = 6 * TEST_DEPTH;
const FAILPOINTS = ["before-commit:5", "after-commit:9", "mid-flush:2"] as const;

/** The version and the text of records, by id. */
type Kept = ReadonlyMap<string, string>;

function applied(kept: Kept, { put, remove }: RecordAction): Kept {
  const after = new Map(kept);
  for (const name of remove) after.delete(recordId(name));
  for (const draft of put) {
    const id = recordId(draft);
    const version = Number(kept.get(id)?.split(" ")[0] ?? 0) + 1;
    const { collectionId = "", texts = [] } = draft.search ?? {};
    after.set(id, [version, draft.text, collectionId, ...texts].join(" "));
  }
  return after;
}

function textOf(kept: Kept): string {
  return [...kept]
    .map(([id, text]) => `${id}: ${text}`)
    .sort()
    .join("\n");
}

/** Expected records by the first segment of their paths. */
class RecordAccount {
  readonly #kept = new Map<string, Kept>();
  readonly #intended = new Map<string, RecordAction>();
  answered = 0;
  /** Number of calls without an answer when the writer was killed. */
  open = 0;

  intend(action: RecordAction): void {
    this.#intended.set(action.sessionId, action);
  }

  answer(first: string): void {
    const action = this.#intended.get(first);
    if (action === undefined) throw new Error("An answer to no call.");
    this.#kept.set(first, applied(this.#of(first), action));
    this.#intended.delete(first);
    this.answered += 1;
  }

  /** Holds what is stored against what is known, and goes on from it; says what is wrong. */
  check(stored: Kept): readonly string[] {
    const firsts = new Set([...this.#kept.keys(), ...this.#intended.keys()]);
    const wrong: string[] = [];
    for (const first of firsts) {
      const isOf = ([id]: readonly [string, string]) => id.split("\0")[0] === first;
      const found = new Map([...stored].filter(isOf));
      const action = this.#intended.get(first);
      const before = this.#of(first);
      const known = action === undefined ? [before] : [before, applied(before, action)];
      this.open += action === undefined ? 0 : 1;
      this.#intended.delete(first);
      this.#kept.set(first, found);
      if (known.some((one) => textOf(one) === textOf(found))) continue;
      const word = found.size < before.size ? "LOST" : "WRONG";
      wrong.push(`${word} records of ${first}: ${found.size} where ${before.size} were answered`);
    }
    return wrong;
  }

  #of(first: string): Kept {
    return this.#kept.get(first) ?? new Map();
  }
}

/** The texts of the documents of all collections, by id. */
async function documentsIn(store: Store): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { collectionId } of await store.listCollections({
    namespace: "default",
    after: "",
    limit: 9,
  })) {
    let after: number | undefined = 0;
    while (after !== undefined) {
      const query = { namespace: "default", collectionId, after, limit: 1_000 };
      const page: DocumentPage = await store.listDocuments(query);
      for (const { bytes, documentId } of page.documents) {
        texts.set(documentId, Buffer.from(bytes).toString());
      }
      after = page.next;
    }
  }
  return texts;
}

/** Opens what was left and holds it against the account. */
async function look(account: RecordAccount, directory: string): Promise<readonly string[]> {
  const { problems } = await verifyDirectory(directory);
  const store = await openLmdbStore({ directory, ...OPTIONS });
  const records = await recordsIn(store);
  const documents = await documentsIn(store);
  const told = await recordsToldBy(store);
  await store.close();
  const textIn = (value: Uint8Array | undefined) => Buffer.from(value ?? []).toString();
  const ofTurns = records.filter(({ path }) => path[0] === TURNS);
  const isTold = ofTurns.every((record) => told.get(recordId(record)) === textIn(record.value));
  const stored = records.map((record) => {
    const ids = recordDocumentIds(record);
    const texts = ids.map((id) => documents.get(id) ?? "missing");
    const { search, value, version } = record;
    const words = [version, textIn(value), search?.collectionId ?? "", ...texts];
    for (const id of ids) documents.delete(id);
    return [recordId(record), words.join(" ")] as const;
  });
  return [
    ...problems.map(({ kind, examples }) => `verify: ${kind} ${examples[0]}`),
    ...account.check(new Map(stored)),
    ...[...documents.keys()].map((id) => `LEFT: ${id} belongs to no record`),
    ...(isTold && ofTurns.length === told.size ? [] : ["an append and its records are not one"]),
  ];
}

test("no acknowledged record is lost by SIGKILL at random moments", {
  timeout: 600_000 * TEST_DEPTH,
}, async () => {
  const random = randomFrom(testSeed("records sigkill"));
  const account = new RecordAccount();
  await using temporary = await makeTempDir();
  const directory = join(temporary.path, "data");
  for (let seed = 1; seed <= ROUNDS; seed++) {
    expect(await live(account, random, { writer, directory, seed, failpoint: "" })).toBe("SIGKILL");
    expect(await look(account, directory)).toEqual([]);
  }
  console.log(`records: ${ROUNDS} rounds, ${account.answered} answered, ${account.open} open`);
  expect(account.answered).toBeGreaterThan(ROUNDS * 10);
  expect(account.open).toBeGreaterThan(ROUNDS);
});

test.for(FAILPOINTS)("a crash at %s loses no record", async (failpoint) => {
  const name = failpoint.split(":")[0] as Failpoint;
  const random = randomFrom(testSeed(`records ${name}`));
  const account = new RecordAccount();
  await using temporary = await makeTempDir();
  const directory = join(temporary.path, "data");
  await live(account, random, { writer, directory, seed: 1, failpoint: "" });
  expect(await look(account, directory)).toEqual([]);
  for (const seed of [2, 3]) {
    expect(await live(account, random, { writer, directory, seed, failpoint })).toBe("SIGKILL");
    expect(await look(account, directory)).toEqual([]);
  }
});

test("the account tells of what is lost, torn, changed, or back from the dead", () => {
  const base = { kind: "records", namespace: "default", sessionId: "p", nowMs: 1 } as const;
  const put = ["a", "b"].map((key) => ({ path: ["p"], key, text: key }));
  const made: RecordAction = { ...base, put, remove: [] };
  const clear: RecordAction = { ...base, put: [], remove: put };
  const all = applied(new Map(), made);
  const told = (stored: Kept, answered: boolean, ...actions: readonly RecordAction[]): string => {
    const account = new RecordAccount();
    for (const action of actions) {
      account.intend(action);
      if (answered) account.answer("p");
    }
    return account.check(stored).join();
  };
  const half = new Map([...all].slice(0, 1));
  const changed = new Map([...all].map(([id, text]) => [id, `${text}.`]));
  expect(told(all, true, made)).toBe("");
  expect(told(all, false, made)).toBe("");
  expect(told(new Map(), false, made)).toBe("");
  expect(told(new Map(), true, made)).toContain("LOST");
  expect(told(half, true, made)).toContain("LOST");
  expect(told(half, false, made)).toContain("WRONG");
  expect(told(changed, true, made)).toContain("WRONG");
  expect(told(all, true, made, clear)).toContain("WRONG");
  expect(told(new Map(), true, made, clear)).toBe("");
});
