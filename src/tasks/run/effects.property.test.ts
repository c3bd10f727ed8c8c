// Every message that leaves the window of a session with summaries is in a summary, waits for one,
// or was dropped with an event; and the work comes to an end.

import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outputOf } from "../../../test/support/hooks/hooks.ts";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import {
  type EffectScene,
  isDue,
  lines,
  openPolicy,
  sceneOf,
  summarizing,
} from "../../../test/support/services/effect-scene.ts";
import { type JsonMessage, jsonCodec } from "../../../test/support/services/json-codec.ts";
import { dropOldest } from "../../../test/support/window/policies.ts";
import { EVENT_TYPE, type EventDetail } from "../../events/rules/event.ts";
import { openLmdbStore } from "../../store/lmdb/store.ts";
import type { SummaryRecord } from "../../summary/rules/summary.ts";
import type { PolicyStage } from "../../window/policy/policy.ts";
import type { SummarySpec } from "../../window/policy/summary-spec.ts";
import { ROLE, type SeqRange } from "../../window/rules/types.ts";
import { isLive } from "../rules/task.ts";

const MODES: readonly (readonly [string, Partial<SummarySpec>])[] = [
  ["in place", { keep: "in-place" }],
  ["in place, as an exchange", { keep: "in-place", shape: "exchange", prefix: "Sum: " }],
  ["hierarchical", { keep: "hierarchical", fanIn: 2 }],
  ["joined", { keep: "append", lastChars: 100 }],
  ["replaced", { keep: "replace" }],
  ["joined, at once", { keep: "append", leave: "at-once", onFailure: "drop" }],
  ["replaced, at once", { keep: "replace", leave: "at-once", onFailure: "placeholder" }],
  ["a chain in place", { keep: "in-place", flow: "density", maxLoops: 3 }],
];

type Step =
  | { readonly kind: "append"; readonly count: number; readonly tokens: number }
  | { readonly kind: "call"; readonly results: number }
  | { readonly kind: "complete"; readonly tokens: number; readonly isOpen: boolean }
  | { readonly kind: "fail"; readonly permanent: boolean }
  | { readonly kind: "hand"; readonly isPlaced: boolean; readonly count: number }
  | { readonly kind: "rest" };

