import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { randomFrom } from "../../../test/support/kit/random.ts";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { seal } from "./envelope.ts";
import { DATA_FILE, type Environment, openEnvironment } from "./environment.ts";
import { u64 } from "./keys.ts";
import { Memtable } from "./memtable.ts";
import { type Index, rangeIndex, readIndex } from "./reads.ts";

const KEYS = 600;
const FLIPS = 150;
const PREFIX = "\x07key-";

/** The answers of every read over the keys; "damaged" for one that says so. */
function answersOf(core: Index, keys: readonly string[]): readonly string[] {
  const said = (read: () => string): string => {
    try {
      return read();
    } catch (error) {
      if ((error as { reason?: string }).reason !== "RECORD_CORRUPT") throw error;
      return "damaged";
    }
  };
  const textOf = (payload: Uint8Array) => Buffer.from(payload).toString();
  const range = (start: string, end: string, reverse: boolean) =>
    said(() => {
      const rows = rangeIndex(core, "committed", { start, end, reverse, page: 16 });
      return [...rows].map(({ payload }) => textOf(payload)).join();
    });
  return keys.flatMap((key, at) => [
    said(() => readIndex(core, key, "committed", textOf) ?? "none"),
    said(() => readIndex(core, `${key}-other`, "committed", textOf) ?? "none"),
    ...[false, true].map((reverse) => range(key, keys[at + 7] ?? "\x08", reverse)),
  ]);
}

async function withFile<T>(directory: string, run: (env: Environment) => T): Promise<T> {
  const env = openEnvironment({ directory });
  try {
    return run(env);
  } finally {
    await env.root.close();
  }
}

const coreOf = (env: Environment): Index => ({ env, memtable: new Memtable(() => undefined) });

test("a key that changed on the disk is noticed by every read that it would falsify", async () => {
  await using temporary = await makeTempDir();
  const golden = join(temporary.path, "golden");
  const keys = Array.from({ length: KEYS }, (_, at) => PREFIX + u64(at * 7));
  const env = openEnvironment({ directory: golden });
  await env.root.batch(() => {
    for (const [at, key] of keys.entries())
      env.index.put(key, seal(key, Buffer.from(`text ${at}`)));
  });
  await env.root.close();
  const right = await withFile(golden, (open) => answersOf(coreOf(open), keys));
  expect(right).not.toContain("damaged");
  const bytes = readFileSync(join(golden, DATA_FILE));
  const random = randomFrom(11);
  const found = { harmless: 0, damaged: 0 };
  for (let flip = 0; flip < FLIPS; flip++) {
    const key = Buffer.from(random.pick(keys), "latin1");
    const copy = join(temporary.path, "copy");
    cpSync(golden, copy, { recursive: true });
    const at = bytes.indexOf(key) + random.int(0, key.length - 1);
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ (1 << random.int(0, 7));
    writeFileSync(join(copy, DATA_FILE), changed);
    const answers = await withFile(copy, (open) => answersOf(coreOf(open), keys));
    const wrong = answers.filter((answer, i) => answer !== right[i] && answer !== "damaged");
    expect([flip, wrong]).toEqual([flip, []]);
    found[answers.includes("damaged") ? "damaged" : "harmless"]++;
    rmSync(copy, { recursive: true });
  }
  console.log(`${FLIPS} keys changed: ${JSON.stringify(found)}`);
  expect(found.damaged).toBeGreaterThan(FLIPS / 2);
});
