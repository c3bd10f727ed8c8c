// The event streams of the simulation for fixed seeds, as hashes: streams.json. After a change of
// the generator or of events, take the hashes that the failing test prints.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StoredEvent } from "../../src/store/store.ts";
import { generatorOf } from "../sim/generate.ts";
import { applyTo } from "../sim/operations.ts";
import type { Engine } from "../storage/scene.ts";
import { plain } from "../support/kit/plain.ts";
import { randomFrom } from "../support/kit/random.ts";
import { openLmdbEngine } from "../support/store/lmdb-engine.ts";
import { openMemoryEngine } from "../support/store/memory-engine.ts";

const OPERATIONS = 600;
const HASHES: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "streams.json"), "utf8"),
);

/** The events that listeners receive while random operations run. */
async function streamOf(seed: number, open: () => Promise<Engine>): Promise<StoredEvent[]> {
  await using engine = await open();
  const events: StoredEvent[] = [];
  const listen = () => engine.store.onCommit((commit) => void events.push(...commit.events));
  listen();
  const generator = generatorOf(randomFrom(seed), () => engine.store);
  for (let count = 0; count < OPERATIONS; count++) {
    const operation = await generator.change();
    if (operation.kind === "reopen") {
      await engine.reopen();
      listen();
    } else await applyTo(engine.store, operation);
  }
  return events;
}

function hashOf(events: readonly StoredEvent[]): string {
  const hash = createHash("sha256");
  for (const event of events) hash.update(`${JSON.stringify(plain(event))}\n`);
  return `${events.length} ${hash.digest("base64url").slice(0, 22)}`;
}

describe.each(Object.keys(HASHES))("the event stream of seed %s", (seed) => {
  test.each([
    ["the model", openMemoryEngine],
    ["the LMDB engine", () => openLmdbEngine()],
  ] as const)("is as it was, on %s", async (_, open) => {
    expect(hashOf(await streamOf(Number(seed), open))).toBe(HASHES[seed]);
  });
});

test("a hash differs when one event of the stream is missing or changed", async () => {
  const events = await streamOf(1, openMemoryEngine);
  expect(hashOf(events.slice(1))).not.toBe(HASHES["1"]);
  const [first, ...rest] = events;
  if (first === undefined) throw new Error("The stream is empty.");
  expect(hashOf([{ ...first, namespace: "other" }, ...rest])).not.toBe(HASHES["1"]);
});
