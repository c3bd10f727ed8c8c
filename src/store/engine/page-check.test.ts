// The check of a data file's pages finds nothing in a sound file, whatever was written to it, and
// every damage of what LMDB itself trusts. It ends with a report whatever the bytes are.

import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Random, randomFrom, TEST_DEPTH, testSeed } from "../../../test/support/kit/random.ts";
import { makeTempDir, type TempDir } from "../../../test/support/kit/temp-dir.ts";
import { DATA_FILE, openEnvironment } from "./environment.ts";
import { checkPages, type PageReport } from "./page-check.ts";

const PAGE = 4_096;
const HEADER = 24;
const BRANCH = 1;
const LEAF = 2;
const FREE_LIST = HEADER + 24;
const TABLES = FREE_LIST + 48;

let temporary: TempDir;
let path: string;
let sound: Buffer;

beforeAll(async () => {
  temporary = await makeTempDir();
  path = join(temporary.path, "damaged.mdb");
  await churn(join(temporary.path, "sound"), randomFrom(1), 1);
  sound = readFileSync(join(temporary.path, "sound", DATA_FILE));
});

afterAll(async () => {
  await temporary[Symbol.asyncDispose]();
});

/** Writes, replaces and deletes values of every size, over several starts; gives what was found. */
async function churn(directory: string, random: Random, starts: number): Promise<PageReport[]> {
  const found: PageReport[] = [];
  const file = join(directory, DATA_FILE);
  for (let start = 0; start < starts; start++) {
    const env = openEnvironment({ directory });
    const tables = [env.meta, env.message, env.event, env.journal, env.index];
    const readers: { done(): void }[] = [];
    for (let commit = 0; commit < 40; commit++) {
      await env.root.transaction(() => {
        for (let i = random.int(0, 200); i > 0; i--) {
          const table = tables[random.int(0, 4)] ?? env.meta;
          const key = `${"k".repeat(random.int(1, 40))}${random.int(0, 3_000)}`;
          const isLarge = random.int(0, 20) === 0;
          if (random.int(0, 2) === 0) table.remove(key);
          else table.put(key, Buffer.alloc(random.int(0, isLarge ? 60_000 : 500), 7));
          // A large value that is replaced by a smaller one at once keeps its pages.
          if (isLarge) table.put(key, Buffer.alloc(random.int(0, 20_000), 7));
        }
        if (random.int(0, 9) === 0) {
          const all = [...env.index.getKeys({ start: "", limit: 2_000 })];
          for (const key of all) env.index.remove(key);
        }
      });
      if (random.chance(0.1)) readers.push(env.root.useReadTransaction());
      if (random.chance(0.1)) readers.shift()?.done();
      if (commit % 8 === 0) found.push(checkPages(file));
    }
    for (const reader of readers) reader.done();
    await env.root.close();
    found.push(checkPages(file));
  }
  return found;
}

/** Places of the header in use and of the other one. */
const metas = (): [number, number] => {
  const [first = 0n, second = 0n] = [0, PAGE].map((at) => sound.readBigUInt64LE(at + 152));
  return second > first ? [PAGE, 0] : [0, PAGE];
};

/** The pages of a tree, from its root on. The tree's record lies at `at`. */
function pagesOf(at: number): { readonly at: number; readonly kind: number }[] {
  const pages: { at: number; kind: number }[] = [];
  const visit = (page: number) => {
    const kind = sound.readUInt16LE(page + 18) & 3;
    pages.push({ at: page, kind });
    if (kind !== BRANCH) return;
    for (const node of nodesOf(page)) {
      visit((sound.readUInt32LE(node) + sound.readUInt16LE(node + 4) * 2 ** 32) * PAGE);
    }
  };
  visit(Number(sound.readBigUInt64LE(at + 40)) * PAGE);
  return pages;
}

function nodesOf(page: number): number[] {
  const count = sound.readUInt16LE(page + 20) / 2;
  const offset = (_: unknown, i: number) => sound.readUInt16LE(page + HEADER + 2 * i);
  return Array.from({ length: count }, offset).map((at) => page + HEADER + at);
}

const keyAt = (node: number): number => node + 8;
const dataAt = (node: number): number => node + 8 + sound.readUInt16LE(node + 6);
const isLargeAt = (node: number): boolean => (sound.readUInt16LE(node + 4) & 1) !== 0;
/** The records of the trees of the tables. */
const tablesAt = (): number[] =>
  pagesOf(metas()[0] + TABLES).flatMap(({ at }) => nodesOf(at).map((node) => dataAt(node)));
const pagesOfTables = (kind: number) =>
  tablesAt()
    .flatMap(pagesOf)
    .filter((page) => page.kind === kind)
    .map(({ at }) => at);
