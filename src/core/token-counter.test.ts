import { afterEach, beforeEach, expect, test } from "vitest";
import { draftOf } from "../../test/support/services/json-codec.ts";
import { DEFAULT_POLICY } from "../window/policy/policy.ts";
import { countedRule } from "../window/policy/token-rules.ts";
import { TokenCounter } from "./token-counter.ts";

const EXACT = countedRule({ ...DEFAULT_POLICY, tokenRule: "o200k" });

let counter: TokenCounter;

beforeEach(() => {
  counter = new TokenCounter();
});

afterEach(() => counter.close());

const WORDS = "memory ".repeat(1_000_000);

function count(text: string): Promise<number[]> {
  return counter.countAll([draftOf({ text })], EXACT);
}

test("text that waits to be counted exactly is bounded, and the rest is told to come back", async () => {
  const first = [count(WORDS), count(WORDS)];
  await expect(count(WORDS)).rejects.toMatchObject({
    reason: "OVERLOADED",
    detail: { retryDelayMs: 1_000 },
  });
  for (const counted of await Promise.all(first)) expect(counted[0]).toBeGreaterThan(900_000);
  expect((await count("memory"))[0]).toBe(1);
});

test("a draft that brings its count never waits for the worker", async () => {
  const busy = count(WORDS);
  const drafts = [draftOf({ text: WORDS, tokenCount: 7 })];
  expect(counter.countNow(drafts, EXACT)).toEqual([7]);
  await busy;
});

test("closing fails the counts under way", async () => {
  const failed = expect(count(WORDS)).rejects.toThrow("closed");
  await counter.close();
  await failed;
});

test("no BPE-hostile text takes the worker long", async () => {
  const hostile = [
    "a".repeat(200_000),
    " ".repeat(200_000),
    "漢".repeat(50_000),
    "🙂".repeat(50_000),
  ];
  const drafts = hostile.map((text) => draftOf({ text }));
  const counts = await counter.countAll(drafts, { ...EXACT, rule: "cl100k" });
  for (const found of counts) expect(found).toBeGreaterThan(1_000);
}, 20_000);
