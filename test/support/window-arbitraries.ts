// Random conversations and policies for property tests of windows.

import fc from "fast-check";
import {
  DEFAULT_POLICY_PARTS,
  DEFAULT_STAGE,
  type Policy,
  type PolicyStage,
  type Selection,
} from "../../src/domain/policy.ts";
import { ROLE, type WindowEntry } from "../../src/domain/window/types.ts";

type Draft = Pick<WindowEntry, "role" | "callIds" | "answers">;

const KIB = 1024;
// So few ids that they repeat, and one that nobody calls.
const CALL_IDS = ["a", "b", "c"];
const RESULT_IDS = [...CALL_IDS, "", "nobody"];

const draft = (role: Draft["role"], more: Partial<Draft> = {}): Draft => ({
  role,
  callIds: [],
  answers: [],
  ...more,
});

/** Any message at any place: orphans, repeated ids, results without id, open calls. */
const wild: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(draft(ROLE.user)) },
  { weight: 3, arbitrary: fc.constant(draft(ROLE.assistant)) },
  { weight: 1, arbitrary: fc.constant(draft(ROLE.system)) },
  {
    weight: 3,
    arbitrary: fc
      .subarray(CALL_IDS, { minLength: 1 })
      .map((callIds) => draft(ROLE.assistant, { callIds })),
  },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom(...RESULT_IDS)
      .map((id) => draft(ROLE.tool, { answers: id === "" ? [] : [id] })),
  },
);

/** One proper interaction: parallel calls whose results come in any order, late or never. */
const turn = (number: number): fc.Arbitrary<Draft[]> =>
  fc
    .record({
      calls: fc.integer({ min: 0, max: 3 }),
      answered: fc.integer({ min: 0, max: 3 }),
      order: fc.array(fc.nat(100), { minLength: 3, maxLength: 3 }),
      between: fc.boolean(),
      closing: fc.boolean(),
    })
    .map(({ calls, answered, order, between, closing }) => {
      const callIds = Array.from({ length: calls }, (_, index) => `${number}-${index}`);
      const results = callIds
        .slice(0, answered)
        .map((id, index) => ({ at: order[index] ?? 0, id }))
        .sort((a, b) => a.at - b.at)
        .map(({ id }) => draft(ROLE.tool, { answers: [id] }));
      const late = between ? results.splice(-1) : [];
      const pause = between ? [draft(ROLE.assistant, { callIds: [`${number}-x`] })] : [];
      const end = closing ? [draft(ROLE.assistant)] : [];
      return [
        draft(ROLE.user),
        draft(ROLE.assistant, { callIds }),
        ...results,
        ...pause,
        ...late,
        ...end,
      ];
    });

const drafts: fc.Arbitrary<Draft[]> = fc.oneof(
  fc.array(wild, { maxLength: 30, size: "max" }),
  fc
    .tuple(fc.boolean(), ...[0, 1, 2, 3, 4].map(turn))
    .map(([system, ...turns]) => [...(system ? [draft(ROLE.system)] : []), ...turns.flat()]),
  fc
    .tuple(turn(0), fc.array(wild, { maxLength: 12, size: "max" }), turn(1))
    .map((lists) => lists.flat()),
);

const tokenCount = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1_000, 100_000_000) },
);
const lightBytes = fc.integer({ min: 2, max: 500 });
// Three of the largest and one more pass the ceiling of a window, so a few messages reach it.
const heavyBytes = fc.constantFrom(2, 300, 200 * KIB, 600 * KIB, 1024 * KIB);

/** A conversation by rising seq, with gaps; frozen, so that a test sees whoever writes to it. */
export const conversation: fc.Arbitrary<readonly WindowEntry[]> = fc
  .tuple(drafts, fc.constantFrom(lightBytes, lightBytes, lightBytes, lightBytes, heavyBytes))
  .chain(([list, byteCount]) =>
    fc
      .array(fc.tuple(tokenCount, byteCount, fc.integer({ min: 1, max: 2 })), {
        minLength: list.length,
        maxLength: list.length,
        size: "max",
      })
      .map((numbers) => entriesOf(list, numbers)),
  );