const branches = () => pagesOfTables(BRANCH);
const leaves = () => pagesOfTables(LEAF);
const freeNodes = () =>
  pagesOf(metas()[0] + FREE_LIST)
    .filter(({ kind }) => kind === LEAF)
    .flatMap(({ at }) => nodesOf(at));
const largeNodes = () => leaves().flatMap(nodesOf).filter(isLargeAt);

/** Bits of the file, from the lowest of the byte at `at` on. */
interface Place {
  readonly at: number;
  readonly bits: number;
}

const bytes = (ats: readonly number[], count: number): Place[] =>
  ats.map((at) => ({ at, bits: count * 8 }));

/** Every place of a kind whose value LMDB trusts. */
const TRUSTED: Record<string, () => readonly Place[]> = {
  "a header of the file": () =>
    metas().flatMap((at) => [
      ...bytes([at], 8),
      ...bytes([at + 18], 2),
      ...bytes([at + HEADER], 8),
      ...bytes([at + HEADER + 24], 4),
      ...bytes([at + HEADER + 128], 8),
    ]),
  "the last page of the file": () => bytes([metas()[0] + HEADER + 120], 8),
  "the record of a tree": () =>
    [metas()[0] + FREE_LIST, metas()[0] + TABLES, ...tablesAt()].flatMap((at) =>
      bytes([at + 4], 44),
    ),
  "a number in the free list": () =>
    freeNodes()
      .filter((node) => !isLargeAt(node))
      .flatMap((node) => {
        const count = Number(sound.readBigInt64LE(dataAt(node)));
        return bytes(
          Array.from({ length: count }, (_, i) => dataAt(node) + 8 * (i + 1)),
          8,
        );
      }),
  "the length of a free list": () => bytes(freeNodes().map(dataAt), 8),
  "the number of a page": () => bytes([...branches(), ...leaves()], 8),
  // A lower number is one that an older page may have.
  "the upper bits of a page's transaction": () =>
    bytes(
      [...branches(), ...leaves()].map((at) => at + 10),
      6,
    ),
  "the kind of a page": () =>
    bytes(
      [...branches(), ...leaves()].map((at) => at + 18),
      2,
    ),
  "the free space of a page": () =>
    bytes(
      [...branches(), ...leaves()].map((at) => at + 20),
      4,
    ),
  "the place of a node": () =>
    [...branches(), ...leaves()].flatMap((at) =>
      bytes(
        nodesOf(at).map((_, i) => at + HEADER + 2 * i),
        2,
      ),
    ),
  // The lowest bit may fall on the byte that fills up a node; the record's checksum sees that.
  "the upper bits of a key's length": () =>
    bytes(
      [...branches(), ...leaves()].flatMap(nodesOf).map((at) => at + 7),
      1,
    ),
  "the upper bits of a value's length": () =>
    bytes(
      leaves()
        .flatMap(nodesOf)
        .map((at) => at + 2),
      2,
    ),
  "the page that a branch leads to": () => bytes(branches().flatMap(nodesOf), 6),
  "the pages of a large value": () => bytes(largeNodes().map(dataAt), 24),
  "the header of a large value": () =>
    bytes(
      largeNodes().map((node) => Number(sound.readBigUInt64LE(dataAt(node))) * PAGE),
      16,
    ),
  // A key at the end of a table may change without leaving the order: records tell by their
  // checksum.
  "the first byte of a key": () => {
    const named = branches().map((at) => nodesOf(at).slice(1));
    const inner = leaves().map((at) => nodesOf(at).slice(1, -1));
    return bytes([...named, ...inner].flat().map(keyAt), 1);
  },
};

/** The sound file with one bit flipped. */
function flipped({ at, bits }: Place, random: Random): Buffer {
  const bit = random.int(0, bits - 1);
  const damaged = Buffer.from(sound);
  const place = at + Math.floor(bit / 8);
  damaged[place] = (damaged[place] ?? 0) ^ (1 << (bit % 8));
  return damaged;
}

function check(damaged: Buffer): PageReport {
  writeFileSync(path, damaged);
  return checkPages(path);
}

