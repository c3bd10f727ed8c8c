// Random conversations for property tests of windows.

import fc from "fast-check";
import { type MessageDetail, ROLE, type WindowEntry } from "../../../src/window/rules/types.ts";

/** An entry that carries what conditions, duplicates and shortening look at. */
export interface TestEntry extends WindowEntry {
  readonly detail: MessageDetail;
}

/** Reads the details of an entry. */
export const detailOfEntry = ({ detail }: TestEntry): MessageDetail => detail;

type Draft = Pick<WindowEntry, "role" | "callIds" | "answers" | "isResult"> & {
  /** Stands in the window only, between two messages. */
  readonly isInsert?: boolean;
};

const KIB = 1024;
// So few ids that they repeat, and one that nobody calls.
const CALL_IDS = ["a", "b", "c"];
const RESULT_IDS = [...CALL_IDS, "nobody"];
/** The tools that calls name. */
export const TOOLS = ["search", "pay"] as const;

const draft = (role: Draft["role"], more: Partial<Draft> = {}): Draft => ({
  role,
  callIds: [],
  answers: [],
  isResult: false,
  ...more,
});
const resultOf = (answers: readonly string[]): Draft =>
  draft(ROLE.tool, { answers, isResult: true });
const callOf = (callIds: readonly string[]): Draft => draft(ROLE.assistant, { callIds });

const someIds = fc.subarray(RESULT_IDS, { minLength: 1 });

/** Any message at any place: orphans, repeated ids, results without id, open calls, inserts. */
const wild: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(draft(ROLE.user)) },
  { weight: 5, arbitrary: fc.constant(draft(ROLE.assistant)) },
  { weight: 2, arbitrary: fc.constant(draft(ROLE.system)) },
  { weight: 6, arbitrary: fc.subarray(CALL_IDS, { minLength: 1 }).map(callOf) },
  { weight: 7, arbitrary: fc.constantFrom(...RESULT_IDS).map((id) => resultOf([id])) },
  { weight: 2, arbitrary: fc.constant(resultOf([])) },
  // Results among the parts of a user message, alone or beside something said.
  {
    weight: 3,
    arbitrary: fc
      .tuple(someIds, fc.boolean())
      .map(([answers, isResult]) => draft(ROLE.user, { answers, isResult })),
  },
  { weight: 1, arbitrary: fc.constant(draft(ROLE.system, { isInsert: true })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...RESULT_IDS).map((id) => ({ ...resultOf([id]), isInsert: true })),
  },
);

/** One proper turn: parallel calls whose results come in any order, late or never. */
const turn = (number: number): fc.Arbitrary<Draft[]> =>
  fc
    .record({
      calls: fc.integer({ min: 0, max: 3 }),
      answered: fc.integer({ min: 0, max: 3 }),
      order: fc.array(fc.nat(100), { minLength: 3, maxLength: 3 }),
      together: fc.boolean(),
      between: fc.boolean(),
      closing: fc.boolean(),
    })
    .map(({ calls, answered, order, together, between, closing }) => {
      const callIds = Array.from({ length: calls }, (_, index) => `${number}-${index}`);
      const inOrder = callIds
        .slice(0, answered)
        .map((id, index) => ({ at: order[index] ?? 0, id }))
        .sort((a, b) => a.at - b.at)
        .map(({ id }) => id);
      const parts = draft(ROLE.user, { answers: inOrder, isResult: true });
      const results =
        together && inOrder.length > 0 ? [parts] : inOrder.map((id) => resultOf([id]));
      const late = between ? results.splice(-1) : [];
      const pause = between ? [callOf([`${number}-x`])] : [];
      const end = closing ? [draft(ROLE.assistant)] : [];
      return [draft(ROLE.user), callOf(callIds), ...results, ...pause, ...late, ...end];
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

const quarter = fc.integer({ min: 0, max: 80 }).map((count) => count / 4);
const tokenCount = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 20 }) },
  { weight: 2, arbitrary: quarter },
  // An image, a huge result, and the largest there is.
  { weight: 1, arbitrary: fc.constantFrom(0, 800, 1_000, 100_000_000) },
);
const lightBytes = fc.integer({ min: 2, max: 500 });
// Three of the largest and one more pass the ceiling of a window, so a few messages reach it.
const heavyBytes = fc.constantFrom(2, 300, 200 * KIB, 600 * KIB, 1024 * KIB);

const content = fc.oneof(
  // Few words, so that texts repeat.
  { weight: 5, arbitrary: fc.constantFrom("", "yes", "YES ", "no", "pay 100", "pay 900") },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.constantFrom("the", "report", "is", "nearly", "done"), { maxLength: 12 })
      .map((words) => words.join(" ")),
  },
  // Long ones, for what is cut.
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("a", "💬", "word "), fc.integer({ min: 30, max: 300 }))
      .map(([unit, times]) => unit.repeat(times)),
  },
);

/** Numbers of each message beside its kind. */
const numbers = fc.record({
  tokenCount,
  step: fc.integer({ min: 1, max: 2 }),
  seconds: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 20 }) },
    // Clocks that went back, and imports.
    { weight: 1, arbitrary: fc.integer({ min: -30, max: 100 }) },
  ),
  content,
  name: fc.constantFrom("", "", "bob"),
  tool: fc.constantFrom(...TOOLS),
});
type Numbers = typeof numbers extends fc.Arbitrary<infer T> ? T : never;

/** A conversation by rising position, with gaps and inserts; frozen, so that writes are seen. */
export const conversation: fc.Arbitrary<readonly TestEntry[]> = fc
  .tuple(drafts, fc.constantFrom(lightBytes, lightBytes, lightBytes, lightBytes, heavyBytes))
  .chain(([list, byteCount]) =>
    fc
      .array(fc.tuple(numbers, byteCount), {
        minLength: list.length,
        maxLength: list.length,
        size: "max",
      })
      .map((drawn) => entriesOf(list, drawn)),
  );

function entriesOf(
  list: readonly Draft[],
  drawn: readonly (readonly [Numbers, number])[],
): readonly TestEntry[] {
  let seq = 0;
  let createMs = 1_000_000;
  const entries = list.map(({ isInsert = false, ...message }, index) => {
    const [more, byteCount] = drawn[index] ?? [];
    if (more === undefined || byteCount === undefined) throw new Error("Too little was drawn.");
    // Inserts stand less than 1 behind a message, several of them one behind the other.
    seq = isInsert ? seq + (Math.ceil(seq + 1e-9) - seq) / 3 : Math.floor(seq) + more.step;
    createMs += more.seconds * 1_000;
    return frozen({ message, more, byteCount, seq, createMs });
  });
  return Object.freeze(entries);
}

interface Whole {
  readonly message: Omit<Draft, "isInsert">;
  readonly more: Numbers;
  readonly byteCount: number;
  readonly seq: number;
  readonly createMs: number;
}

function frozen({ message, more, byteCount, seq, createMs }: Whole): TestEntry {
  const { callIds, answers } = message;
  const toolCalls = callIds.map((id) => Object.freeze({ id, name: more.tool, arguments: "{}" }));
  return Object.freeze({
    ...message,
    callIds: Object.freeze([...callIds]),
    answers: Object.freeze([...answers]),
    tokenCount: more.tokenCount,
    byteCount,
    seq,
    createMs,
    messageId: `m${seq}`,
    detail: Object.freeze({ content: more.content, name: more.name, toolCalls }),
  });
}
