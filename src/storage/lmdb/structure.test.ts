// The walk over the pages of a data file finds nothing in a sound file, whatever was written to it,
// and every damage of what LMDB itself trusts: its free list, its page numbers, the order of keys.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Random, randomFrom } from "../../../test/support/random.ts";
import { makeTempDir, type TempDir } from "../../../test/support/temp-dir.ts";
import { DATA_FILE, openEnvironment } from "./environment.ts";
import { checkStructure } from "./structure.ts";

const PAGE = 4_096;
const HEADER = 24;
const BRANCH = 1;
const LEAF = 2;

let temporary: TempDir;
let sound: Buffer;

beforeAll(async () => {
  temporary = await makeTempDir();
  await churn(join(temporary.path, "sound"), randomFrom(1), 4);
  sound = readFileSync(join(temporary.path, "sound", DATA_FILE));
});

afterAll(async () => {
  await temporary[Symbol.asyncDispose]();
});

/** Writes, replaces and deletes values of every size, over several starts; gives what was found. */
async function churn(directory: string, random: Random, starts: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let start = 0; start < starts; start++) {
    const env = openEnvironment({ directory });
    const tables = [env.meta, env.message, env.event, env.journal, env.index];
    for (let commit = 0; commit < 40; commit++) {
      await env.root.transaction(() => {
        for (let i = random.int(0, 200); i > 0; i--) {
          const table = tables[random.int(0, 4)] ?? env.meta;
          const key = `${"k".repeat(random.int(1, 40))}${random.int(0, 3_000)}`;
          const isLarge = random.int(0, 20) === 0;
          if (random.int(0, 2) === 0) table.remove(key);
          else table.put(key, Buffer.alloc(random.int(0, isLarge ? 60_000 : 500), 7));
        }
        if (random.int(0, 9) === 0) {
          const all = [...env.index.getKeys({ start: "", limit: 2_000 })];
          for (const key of all) env.index.remove(key);
        }
      });
      if (commit % 8 === 0) found.push(checkStructure(join(directory, DATA_FILE)));
    }
    await env.root.close();
    found.push(checkStructure(join(directory, DATA_FILE)));
  }
  return found;
}

const inUse = (): number => {
  const [first, second] = [0, PAGE].map((at) => sound.readBigUInt64LE(at + HEADER + 128));
  return (second ?? 0n) > (first ?? 0n) ? PAGE : 0;
};

/** The pages of a tree, from its root on. The tree's record lies at `at`. */
function pagesOf(at: number): { readonly at: number; readonly kind: number }[] {
  const pages: { at: number; kind: number }[] = [];
  const visit = (page: number) => {
    const kind = sound.readUInt16LE(page + 18) & 3;
    pages.push({ at: page, kind });
    if (kind === BRANCH) {
      for (const node of nodesOf(page)) {
        visit((sound.readUInt32LE(node) + sound.readUInt16LE(node + 4) * 2 ** 32) * PAGE);
      }
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
const treesAt = (): number => inUse() + HEADER + 24;
const freeLeaves = () => pagesOf(treesAt()).filter(({ kind }) => kind === LEAF);
/** The records of the trees of the tables. */
const tablesAt = (): number[] =>
  pagesOf(treesAt() + 48).flatMap(({ at }) => nodesOf(at).map((node) => dataAt(node)));
const branches = () =>
  tablesAt()
    .flatMap(pagesOf)
    .filter(({ kind }) => kind === BRANCH);
const leaves = () =>
  tablesAt()
    .flatMap(pagesOf)
    .filter(({ kind }) => kind === LEAF);

/** Every place of a kind whose value LMDB trusts, and the bits of it that may be flipped. */
const TRUSTED: Record<string, () => readonly { readonly at: number; readonly bits: number }[]> = {
  "a number in the free list": () =>
    freeLeaves()
      .flatMap(({ at }) => nodesOf(at))
      .filter((node) => (sound.readUInt16LE(node + 4) & 1) === 0)
      .flatMap((node) => {
        const count = Number(sound.readBigInt64LE(dataAt(node)));
        return Array.from({ length: count }, (_, i) => dataAt(node) + 8 * (i + 1));
      })
      .map((at) => ({ at, bits: 64 })),
  "the number of a page": () => [...branches(), ...leaves()].map(({ at }) => ({ at, bits: 64 })),
  "the page that a branch leads to": () =>
    branches()
      .flatMap(({ at }) => nodesOf(at))
      .map((at) => ({ at, bits: 48 })),
  "the first byte of a key": () =>
    [...branches().map(({ at }) => nodesOf(at).slice(1)), ...leaves().map(({ at }) => nodesOf(at))]
      .flat()
      .map((node) => ({ at: keyAt(node), bits: 8 })),
};

describe("the structure of a data file", () => {
  it.each([2, 3, 4])("is sound whatever was written, seed %i", async (seed) => {
    const found = await churn(join(temporary.path, `churn-${seed}`), randomFrom(seed), 3);
    expect(found.length).toBeGreaterThan(15);
    expect(found.every((fault) => fault === undefined)).toBe(true);
  });

  it("is sound in the file that is damaged below", () => {
    const path = join(temporary.path, "whole.mdb");
    writeFileSync(path, sound);
    expect(checkStructure(path)).toBeUndefined();
  });

  it.each(Object.keys(TRUSTED))("is damaged when a bit is flipped in %s", (name) => {
    const random = randomFrom(9);
    const places = TRUSTED[name]?.() ?? [];
    expect(places.length).toBeGreaterThan(10);
    const path = join(temporary.path, "damaged.mdb");
    const silent: unknown[] = [];
    for (let i = 0; i < 30; i++) {
      const { at, bits } = places[random.int(0, places.length - 1)] ?? { at: 0, bits: 8 };
      const bit = random.int(0, bits - 1);
      const bytes = Buffer.from(sound);
      const place = at + Math.floor(bit / 8);
      bytes[place] = (bytes[place] ?? 0) ^ (1 << (bit % 8));
      writeFileSync(path, bytes);
      if (checkStructure(path) === undefined) silent.push({ at, bit });
    }
    expect(silent).toEqual([]);
  });
});