describe("the pages of a data file", () => {
  test.each([2, 3, 4])("are sound whatever was written, seed %i", async (seed) => {
    const found = await churn(join(temporary.path, `churn-${seed}`), randomFrom(seed), 3);
    expect(found.length).toBeGreaterThan(15);
    for (const { problems, isWhole } of found)
      expect({ problems, isWhole }).toEqual({ problems: [], isWhole: true });
  });

  test("are sound in the file that is damaged below", () => {
    expect(check(sound)).toMatchObject({ problems: [], lost: undefined, isWhole: true });
    expect(largeNodes().length).toBeGreaterThan(5);
  });

  test.each(Object.keys(TRUSTED))("are damaged when a bit is flipped in %s", (name) => {
    const random = randomFrom(testSeed(name));
    const places = TRUSTED[name]?.() ?? [];
    const silent: unknown[] = [];
    for (let i = 0; i < 30 * TEST_DEPTH; i++) {
      const place = random.pick(places);
      const { problems, lost } = check(flipped(place, random));
      if (problems.length === 0 && lost === undefined) silent.push(place);
    }
    expect(silent).toEqual([]);
  });

  test("are lost, not damaged, when the free list forgets some of them", () => {
    const node = freeNodes().find((at) => !isLargeAt(at) && sound.readBigInt64LE(dataAt(at)) > 2n);
    const damaged = Buffer.from(sound);
    damaged.writeBigInt64LE(1n, dataAt(node ?? 0));
    const { problems, lost } = check(damaged);
    expect(problems).toEqual([]);
    expect(lost?.kind).toBe("pages are neither in use nor free");
  });

  test("above the leaves are enough to see that a leaf is listed as free", () => {
    const node = freeNodes().find((at) => !isLargeAt(at) && sound.readBigInt64LE(dataAt(at)) > 0n);
    const damaged = Buffer.from(sound);
    const leaf = leaves()[0] ?? 0;
    damaged.writeBigInt64LE(1n, dataAt(node ?? 0));
    damaged.writeBigInt64LE(BigInt(leaf / PAGE), dataAt(node ?? 0) + 8);
    writeFileSync(path, damaged);
    const { problems, isWhole, pageCount } = checkPages(path, { pages: "top" });
    expect(problems).toEqual([
      { kind: "a page in use is listed as free", count: 1, examples: [`page ${leaf / PAGE}`] },
    ]);
    expect(isWhole).toBe(false);
    expect(pageCount).toBeLessThan(leaves().length);
  });

  test("are not all looked at when the time is over", () => {
    writeFileSync(path, sound);
    let asked = 0;
    const report = checkPages(path, { isOver: () => ++asked > 10 });
    expect(report).toMatchObject({ problems: [], isWhole: false });
    expect(report.pageCount).toBeLessThan(leaves().length);
  });
});

/** Ways to spoil a file. */
const SPOILS: Record<string, (random: Random, damaged: Buffer) => void> = {
  "bits are flipped": (random, damaged) => {
    for (let i = random.int(1, 200); i > 0; i--) {
      const at = random.int(0, damaged.length - 1);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << random.int(0, 7));
    }
  },
  "headers of pages are noise": (random, damaged) => {
    for (let i = random.int(1, 20); i > 0; i--) {
      const at = random.int(0, damaged.length / PAGE - 1) * PAGE;
      for (let byte = 0; byte < 64; byte++) damaged[at + byte] = random.int(0, 255);
    }
  },
  "numbers are huge": (random, damaged) => {
    for (let i = random.int(1, 40); i > 0; i--) {
      const at = random.int(0, damaged.length / 8 - 1) * 8;
      damaged.writeBigInt64LE(random.pick([-1n, 2n ** 62n, -(2n ** 40n), 2n ** 31n, 1n]), at);
    }
  },
  "pages are copies of others": (random, damaged) => {
    for (let i = random.int(1, 20); i > 0; i--) {
      const [to, from] = [0, 0].map(() => random.int(0, damaged.length / PAGE - 1) * PAGE);
      damaged.copyWithin(to ?? 0, from ?? 0, (from ?? 0) + PAGE);
    }
  },
  "everything is noise": (random, damaged) => {
    for (let at = 0; at < damaged.length; at += 4)
      damaged.writeUInt32LE(random.int(0, 2 ** 32 - 1), at);
  },
};

test.each(Object.keys(SPOILS))("a file where %s gives a report", (name) => {
  const random = randomFrom(testSeed(name));
  const rounds = 40 * TEST_DEPTH;
  let noticed = 0;
  for (let i = 0; i < rounds; i++) {
    const damaged = Buffer.from(sound);
    SPOILS[name]?.(random, damaged);
    const { problems, pageCount } = check(damaged);
    if (random.chance(0.3)) truncateSync(path, random.int(0, damaged.length));
    expect(checkPages(path).pageCount).toBeLessThanOrEqual(damaged.length / PAGE);
    expect(pageCount).toBeLessThanOrEqual(damaged.length / PAGE);
    if (problems.length > 0) noticed++;
  }
  expect(noticed).toBeGreaterThan(0);
});
