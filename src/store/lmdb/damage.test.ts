// Damages the files of a store in every way that disks and people do. Whatever was damaged, a
// server must not die of it, and must not give a shorter or another answer: it gives the whole one
// or says that something is damaged or not found. And verify must find every damage that a reader
// can notice.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Random, randomFrom } from "../../../test/support/kit/random.ts";
import { makeTempDir, type TempDir } from "../../../test/support/kit/temp-dir.ts";
import { changeDocuments, saveVectors } from "../../../test/support/store/documents.ts";
import { appendPlan, workOf } from "../../../test/support/store/lmdb-load.ts";
import { readFacts, START_MS } from "../../../test/support/store/plans.ts";
import { changeRecords } from "../../../test/support/store/records.ts";
import { work } from "../../../test/support/store/work.ts";
import { openEnvironment } from "../engine/environment.ts";
import { u64 } from "../engine/keys.ts";
import type { Store } from "../store.ts";
import { ENTRY, SESSION_NAME } from "../tables/session-tables.ts";
import { verifyDirectory } from "../verify/verify.ts";
import { openLmdbStore } from "./store.ts";

const READER = new URL("../../../test/support/store/lmdb-reader.ts", import.meta.url).pathname;
const FACTS = new URL("../../../test/support/store/plans.ts", import.meta.url);
const PAGE = 4_096;

let temporary: TempDir;
let golden = "";
let whole = "";

interface Outcome {
  readonly read?: unknown;
  readonly refused?: string;
  readonly message?: string;
}

async function readStore(directory: string): Promise<{ outcome: Outcome; signal: string | null }> {
  const child = spawn(process.execPath, [READER, directory], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  return { outcome: signal === null ? (JSON.parse(output) as Outcome) : {}, signal };
}

/** Writes documents, and vectors of one of them and of a message. */
async function writeDocuments(store: Store, random: Random, i: number): Promise<void> {
  const size = i % 40 === 0 ? 9_000 : random.int(0, 300);
  const put = [0, 1, 2].map((n) => {
    const id = `d${random.int(0, 30)}-${n}`;
    return { documentId: id, text: "x".repeat(size), sourceId: `s${n}`, dimensions: n + 1 };
  });
  const collection = { namespace: "default", sessionId: `c${i % 3}` };
  const nothing = { remove: [], removeChunks: [], clear: false, nowMs: START_MS + i };
  const action = { kind: "documents", ...collection, put, ...nothing } as const;
  const { nextDocumentNo } = await changeDocuments(store, action);
  const { sessionId: collectionId } = collection;
  const document = { kind: "document", namespace: "default", collectionId } as const;
  const message = { kind: "message", namespace: "default", sessionId: `s${i % 20}` } as const;
  const places = [
    { ...document, documentNo: nextDocumentNo },
    { ...message, seq: 1 },
  ];
  const drafts = places.map((place) => ({ place, model: "m", count: 2, stale: false }));
  await saveVectors(store, { kind: "vectors", drafts });
}

/** Writes some records, and deletes one. */
async function writeRecords(store: Store, random: Random, i: number): Promise<void> {
  const named = () => ({ path: ["p", `q${i % 3}`], key: `k${random.int(0, 30)}` });
  const text = "x".repeat(i % 40 === 4 ? 9_000 : random.int(0, 300));
  const put = [{ ...named(), text, ttlMs: 1_000 }];
  const base = { namespace: "default", sessionId: "", nowMs: START_MS + i };
  await changeRecords(store, { kind: "records", ...base, put, remove: [named()] });
}

beforeAll(async () => {
  temporary = await makeTempDir();
  golden = join(temporary.path, "golden");
  const store = await openLmdbStore({ directory: golden, readFacts, floor: { bytes: 0 } });
  const random = randomFrom(7);
  for (let i = 0; i < 400; i++) {
    const ref = { namespace: "default", sessionId: `s${i % 20}` };
    const text = "x".repeat(i % 50 === 0 ? 9_000 : random.int(0, 300));
    await store.changeSession(ref, (view) => {
      return { kind: "save", result: undefined, plan: appendPlan(ref, view, text) };
    });
    if (i % 3 === 0) await work(store, workOf(ref, random));
    if (i % 8 === 0) await writeDocuments(store, random, i);
    if (i % 8 === 4) await writeRecords(store, random, i);
  }
  await store.close();
  const { outcome } = await readStore(golden);
  whole = JSON.stringify(outcome.read);
  expect(whole.length).toBeGreaterThan(10_000);
});

afterAll(async () => {
  await temporary[Symbol.asyncDispose]();
});

let copies = 0;

function damagedCopy(damage: (file: string) => void): string {
  const directory = join(temporary.path, `copy-${++copies}`);
  mkdirSync(directory);
  cpSync(golden, directory, { recursive: true });
  damage(join(directory, "data.mdb"));
  return directory;
}

function rewrite(file: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  change(bytes);
  writeFileSync(file, bytes);
}

const somePage = (random: Random, bytes: Buffer): number =>
  random.int(2, Math.floor(bytes.length / PAGE) - 1) * PAGE;

const DAMAGES: Record<string, (file: string, random: Random) => void> = {
  "one bit is flipped": (file, random) =>
    rewrite(file, (bytes) => {
      const at = random.int(2 * PAGE, bytes.length - 1);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.int(0, 7));
    }),
  "40 bytes are changed": (file, random) =>
    rewrite(file, (bytes) => {
      for (let i = 0; i < 40; i++) {
        bytes[random.int(2 * PAGE, bytes.length - 1)] = random.int(0, 255);
      }
    }),
  "a page is zeros": (file, random) =>
    rewrite(file, (bytes) => {
      const at = somePage(random, bytes);
      bytes.fill(0, at, at + PAGE);
    }),
  "a page is noise": (file, random) =>
    rewrite(file, (bytes) => {
      const at = somePage(random, bytes);
      for (let i = 0; i < PAGE; i++) {
        bytes[at + i] = random.int(0, 255);
      }
    }),
  "two pages are swapped": (file, random) =>
    rewrite(file, (bytes) => {
      const [a, b] = [somePage(random, bytes), somePage(random, bytes)];
      const page = Buffer.from(bytes.subarray(a, a + PAGE));
      bytes.copy(bytes, a, b, b + PAGE);
      page.copy(bytes, b);
    }),
  "the end is cut off": (file, random) => {
    const { length } = readFileSync(file);
    truncateSync(file, random.int(1, length - 1));
  },
  "the header is zeros": (file) => rewrite(file, (bytes) => bytes.fill(0, 0, 2 * PAGE)),
  "one header is zeros": (file) => rewrite(file, (bytes) => bytes.fill(0, 0, PAGE)),
  "it is cut to 4,097 bytes": (file) => truncateSync(file, 4_097),
};

