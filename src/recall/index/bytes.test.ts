import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import {
  containerOf,
  itemsOf,
  JSON_INDEX_CODEC,
  recordItem,
} from "../../../test/support/recall/records.ts";
import type { RecallEngine } from "./engine.ts";
import { createEngine } from "./local.ts";

const SESSIONS = 300;
const MESSAGES = 100;
const DIMENSIONS = 64;
const WORDS = 4_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Freed memory is noticed only after some rounds. */
async function memory(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    collect();
    await setTimeout(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Words by Zipf's law, the same in every run. */
function textOf(message: number): string {
  let state = message + 1;
  const words = Array.from({ length: 14 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return `word${Math.floor(WORDS ** (state / 2 ** 32))}`;
  });
  return words.join(" ");
}

function embedText(text: string): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, (_, at) => text.charCodeAt(at) || 1);
}

function filled(): RecallEngine {
  const model = { id: "chars", dimensions: DIMENSIONS, isLocal: true };
  const engine = createEngine({ codec: JSON_INDEX_CODEC, model, embedText });
  for (let session = 0; session < SESSIONS; session++) {
    const items = Array.from({ length: MESSAGES }, (_, at) =>
      recordItem(at + 1, {
        text: textOf(session * MESSAGES + at),
        role: 1,
        author: `author ${at % 7}`,
        metadata: at % 3 === 0 ? { order: [at], state: ["open"] } : {},
        labels: at % 5 === 0 ? { tone: "dry" } : {},
      }),
    );
    const id = `session-${session}`;
    engine.apply("n", [containerOf("session", id), itemsOf("session", id, items)]);
  }
  return engine;
}

describe("the account of the index", () => {
  test("is within 15 % of what is measured, and tells what is given back", async () => {
    // The cache of words is not part of the account.
    const first = filled();
    const empty = createEngine({ codec: JSON_INDEX_CODEC }).totalBytes;
    first.drop("n");
    const before = await memory();
    const engine = filled();
    const measured = (await memory()) - before;
    const account = engine.totalBytes - empty;
    expect(account / measured).toBeGreaterThan(0.85);
    expect(account / measured).toBeLessThan(1.15);
    // The memory of vectors is kept for the next ones, and stays in the account.
    engine.drop("n");
    const kept = engine.totalBytes - empty;
    expect(kept).toBeLessThan(account / 2);
    expect((await memory()) - before - kept).toBeLessThan(account / 10);
  });
});