type Numbers = readonly [tokens: number, bytes: number, step: number];

function entriesOf(list: readonly Draft[], numbers: readonly Numbers[]): readonly WindowEntry[] {
  let seq = 0;
  const entries = list.map((message, index) => {
    const [tokens, bytes, step] = numbers[index] ?? [0, 0, 1];
    seq += step;
    const callIds = Object.freeze([...message.callIds]);
    const answers = Object.freeze([...message.answers]);
    const isResult = message.role === ROLE.tool;
    const sizes = { tokenCount: tokens, byteCount: bytes, createMs: seq * 1_000 };
    const facts = { callIds, answers, isResult, messageId: `m${seq}` };
    return Object.freeze({ ...message, ...facts, ...sizes, seq });
  });
  return Object.freeze(entries);
}

const limit = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 20 }) },
  { weight: 1, arbitrary: fc.constant(10_000) },
);
const tokenLimit = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 200 }) },
  { weight: 1, arbitrary: fc.constantFrom(1_000, 1_000_000_000) },
);

const dropOldest: fc.Arbitrary<Selection> = fc
  .tuple(limit, tokenLimit, fc.constantFrom("messages", "tokens", "both"))
  .map(([maxMessages, maxTokens, which]) => ({
    kind: "drop-oldest" as const,
    stopAtProtected: false,
    stopAtFree: false,
    ...(which === "tokens" ? {} : { maxMessages }),
    ...(which === "messages" ? {} : { maxTokens }),
  }));

const keepLast: fc.Arbitrary<Selection> = fc
  .integer({ min: 0, max: 8 })
  .map((unitCount) => ({ kind: "keep-last" as const, unitCount }));

const trigger = fc.oneof(
  limit.map((count) => ({ kind: "message-count-over" as const, limit: count })),
  tokenLimit.map((count) => ({ kind: "token-count-over" as const, limit: count })),
);

const stageWith = (
  select: fc.Arbitrary<Selection>,
): fc.Arbitrary<Pick<PolicyStage, "on" | "anyOf" | "unit" | "select">> =>
  fc.record({
    on: fc.constantFrom("append", "append", "read"),
    anyOf: fc.oneof(fc.constant([]), fc.array(trigger, { maxLength: 2 })),
    unit: fc.constantFrom("message", "assistant-round", "interaction"),
    select,
  });

function policyWith(select: fc.Arbitrary<Selection>, maxStages: number): fc.Arbitrary<Policy> {
  return fc
    .record({
      stages: fc.array(stageWith(select), { maxLength: maxStages, size: "max" }),
      protections: fc.record({
        system: fc.constantFrom("none", "all", "leading"),
        pinFirst: fc.constantFrom(0, 0, 0, 1, 2, 5),
        pinIds: fc.constant([]),
        minMessages: fc.constantFrom(0, 1, 1, 2, 5, 40),
        lastUser: fc.boolean(),
      }),
    })
    .map(({ stages, protections }) => ({
      ...DEFAULT_POLICY_PARTS,
      tokenRule: "given" as const,
      imageTokenCount: 0,
      protections,
      stages: stages.map((stage, index) => ({
        ...DEFAULT_STAGE,
        ...stage,
        effect: stage.on === "read" ? ("view" as const) : ("store" as const),
        name: `s${index}`,
      })),
    }));
}

/** Any policy. */
export const policy: fc.Arbitrary<Policy> = policyWith(fc.oneof(dropOldest, keepLast), 4);

/** A policy that only drops the oldest. */
export const dropPolicy: fc.Arbitrary<Policy> = policyWith(dropOldest, 3);

/** A policy of at most one stage. */
export const oneStagePolicy: fc.Arbitrary<Policy> = policyWith(fc.oneof(dropOldest, keepLast), 1);