const tokens = fc.integer({ min: 1, max: 60 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("append" as const),
      count: fc.integer({ min: 1, max: 5 }),
      tokens,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      results: fc.integer({ min: 0, max: 2 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("complete" as const),
      tokens: fc.integer({ min: 0, max: 40 }),
      isOpen: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("fail" as const), permanent: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("hand" as const),
      isPlaced: fc.boolean(),
      count: fc.integer({ min: 0, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "rest" as const }) },
);

/** A stage that takes what is too much, summaries as well. */
const LAST: PolicyStage = {
  ...summarizing({}, { name: "cut", removedTo: "log", summarize: undefined }),
  select: dropOldest({ maxMessages: 9 }),
};

function seqsOf(ranges: readonly SeqRange[]): number[] {
  return ranges.flatMap(({ first, last }) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  );
}

let calls = 0;

async function walk(s: EffectScene, one: Step): Promise<void> {
  const { head, fields } = await s.session();
  const next = head.lastSeq + 1;
  switch (one.kind) {
    case "append":
      return await s.append(lines(one.count, next, { tokenCount: one.tokens }));
    case "call": {
      const ids = Array.from({ length: one.results + 1 }, () => `call ${++calls}`);
      const call: JsonMessage = { role: ROLE.assistant, callIds: ids, tokenCount: 9 };
      const results = ids
        .slice(0, one.results)
        .map((toolCallId): JsonMessage => ({ role: ROLE.tool, toolCallId, tokenCount: 7 }));
      return await s.append(
        [call, ...results].map((message, i) => ({ ...message, messageId: `m${next + i}` })),
      );
    }
    case "rest":
      return s.services.advance(660_000);
    case "hand": {
      const window = seqsOf(head.windowRanges).slice(0, one.count);
      const made = fields.inserts.slice(0, 1).map(({ messageId }) => messageId);
      const ids = [...made, ...window.map((seq) => `m${seq}`)];
      if (one.isPlaced && ids.length === 0) return;
      // A call may be parted from its results: then nothing is set.
      return await s.setSummary("hand", ids, one.isPlaced).catch(() => {});
    }
    default:
      return await finish(s, one);
  }
}

async function finish(
  s: EffectScene,
  one: Extract<Step, { readonly kind: "complete" | "fail" }>,
): Promise<void> {
  if (!(await isDue(s))) return;
  const task = await s.take();
  if (one.kind === "fail") {
    await s.fail(task, { permanent: one.permanent });
    return;
  }
  const missingEntities = one.isOpen ? ["more"] : [];
  const requestText = one.tokens % 2 === 0 ? "" : "ask";
  await s.complete(task, outputOf("t".repeat(4 * one.tokens), { missingEntities, requestText }));
}

/** The records of the summaries that are shown or held. */
async function current(s: EffectScene): Promise<readonly SummaryRecord[]> {
  const { summary, inserts } = (await s.session()).fields;
  const versions = new Set(inserts.map(({ version }) => version));
  if (summary !== undefined) versions.add(summary.version);
  return (await s.summaries()).filter(({ version }) => versions.has(version));
}

/** Messages that events report as dropped, of the log and of those that summaries stood for. */
async function dropped(s: EffectScene, isAtOnce: boolean): Promise<readonly number[]> {
  const byId = new Map((await s.summaries()).map((record) => [record.placedMessageId, record]));
  const left = (detail: EventDetail): readonly number[] => {
    if (detail.type !== EVENT_TYPE.messagesTrimmed) return [];
    const { reason, removed, stage } = detail.trim;
    if (reason === "summarized" || (isAtOnce && stage === "old")) return [];
    return removed.flatMap(({ seq, messageId }) =>
      Number.isInteger(seq) ? [seq] : seqsOf(byId.get(messageId)?.ranges ?? []),
    );
  };
  return (await s.services.allEvents()).flatMap(({ detail }) => left(detail));
}

const sorted = (seqs: readonly number[]): readonly number[] => [...seqs].sort((a, b) => a - b);

async function checkSources(s: EffectScene, isAtOnce: boolean): Promise<void> {
  const { head } = await s.session();
  const inWindow = new Set(seqsOf(head.windowRanges));
  const all = Array.from({ length: head.lastSeq }, (_, index) => index + 1);
  const records = await current(s);
  for (const { ranges, sources } of records) {
    expect(sources.messageCount).toBe(seqsOf(ranges).length);
  }
  const summarized = records.flatMap(({ ranges }) => seqsOf(ranges));
  // Messages that left at once are in a task, which is done or given up without a placeholder.
  const tasks = isAtOnce ? await s.tasks() : [];
  const byVersion = new Map((await s.summaries()).map((record) => [record.version, record]));
  const waiting = tasks
    .filter((task) => isLive(task) || task.summarize.spec.onFailure === "drop")
    .flatMap(({ summarize: { ranges, made } }) => [
      ...seqsOf(ranges),
      ...made.flatMap(({ version }) => seqsOf(byVersion.get(version)?.ranges ?? [])),
    ]);
  const gone = await dropped(s, isAtOnce);
  expect(sorted([...summarized, ...waiting, ...gone])).toEqual(
    all.filter((seq) => !inWindow.has(seq)),
  );
  await checkTokens(s, records);
}

/** Checks that a summary's source tokens are the sum over the messages it stands for. */
async function checkTokens(s: EffectScene, records: readonly SummaryRecord[]): Promise<void> {
  const page = await s.context.store.listMessages(
    { namespace: "default", sessionId: "s" },
    { firstSeq: 1, lastSeq: 1e9, order: "asc", limit: 10_000 },
  );
  const costs = new Map(page?.messages.map(({ seq, tokenCount }) => [seq, tokenCount]));
  for (const { ranges, sources } of records) {
    const sum = seqsOf(ranges).reduce((total, seq) => total + (costs.get(seq) ?? 0), 0);
    expect(sources.tokenCount).toBe(sum);
  }
}

/** Completes what is due until nothing is; gives how many tasks that took. */
async function drain(s: EffectScene, textOf: () => string, most: number): Promise<number> {
  let done = 0;
  while (await isDue(s)) {
    if (done > most) throw new Error(`More than ${most} tasks were made.`);
    const result = await s.make(textOf());
    if (result.kind === "done") done++;
    else s.services.advance(660_000);
  }
  return done;
}

describe.each(MODES)("summaries %s", (_, spec) => {
  const isAtOnce = spec.leave === "at-once";
  const stages = [summarizing({ maxTokens: 16, ...spec }), LAST];

  test("stand for exactly what left the window and was not dropped", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
        const s = await sceneOf(openPolicy(stages), { inputTokensMax: 80, maxAttempts: 2 });
        try {
          for (const one of steps) {
            await walk(s, one);
            await checkSources(s, isAtOnce);
          }
          s.services.advance(660_000);
          await drain(s, () => "t", 200);
          await checkSources(s, isAtOnce);
        } finally {
          await s.stop();
        }
      }),
      { numRuns: 40 },
    );
  });

  test("do so on the disk as well", async () => {
    await using temporary = await makeTempDir();
    let opened = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
        opened += 1;
        const directory = join(temporary.path, `data-${opened}`);
        const store = await openLmdbStore({ directory, readFacts: jsonCodec.readFacts });
        const s = await sceneOf(openPolicy(stages), { inputTokensMax: 80, maxAttempts: 2 }, store);
        try {
          for (const one of steps) await walk(s, one);
          s.services.advance(660_000);
          await drain(s, () => "t", 200);
          await checkSources(s, isAtOnce);
        } finally {
          await s.stop();
          await store.close();
        }
      }),
      { numRuns: 3 },
    );
  });
});

