import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testSeed } from "../../../test/support/random.ts";
import { conversation, policy } from "../../../test/support/window-arbitraries.ts";
import { modelOpenCallIds } from "../../../test/support/window-model.ts";
import { windowProperties } from "../../../test/support/window-properties.ts";
import { trimOn } from "../../../test/support/window-text.ts";
import { openCallIds } from "./groups.ts";

const RUNS = 4_000;
const RULES = [
  "message-limit",
  "token-limit",
  "keep-last",
  "ceiling",
  "orphan-tool-result",
  "over a limit",
  "within the limits",
  "above the ceiling",
  "long",
  "open calls",
];
const seed = testSeed("window properties");

describe(`trimWindow, ${RUNS} random cases for each property`, () => {
  for (const { name, property } of windowProperties(trimOn)) {
    test(name, () => fc.assert(property, { seed, numRuns: RUNS }));
  }
});

test("the random cases reach every rule", () => {
  const seen = new Map<string, number>();
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  for (const [entries, rules] of fc.sample(fc.tuple(conversation, policy), {
    seed,
    numRuns: RUNS,
  })) {
    const outcome = trimOn(entries, rules, "append");
    for (const { reason } of outcome.trims) count(reason);
    count(outcome.overLimit ? "over a limit" : "within the limits");
    if (outcome.ceilingPassed === "bytes") count("above the ceiling");
    if (entries.length >= 20) count("long");
    if (openCallIds(entries).length > 0) count("open calls");
  }
  for (const what of RULES) expect.soft(seen.get(what) ?? 0, what).toBeGreaterThan(RUNS / 100);
});

test("openCallIds gives what the reference model gives", () => {
  const property = fc.property(conversation, (entries) => {
    expect(openCallIds(entries)).toEqual(modelOpenCallIds(entries));
  });
  fc.assert(property, { seed, numRuns: RUNS });
});
