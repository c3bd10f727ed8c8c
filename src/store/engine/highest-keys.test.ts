import { expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { seal } from "./envelope.ts";
import { openEnvironment } from "./environment.ts";
import { HighestKeys } from "./highest-keys.ts";
import { type FlushChunk, Memtable, Slot } from "./memtable.ts";

/** Keys that share their first two characters are alike. */
const startOf = (key: string) => key.slice(0, 2);

function chunkOf(...keys: readonly string[]): FlushChunk {
  return keys.map((key) => ({ slot: new Slot(key, undefined), value: new Uint8Array(1) }));
}

async function withKeys(
  stored: Readonly<Record<string, Buffer>>,
  look: (highest: HighestKeys, isAbove: (key: string) => boolean) => void,
): Promise<void> {
  await using temporary = await makeTempDir();
  const env = openEnvironment({ directory: temporary.path });
  await env.root.batch(() => {
    for (const [key, value] of Object.entries(stored)) env.index.put(key, value);
  });
  const core = { env, memtable: new Memtable(() => undefined) };
  const highest = new HighestKeys("t", startOf);
  try {
    look(highest, (key) => highest.isAbove(core, key));
  } finally {
    await env.root.close();
  }
}

const sealed = (...keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, seal(key, Buffer.from("text"))]));

test("a key above those alike in the B-tree is not there, and one below may be", async () => {
  await withKeys(sealed("s9", "ta1", "ta5", "tc7", "u1"), (_, isAbove) => {
    for (const key of ["ta6", "ta51", "tb0", "tc8", "td0"])
      expect([key, isAbove(key)]).toEqual([key, true]);
    for (const key of ["ta0", "ta1", "ta3", "ta5", "tc7"])
      expect([key, isAbove(key)]).toEqual([key, false]);
  });
});

test("keys on their way into the B-tree count, before a first look and after it", async () => {
  await withKeys(sealed("ta1"), (highest, isAbove) => {
    highest.raise(chunkOf("ta3", "tb2", "xx9"));
    expect(isAbove("ta2")).toBe(false);
    expect(isAbove("ta4")).toBe(true);
    highest.raise(chunkOf("ta5"));
    expect(isAbove("ta4")).toBe(false);
    highest.raise(chunkOf("ta2"));
    expect(isAbove("ta4")).toBe(false);
    expect(isAbove("ta6")).toBe(true);
  });
});

test("damage to the record below the place, or above it, is told", async () => {
  const broken = Buffer.from("no record");
  for (const key of ["ta5", "tb0"]) {
    await withKeys({ ...sealed("ta1", "ta5", "tb0"), [key]: broken }, (_, isAbove) => {
      expect(() => isAbove("ta6")).toThrow("format");
    });
  }
});