const SEEDS = [1, 2, 3, 4];

describe("a damaged data file", () => {
  test.each(Object.keys(DAMAGES))(
    "where %s is answered whole or not at all",
    async (name) => {
      let noticed = 0;
      for (const seed of SEEDS) {
        const damage = DAMAGES[name];
        const directory = damagedCopy((file) => damage?.(file, randomFrom(seed * 1_000)));
        const report = await verifyDirectory(directory, { factsModule: FACTS });
        const { outcome, signal } = await readStore(directory);
        expect([name, seed, signal]).toEqual([name, seed, null]);
        const isWhole = outcome.read !== undefined && JSON.stringify(outcome.read) === whole;
        const isRefused = outcome.refused !== undefined;
        expect([name, seed, isWhole || isRefused]).toEqual([name, seed, true]);
        if (isRefused) {
          noticed++;
          expect([name, seed, report.clean]).toEqual([name, seed, false]);
        }
        rmSync(directory, { recursive: true });
      }
      console.log(`${name}: ${noticed} of ${SEEDS.length} noticed by a reader`);
    },
    120_000,
  );

  test("does not hide a record that is gone", async () => {
    for (const table of ["message", "event", "index", "journal"] as const) {
      const directory = join(temporary.path, `copy-${++copies}`);
      cpSync(golden, directory, { recursive: true });
      await removeOne(directory, table);
      const report = await verifyDirectory(directory, { factsModule: FACTS });
      expect([table, report.clean]).toEqual([table, false]);
      const { outcome } = await readStore(directory);
      expect([table, outcome.refused]).toEqual([table, "RECORD_CORRUPT"]);
    }
  });
});

test("says of a session whose key is damaged that it is not found, and verify sees it", async () => {
  const directory = damagedCopy(() => {});
  const env = openEnvironment({ directory });
  await env.index.remove(SESSION_NAME.key("default", "s19"));
  await env.root.close();
  expect((await verifyDirectory(directory, { factsModule: FACTS })).clean).toBe(false);
  expect((await readStore(directory)).outcome.refused).toBe("SESSION_NOT_FOUND");
});

// Removes one record from the middle of a table, as if it had been lost.
async function removeOne(
  directory: string,
  table: "message" | "event" | "index" | "journal",
): Promise<void> {
  const env = openEnvironment({ directory });
  const start = table === "index" ? ENTRY.id : u64(0);
  const end = table === "index" ? ENTRY.key(Number.MAX_SAFE_INTEGER, 0) : "\xff".repeat(9);
  const keys = [...env[table].getKeys({ start, end })];
  await env[table].remove(keys[keys.length >>> 1] ?? "");
  await env.root.close();
}
