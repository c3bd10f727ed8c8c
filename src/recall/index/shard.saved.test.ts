import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import {
  History,
  histories,
  newShard,
  queries,
} from "../../../test/support/recall/shard-history.ts";
import { SAVED_FORM } from "../rules/saved.ts";
import { readHeader, readParts, writeParts } from "../saved/file.ts";
import { searchShard } from "./search.ts";
import type { Shard } from "./shard.ts";

const OPTIONS = { header: "about this file", check: () => {} };

async function loaded(path: string): Promise<Shard> {
  const shard = newShard([1, 2]);
  await readParts(path, (read) => shard.load(read));
  return shard;
}

/** Takes out what is dead; what dies during a compaction is left to the next. */
function cleaned(shard: Shard): void {
  while (shard.hasDead) shard.compact();
}

describe("a shard that was saved and loaded", () => {
  test("answers as before, and goes on as before", async () => {
    await using temporary = await makeTempDir();
    const path = join(temporary.path, "shard");
    await fc.assert(
      fc.asyncProperty(
        ...[histories, histories, fc.array(queries, { minLength: 3, maxLength: 6 })],
        async (before, after, asked) => {
          const history = new History();
          for (const one of before) history.apply(one);
          cleaned(history.shard);
          await rm(path, { force: true });
          await writeParts(path, history.shard.saved(), OPTIONS);
          const original = history.shard;
          history.shard = await loaded(path);
          for (const query of asked) {
            expect(searchShard(history.shard, query)).toEqual(searchShard(original, query));
          }
          expect(history.shard.size(0)).toEqual({
            ...original.size(0),
            bytes: history.shard.bytes,
          });
          for (const one of after) history.apply(one);
          const rebuilt = history.rebuilt();
          for (const query of asked) {
            expect(searchShard(history.shard, query)).toEqual(searchShard(rebuilt, query));
          }
        },
      ),
      { numRuns: 40, endOnFailure: true },
    );
  });

  test("has nothing of the rows that came while it was written", async () => {
    await using temporary = await makeTempDir();
    const path = join(temporary.path, "shard");
    await fc.assert(
      fc.asyncProperty(
        ...[histories, histories, fc.array(queries, { minLength: 3, maxLength: 6 })],
        async (before, after, asked) => {
          const history = new History();
          for (const one of before) history.apply(one);
          cleaned(history.shard);
          const answers = asked.map((query) => searchShard(history.shard, query));
          const parts = history.shard.saved();
          const { changesInPlace } = history.shard;
          for (const [ref, step] of after) {
            if (step.step !== "items") continue;
            history.apply([
              { ...ref, id: `new ${ref.id}` },
              { ...step, first: 1 + history.next() },
            ]);
          }
          fc.pre(history.shard.changesInPlace === changesInPlace);
          await rm(path, { force: true });
          await writeParts(path, parts, OPTIONS);
          const shard = await loaded(path);
          expect(asked.map((query) => searchShard(shard, query))).toEqual(answers);
        },
      ),
      { numRuns: 40, endOnFailure: true },
    );
  });
});

describe("the file of a shard", () => {
  test("is refused when any bit of it is another one, or its end is missing", async () => {
    await using temporary = await makeTempDir();
    const path = join(temporary.path, "shard");
    const [history] = fc.sample(histories, { numRuns: 1 });
    const filled = new History();
    for (const one of history ?? []) filled.apply(one);
    cleaned(filled.shard);
    await writeParts(path, filled.shard.saved(), OPTIONS);
    expect(await readHeader(path)).toBe(OPTIONS.header);
    const bytes = await readFile(path);
    const damaged = join(temporary.path, "damaged");
    const places = fc.sample(fc.integer({ min: 0, max: bytes.length * 8 - 1 }), 150);
    for (const place of [...Array(160).keys(), ...places]) {
      const flipped = Buffer.from(bytes);
      flipped[place >>> 3] = (flipped[place >>> 3] ?? 0) ^ (1 << (place & 7));
      await writeFile(damaged, flipped);
      await expect(loaded(damaged), `bit ${place}`).rejects.toThrow("The file is damaged.");
    }
    for (const length of [0, 5, 12, 20, bytes.length >>> 1, bytes.length - 8, bytes.length - 1]) {
      await writeFile(damaged, bytes.subarray(0, length));
      await expect(loaded(damaged), `${length} bytes`).rejects.toThrow("The file is damaged.");
    }
    await writeFile(damaged, Buffer.concat([bytes, Buffer.alloc(1)]));
    await expect(loaded(damaged)).rejects.toThrow("The file is damaged.");
    await writeFile(damaged, Buffer.concat([bytes, bytes]));
    await expect(loaded(damaged)).rejects.toThrow("The file is damaged.");
  });

  test("keeps texts that UTF-8 cannot hold", async () => {
    await using temporary = await makeTempDir();
    const path = join(temporary.path, "texts");
    const texts = ["", "plain", "w\u00f6rter", "\ud83d", "\ude00 half", "\ud83d\ude00", '"q"'];
    await writeParts(path, [{ texts }], OPTIONS);
    const found: string[] = [];
    await readParts(path, (read) => read.texts((text) => found.push(text)));
    expect(found).toEqual(texts);
  });
});

const FIXED_TEXTS = ["Walking to Zürich's café, 12 May", "mail ann@host.example", "日本語 mill"];

describe("the form of a saved shard", () => {
  // When this fails, files of before hold something else than the index would now: raise
  // SAVED_FORM, and take over the digest.
  test("has a number that stands for these bytes of these records", () => {
    const filled = new History();
    const memory = { kind: "entity" as const, names: ["the mill"], topics: ["rain"] };
    const rest = { labels: { tone: "dry" }, metadata: { n: [1, "2", null] }, memory };
    for (const kind of ["session", "collection", "scope"] as const) {
      const records = FIXED_TEXTS.map((text) => {
        return { text, author: "Ann", role: 1 as const, timeMs: 864_000_000, ...rest };
      });
      const step = { step: "items" as const, first: 1, gaps: [], records, tail: 0 };
      filled.apply([{ kind, id: "fixed" }, step]);
    }
    cleaned(filled.shard);
    const digest = createHash("sha256");
    for (const part of filled.shard.saved()) {
      if (typeof part === "number") digest.update(`${part};`);
      else if ("pieces" in part) for (const piece of part.pieces) digest.update(piece);
      else if ("texts" in part) digest.update(JSON.stringify([...part.texts]));
      else digest.update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
    }
    expect([SAVED_FORM, digest.digest("hex").slice(0, 16)]).toEqual([4, "e3319a005d291c97"]);
  });
});
