import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TEST_DEPTH, testSeed } from "../../../test/support/kit/random.ts";
import { conversation, detailOfEntry } from "../../../test/support/window/arbitraries.ts";
import {
  modelOpenCallIds,
  modelProtected,
  modelTurns,
} from "../../../test/support/window/model-units.ts";
import { windowProperties } from "../../../test/support/window/promises.ts";
import { entered, request, seqsOf } from "../../../test/support/window/properties.ts";
import { KINDS, policy } from "../../../test/support/window/random-policies.ts";
import { explainWindow } from "./explain.ts";
import { openCallIds } from "./groups.ts";
import { needsTrim } from "./needs-trim.ts";
import { callsToFill } from "./tool-result-fill.ts";
import { totalsOf, trimWindow } from "./trim.ts";
import { ROLE, type WindowEntry } from "./types.ts";

const RUNS = 1_000 * TEST_DEPTH;
/** Enough for the rarest outcome to come more often than the test of them asks. */
const SAMPLES = 2_000;
const seed = testSeed("window properties");

describe(`trimWindow, ${RUNS} random cases for each property`, () => {
  for (const { name, property } of windowProperties(trimWindow)) {
    test(name, () => fc.assert(property, { seed, numRuns: RUNS }));
  }
});

/** Outcomes that the random cases must reach, each in more than one of 400. */
const REACHED = [
  ...["message-limit", "token-limit", "age-limit", "keep-last", "budget", "middle", "filter"],
  ...["duplicate", "boundary", "ceiling", "orphan-tool-result"],
  ...["model-input-tokens-over", "message-count-over", "token-count-over"],
  ...["context-share-at-least", "turn-count-over", "turn-tokens-over"],
  ...["new-messages-at-least", "new-tokens-at-least", "tool-success", "tool-error", "age-over"],
  ...[
    "always",
    "system",
    "pin-first",
    "pin-id",
    "min-messages",
    "last-user",
    "waiting-call",
    "free",
  ],
  ...KINDS.map((kind) => `acted: ${kind}`),
  ...["over a limit", "within the limits", "above the ceiling", "a warning", "shortened"],
  ...["a summary awaited", "discarded", "removed for a view only", "nothing removed"],
  ...["long", "open calls", "an insert", "results among parts"],
];

test("the random cases reach every rule", () => {
  const seen = new Map<string, number>();
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  const countIf = (holds: boolean, what: string) => (holds ? count(what) : undefined);
  for (const asked of fc.sample(request, { seed, numRuns: SAMPLES })) {
    const outcome = trimWindow(asked);
    const { entries } = asked;
    for (const reason of new Set(outcome.trims.map((trim) => trim.reason))) count(reason);
    for (const { stage, triggers, heldBy, awaitsSummary } of outcome.runs) {
      for (const { kind } of triggers) count(kind);
      for (const reason of heldBy) count(reason);
      countIf(awaitsSummary.length > 0, "a summary awaited");
      const select = asked.policy.stages.find(({ name }) => name === stage)?.select;
      count(`acted: ${select?.kind}`);
    }
    count(outcome.overLimit ? "over a limit" : "within the limits");
    countIf(outcome.ceilingPassed === "bytes", "above the ceiling");
    countIf(outcome.warnings.length > 0, "a warning");
    countIf(outcome.shortened.length > 0, "shortened");
    countIf(
      outcome.trims.some(({ discarded }) => discarded),
      "discarded",
    );
    countIf(outcome.stored.length > outcome.kept.length, "removed for a view only");
    countIf(outcome.trims.length === 0, "nothing removed");
    countIf(entries.length >= 20, "long");
    countIf(openCallIds(entries).length > 0, "open calls");
    countIf(!entries.every(({ seq }) => Number.isInteger(seq)), "an insert");
    countIf(
      entries.some(({ role, isResult }) => role === ROLE.user && isResult),
      "results among parts",
    );
  }
  for (const what of REACHED) {
    expect.soft(seen.get(what) ?? 0, what).toBeGreaterThan(SAMPLES / 400);
  }
});

test("needsTrim is false only when an append would do nothing at all", () => {
  let idle = 0;
  const property = fc.property(request, (asked) => {
    const entries = entered(asked);
    if (needsTrim(asked.policy, totalsOf(entries), asked.signals)) return;
    idle++;
    const append = { occasions: new Set(["append"] as const), ceiling: true };
    const outcome = trimWindow({ ...asked, ...append, entries });
    expect(outcome.kept).toBe(entries);
    expect([outcome.trims, outcome.runs, outcome.warnings]).toEqual([[], [], []]);
    expect([outcome.overLimit, outcome.ceilingPassed]).toEqual([false, undefined]);
  });
  fc.assert(property, { seed, numRuns: RUNS });
  expect(idle).toBeGreaterThan(RUNS / 10);
});

test("openCallIds gives what the reference model gives", () => {
  const property = fc.property(conversation, (entries) => {
    expect(openCallIds(entries)).toEqual(modelOpenCallIds(entries));
  });
  fc.assert(property, { seed, numRuns: RUNS });
});

test("explainWindow names as held what stages may not remove, and numbers turns", () => {
  const property = fc.property(conversation, policy, (entries, rules) => {
    for (const stage of rules.stages) {
      const explained = explainWindow(entries, rules, [stage]);
      const held = entries.filter((_, index) =>
        explained[index]?.heldBy.some((reason) => reason !== "free"),
      );
      const stays = modelProtected(entries, stage, rules);
      const blind = rules.protections.system === "excluded";
      const seen = stays.filter(({ role }) => !(blind && role === ROLE.system));
      expect(seqsOf(held)).toEqual(seqsOf(seen));
    }
    const numbers = explainWindow(entries, rules).map(({ turn }) => turn);
    expect(numbers).toEqual(modelTurns(entries, rules.toolPairing));
  });
  fc.assert(property, { seed, numRuns: RUNS });
});

test("filled results answer every call, each right behind its message, and answer no other", () => {
  const property = fc.property(conversation, (entries) => {
    const always = { rule: "always", newestOnly: false } as const;
    const filled = callsToFill(entries, always, detailOfEntry);
    const results = filled.map(
      ({ callId, position }): WindowEntry => ({
        ...{ seq: position, messageId: `filled-${position}`, role: ROLE.tool, callIds: [] },
        answers: [callId],
        isResult: true,
        tokenCount: 0,
        byteCount: 0,
        createMs: 0,
      }),
    );
    const window = [...entries, ...results].toSorted((a, b) => a.seq - b.seq);
    expect(new Set(seqsOf(window)).size).toBe(window.length);
    for (const { callId, position } of filled) {
      const before = entries.findLast(({ seq }) => seq < position);
      const makers = entries.filter(({ callIds }) => callIds.includes(callId));
      const ids = new Set(makers.flatMap(({ callIds }) => callIds));
      const answers = before?.answers.some((id) => ids.has(id)) || before?.isResult;
      expect(makers.some((maker) => maker === before) || answers).toBe(true);
    }
    const empty = { content: "", name: "", toolCalls: [] };
    expect(callsToFill(window, always, () => empty)).toEqual([]);
    const movedOn = callsToFill(entries, { ...always, rule: "moved-on" }, detailOfEntry);
    const ids = filled.map(({ callId }) => callId);
    for (const { callId } of movedOn) expect(ids).toContain(callId);
  });
  fc.assert(property, { seed, numRuns: RUNS });
});