describe("the work of hooks", () => {
  const spec = fc.record({
    keep: fc.constantFrom("in-place", "append", "replace", "hierarchical"),
    shape: fc.constantFrom("system", "exchange"),
    fanIn: fc.integer({ min: 2, max: 4 }),
    maxTokens: fc.integer({ min: 16, max: 40 }),
    prefix: fc.constantFrom("", "Sum: "),
    onFailure: fc.constantFrom("keep", "drop", "placeholder"),
  } satisfies { readonly [key in keyof SummarySpec]?: fc.Arbitrary<SummarySpec[key]> });
  const select = fc.oneof(
    fc.integer({ min: 0, max: 4 }).map((maxMessages) => dropOldest({ maxMessages })),
    fc.integer({ min: 0, max: 60 }).map((maxTokens) => dropOldest({ maxTokens })),
    fc.record({
      kind: fc.constant("pin-middle-recent" as const),
      pinFirst: fc.integer({ min: 0, max: 2 }),
      keepRecent: fc.integer({ min: 1, max: 3 }),
      minRemoved: fc.integer({ min: 1, max: 2 }),
    }),
  );

  const work = fc.record({
    spec,
    select,
    inputTokensMax: fc.integer({ min: 1, max: 90 }),
    costs: fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 25 }),
    texts: fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 9 }),
  });

  test("ends: each task takes messages out of the window", async () => {
    await fc.assert(
      fc.asyncProperty(work, async ({ spec: how, select: what, inputTokensMax, costs, texts }) => {
        const policy = openPolicy([summarizing(how, { select: what })]);
        const s = await sceneOf(policy, { inputTokensMax, maxAttempts: 1 });
        try {
          await s.append(costs.map((tokenCount, i) => ({ messageId: `m${i + 1}`, tokenCount })));
          let turn = 0;
          const textOf = (): string => "t".repeat(4 * (texts[turn++ % texts.length] ?? 1));
          // Each message is at most once summarized alone, and two become one otherwise.
          const done = await drain(s, textOf, 2 * costs.length);
          expect(done).toBeLessThanOrEqual(2 * costs.length);
          await checkShrinks(s);
        } finally {
          await s.stop();
        }
      }),
      { numRuns: 150 },
    );
  });

  /** Every summary that a task made came with a trim of at least one message. */
  async function checkShrinks(s: EffectScene): Promise<void> {
    const events = await s.services.allEvents();
    for (const { detail, revision } of events) {
      if (detail.type !== EVENT_TYPE.summarySet) continue;
      const trims = events.filter(
        (event) =>
          event.revision === revision &&
          event.detail.type === EVENT_TYPE.messagesTrimmed &&
          event.detail.trim.reason === "summarized",
      );
      expect(trims).toHaveLength(1);
    }
  }
});
