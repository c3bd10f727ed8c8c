// The copy of a transaction's pages holds every record of it, nothing else, and is a data file that
// LMDB goes on with.

import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Random, randomFrom } from "../../../test/support/kit/random.ts";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { copyPages } from "./copy-pages.ts";
import { seal } from "./envelope.ts";
import { DATA_FILE, type Environment, openEnvironment } from "./environment.ts";
import { checkPages } from "./page-check.ts";
import { readMeta } from "./page-format.ts";

const ERASED = "erased-words-that-must-not-be-copied";

/** Copies the newest transaction of a directory into another one. */
function copyInto(directory: string, target: string): void {
  const file = openSync(join(directory, DATA_FILE), "r");
  try {
    const meta = readMeta(file);
    if (typeof meta === "string") throw new Error(meta);
    const { bytes, chunks } = copyPages(file, meta);
    const parts = [...pieces(chunks)];
    mkdirSync(target, { recursive: true });
    const copy = Buffer.concat(parts);
    expect(copy.length).toBe(bytes);
    writeFileSync(join(target, DATA_FILE), copy);
  } finally {
    closeSync(file);
  }
}

function* pieces(chunks: Iterable<Buffer>): Generator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function churn(env: Environment, random: Random): Promise<void> {
  const tables = [env.meta, env.message, env.event, env.journal, env.index];
  for (let commit = 0; commit < 25; commit++) {
    await env.root.transaction(() => {
      for (let i = random.int(0, 200); i > 0; i--) {
        const table = tables[random.int(0, 4)] ?? env.meta;
        const key = `${"k".repeat(random.int(1, 40))}${random.int(0, 2_000)}`;
        const size = random.int(0, random.int(0, 20) === 0 ? 400_000 : 500);
        if (random.int(0, 2) === 0) table.remove(key);
        else table.put(key, seal(key, Buffer.alloc(size, `${commit} `)));
      }
    });
  }
}

function dump(env: Environment): string[] {
  return [env.meta, env.message, env.event, env.journal, env.index].flatMap((table) => [
    "table",
    ...[...table.getRange({ start: "\0" })].map(
      ({ key, value }) => `${key} ${value.toString("base64")}`,
    ),
  ]);
}

describe("a copy of pages", () => {
  test.each([1, 2, 3])("holds every record and can be written to, seed %i", async (seed) => {
    await using temporary = await makeTempDir();
    const [source, target] = [join(temporary.path, "source"), join(temporary.path, "target")];
    const random = randomFrom(seed);
    const env = openEnvironment({ directory: source });
    await churn(env, random);
    const before = dump(env);
    copyInto(source, target);
    await env.root.close();
    expect(checkPages(join(target, DATA_FILE))).toMatchObject({ problems: [], lost: undefined });
    const copy = openEnvironment({ directory: target });
    expect(dump(copy)).toEqual(before);
    await churn(copy, random);
    const after = dump(copy);
    await copy.root.close();
    expect(checkPages(join(target, DATA_FILE))).toMatchObject({ problems: [], lost: undefined });
    const again = openEnvironment({ directory: target });
    expect(dump(again)).toEqual(after);
    await again.root.close();
  });

  test("of a store without records opens", async () => {
    await using temporary = await makeTempDir();
    const [source, target] = [join(temporary.path, "source"), join(temporary.path, "target")];
    await openEnvironment({ directory: source }).root.close();
    copyInto(source, target);
    const copy = openEnvironment({ directory: target });
    expect(dump(copy)).toEqual(Array.from({ length: 5 }, () => "table"));
    await copy.root.close();
  });

  test("leaves out what was erased, also inside pages that are in use", async () => {
    await using temporary = await makeTempDir();
    const [source, target] = [join(temporary.path, "source"), join(temporary.path, "target")];
    const env = openEnvironment({ directory: source });
    const keys = Array.from({ length: 400 }, (_, i) => `key-${i}`);
    await env.root.transaction(() => {
      for (const key of keys) env.index.put(key, seal(key, Buffer.from(`${ERASED} ${key}`)));
    });
    await env.root.transaction(() => {
      for (const [i, key] of keys.entries()) {
        if (i % 10 !== 0) env.index.remove(key);
        else env.index.put(key, seal(key, Buffer.from("kept")));
      }
    });
    copyInto(source, target);
    await env.root.close();
    expect(readFileSync(join(source, DATA_FILE)).includes(ERASED)).toBe(true);
    expect(readFileSync(join(target, DATA_FILE)).includes(ERASED)).toBe(false);
  });

  test("leaves out erased keys, also those that LMDB keeps between pages", async () => {
    await using temporary = await makeTempDir();
    const [source, target] = [join(temporary.path, "source"), join(temporary.path, "target")];
    const env = openEnvironment({ directory: source });
    const number = (i: number) => i.toString().padStart(5, "0");
    const keys = Array.from({ length: 6_000 }, (_, i) => [
      `${number(i)} ${ERASED}`,
      `${number(i)}-kept`,
    ]).flat();
    const isErased = (key: string) => key.includes(ERASED);
    await env.root.transaction(() => {
      for (const key of keys) env.index.put(key, seal(key, Buffer.alloc(100)));
    });
    await env.root.transaction(() => {
      for (const key of keys.filter(isErased)) env.index.remove(key);
    });
    const before = dump(env);
    copyInto(source, target);
    await env.root.close();
    expect(readFileSync(join(source, DATA_FILE)).includes(ERASED)).toBe(true);
    expect(readFileSync(join(target, DATA_FILE)).includes(ERASED)).toBe(false);
    expect(checkPages(join(target, DATA_FILE))).toMatchObject({ problems: [], lost: undefined });
    const copy = openEnvironment({ directory: target });
    expect(dump(copy)).toEqual(before);
    // Every key is found by the keys between the pages.
    const kept = keys.filter((key) => !isErased(key));
    expect(kept.filter((key) => copy.index.get(key) === undefined)).toEqual([]);
    await copy.root.close();
  });

  test("is refused when a record or a page is damaged", async () => {
    await using temporary = await makeTempDir();
    const source = join(temporary.path, "source");
    const env = openEnvironment({ directory: source });
    await churn(env, randomFrom(4));
    await env.root.close();
    const path = join(source, DATA_FILE);
    const sound = readFileSync(path);
    const random = randomFrom(5);
    const target = join(temporary.path, "target");
    copyInto(source, target);
    const whole = readFileSync(join(target, DATA_FILE));
    let noticed = 0;
    for (let round = 0; round < 40; round++) {
      const bytes = Buffer.from(sound);
      const at = random.int(2 * 4_096, bytes.length - 1);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.int(0, 7));
      writeFileSync(path, bytes);
      try {
        copyInto(source, target);
      } catch (error) {
        expect((error as Error).message).toMatch(/damaged/);
        noticed++;
        continue;
      }
      // The bit was free room, or a padding that holds nothing.
      const copy = readFileSync(join(target, DATA_FILE));
      expect(differences(copy, whole)).toBeLessThanOrEqual(1);
    }
    expect(noticed).toBeGreaterThan(0);
  });
});

function differences(a: Buffer, b: Buffer): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  return a.reduce((count, byte, at) => count + (byte === b[at] ? 0 : 1), 0);
}
