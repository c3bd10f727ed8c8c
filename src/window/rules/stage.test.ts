import { describe, expect, test } from "vitest";
import {
  dropTo,
  policyOf,
  requestOf,
  type StageSet,
  seqsOf,
  trimOn,
  windowOf,
} from "../../../test/support/window/text.ts";
import type { Policy, PolicyStage, Protections, Selection, StageOn } from "../policy/policy.ts";
import { DEFAULT_SUMMARY_SPEC } from "../policy/summary-spec.ts";
import { trimWindow } from "./trim.ts";
import type { TrimOutcome } from "./types.ts";

const keep = (unitCount: number): Selection => ({ kind: "keep-last", unitCount });

describe("what kept a stage over its limit", () => {
  const held = (
    text: string,
    stage: Partial<PolicyStage>,
    protections: Partial<Protections> = {},
  ): unknown => {
    const { runs } = trimOn(windowOf(text), policyOf([stage], protections), "append");
    return runs.map((run) => [run.overLimit, run.heldBy]);
  };
  const tokens = dropTo({ maxTokens: 5 });

  test("is nothing while the limit holds", () => {
    expect(held("U:9 A:5", { select: tokens })).toEqual([[false, []]]);
    expect(held("U:2 A:3", { select: tokens })).toEqual([]);
  });

  test("is each protection that holds something that counts", () => {
    const all = { system: "all", lastUser: true, minMessages: 1 } as const;
    expect(held("S S", { select: tokens }, all)).toEqual([[true, ["system"]]]);
    expect(held("U A", { select: tokens }, { lastUser: true })).toEqual([[true, ["last-user"]]]);
    expect(held("U A", { select: tokens }, { minMessages: 1 })).toEqual([[true, ["min-messages"]]]);
    expect(held("U A", { select: tokens }, { pinFirst: 1 })).toEqual([[true, ["pin-first"]]]);
    expect(held("U A", { select: tokens }, { pinIds: ["m2"] })).toEqual([[true, ["pin-id"]]]);
    expect(held("U A(x)", { select: tokens })).toEqual([[true, ["waiting-call"]]]);
    const unit = "turn";
    expect(held("S U A(x)", { select: tokens, unit }, all)).toEqual([
      [true, ["system", "min-messages", "last-user", "waiting-call"]],
    ]);
  });

  test("is not what costs nothing, when only tokens are too many", () => {
    const all = { system: "all", lastUser: true } as const;
    expect(held("S:0 U:9", { select: tokens }, all)).toEqual([[true, ["last-user"]]]);
    const messages = dropTo({ maxMessages: 1 });
    expect(held("S:0 U:9", { select: messages }, all)).toEqual([[true, ["system", "last-user"]]]);
  });

  test("is where it stopped, and the rest only when nothing else could go", () => {
    const select = dropTo({ maxTokens: 5 }, { stopAtProtected: true, stopAtFree: true });
    const some = { system: "all", lastUser: true } as const;
    expect(held("S U A(x) T(x)", { select }, some)).toEqual([[true, ["last-user"]]]);
    expect(held("S U:20", { select }, some)).toEqual([[true, ["system", "last-user"]]]);
    expect(held("A:0 U:60 A:10", { select })).toEqual([[true, ["free"]]]);
  });
});

describe("which stages are told of", () => {
  const always = { anyOf: [{ kind: "always" }] } as const;

  test("those with triggers always, others when they did something", () => {
    const stages = [{ ...always, select: keep(9) }, { select: keep(9) }, { select: keep(1) }];
    const { runs } = trimOn(windowOf("U A"), policyOf(stages), "append");
    expect(runs.map((run) => [run.stage, run.triggers])).toEqual([
      ["s0", [{ kind: "always", tool: "" }]],
      ["s2", []],
    ]);
  });

  test("not those whose triggers do not hold", () => {
    const anyOf = [{ kind: "message-count-over", limit: 2 }] as const;
    const policy = policyOf([{ anyOf, select: keep(0) }]);
    expect(trimOn(windowOf("U A"), policy, "append").runs).toEqual([]);
    expect(trimOn(windowOf("U A U"), policy, "append").runs).toHaveLength(1);
  });

  test("a limit that a later stage reaches is no longer passed", () => {
    const stages = [
      { ...always, select: dropTo({ maxMessages: 1 }), unit: "turn" as const },
      { select: keep(1) },
    ];
    const { runs, overLimit } = trimOn(
      windowOf("U A A"),
      policyOf(stages, { minMessages: 1 }),
      "append",
    );
    expect(runs.map((run) => [run.stage, run.overLimit, run.heldBy])).toEqual([
      ["s0", false, ["min-messages"]],
      ["s1", false, []],
    ]);
    expect(overLimit).toBe(false);
  });
});

describe("where messages leave", () => {
  const trim = (stage: Partial<PolicyStage>, on: StageSet): TrimOutcome =>
    trimOn(windowOf("U A U A"), policyOf([stage]), on);
  const gone = ({ kept, stored, trims, storedTrims }: TrimOutcome) => [
    seqsOf(kept),
    seqsOf(stored),
    trims.length,
    storedTrims.length,
  ];

  test("a stage for a view leaves the stored window as it is", () => {
    const outcome = trim({ on: "read", select: keep(1) }, "read");
    expect(gone(outcome)).toEqual([[4], [1, 2, 3, 4], 1, 0]);
    expect(outcome.trims[0]?.discarded).toBe(false);
  });

  test("a stage on read with the effect store changes both", () => {
    expect(gone(trim({ on: "read", effect: "store", select: keep(1) }, "read"))).toEqual([
      [4],
      [4],
      1,
      1,
    ]);
  });

  test("a change views nothing", () => {
    expect(gone(trim({ effect: "view", select: keep(1) }, "append"))).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 4],
      0,
      0,
    ]);
  });

  test("later stages see what is left of the view, each trim counts its own window", () => {
    const stages = [
      { on: "read", effect: "view", select: keep(3) },
      { on: "read", effect: "store", select: keep(2) },
      { on: "read", effect: "view", select: keep(1) },
    ] as const;
    const outcome = trimOn(windowOf("U:1 A:2 U:3 A:4"), policyOf(stages), "read");
    expect(gone(outcome)).toEqual([[4], [1, 3, 4], 3, 1]);
    expect(outcome.trims[1]).toMatchObject({
      stage: "s1",
      before: { messageCount: 3, tokenCount: 9 },
      after: { messageCount: 2, tokenCount: 7 },
    });
    expect(outcome.storedTrims).toMatchObject([
      {
        stage: "s1",
        before: { messageCount: 4, tokenCount: 10 },
        after: { messageCount: 3, tokenCount: 8 },
      },
    ]);
    expect(outcome.totals).toEqual({ messageCount: 1, tokenCount: 4, byteCount: 100 });
  });

  test("discard marks what is erased for good", () => {
    const { storedTrims } = trim({ removedTo: "discard", select: keep(1) }, "append");
    expect(storedTrims).toMatchObject([{ discarded: true, reason: "keep-last" }]);
  });

  test("promote takes them out like any other", () => {
    const { storedTrims } = trim({ removedTo: "promote", select: keep(1) }, "append");
    expect(storedTrims).toMatchObject([{ discarded: false }]);
  });
});

describe("messages that wait for a summary", () => {
  const waits = { removedTo: "summarize", select: dropTo({ maxMessages: 2 }) } as const;

  test("stay, also for the stages that follow", () => {
    const policy = policyOf([waits, { select: keep(3) }]);
    const outcome = trimOn(windowOf("U A U A"), policy, "append");
    expect(outcome.runs.map((run) => [run.stage, seqsOf(run.awaitsSummary)])).toEqual([
      ["s0", [1, 2]],
      ["s1", []],
    ]);
    expect(seqsOf(outcome.kept)).toEqual([2, 3, 4]);
    expect(outcome.trims.map((trim) => trim.stage)).toEqual(["s1"]);
  });

  test("leave at once where the stage says so, for the reason of its selection", () => {
    const summarize = { ...DEFAULT_SUMMARY_SPEC, leave: "at-once" } as const;
    const outcome = trimOn(windowOf("U A U A"), policyOf([{ ...waits, summarize }]), "append");
    expect(outcome.runs).toMatchObject([{ stage: "s0", awaitsSummary: [], taskId: "" }]);
    expect(outcome.storedTrims).toMatchObject([
      { stage: "s0", reason: "message-limit", discarded: false },
    ]);
    expect(seqsOf(outcome.storedTrims[0]?.removed ?? [])).toEqual([1, 2]);
    expect(seqsOf(outcome.stored)).toEqual([3, 4]);
  });

  test("are what the boundary makes of them", () => {
    const select = {
      kind: "pin-middle-recent",
      pinFirst: 1,
      keepRecent: 2,
      minRemoved: 2,
    } as const;
    const boundary = { rule: "absorb-and-grow", always: false } as const;
    const policy: Policy = {
      ...policyOf([{ ...waits, select, boundary }]),
      toolPairing: "loose",
    };
    const { runs, kept } = trimOn(windowOf("U A U A(c) T(c) U"), policy, "append");
    expect(seqsOf(runs[0]?.awaitsSummary ?? [])).toEqual([2, 3]);
    expect(kept).toHaveLength(6);
  });

  test("do not put the stage over its limit, what is protected does", () => {
    const window = windowOf("U A U A");
    expect(trimOn(window, policyOf([waits]), "append")).toMatchObject({
      overLimit: false,
      runs: [{ overLimit: false, heldBy: [] }],
    });
    expect(trimOn(window, policyOf([waits], { minMessages: 3 }), "append")).toMatchObject({
      overLimit: true,
      runs: [{ overLimit: true, heldBy: ["min-messages"] }],
    });
  });

  test("give the very window back", () => {
    const window = windowOf("U A U A");
    expect(trimOn(window, policyOf([waits]), "append").stored).toBe(window);
  });
});

describe("shortening", () => {
  const shorten = (more: Partial<Extract<Selection, { kind: "shorten" }>> = {}) =>
    ({ kind: "shorten", maxTokens: 100, allRoles: false, keepNewest: 0, ...more }) as const;
  const long = { content: "x".repeat(4_000), name: "", toolCalls: [] };
  const trim = (
    text: string,
    stages: readonly Partial<PolicyStage>[],
    on: ReadonlySet<StageOn> | "append" | "read" = "read",
  ): TrimOutcome => {
    const set = typeof on === "string" ? on : "read";
    const request = requestOf(windowOf(text), policyOf(stages), set);
    const occasions = typeof on === "string" ? request.occasions : on;
    return trimWindow({ ...request, occasions, detailOf: () => long });
  };
  const view = { effect: "view", select: shorten() } as const;
  const cut = (outcome: TrimOutcome) => outcome.shortened.map(({ entry }) => entry.seq);

  test("lowers what long tool results cost", () => {
    const outcome = trim("U:1000 A(x) T(x):1000 A", [view]);
    expect(cut(outcome)).toEqual([3]);
    expect(outcome.shortened[0]).toMatchObject({ stage: "s0" });
    const cost = outcome.shortened[0]?.tokenCount ?? 0;
    expect(cost).toBeLessThan(200);
    expect(outcome.totals.tokenCount).toBe(1_020 + cost);
    expect(outcome.kept).toHaveLength(4);
    expect(outcome.trims).toEqual([]);
    expect(outcome.runs).toMatchObject([{ stage: "s0", triggers: [], heldBy: [] }]);
  });

  test("leaves the newest alone, and takes other roles when told", () => {
    const window = "U:1000 A(x) T(x):1000 R(x):1000 U:1000";
    expect(cut(trim(window, [view]))).toEqual([3, 4]);
    expect(cut(trim(window, [{ ...view, select: shorten({ keepNewest: 2 }) }]))).toEqual([3]);
    const all = shorten({ allRoles: true, keepNewest: 1 });
    expect(cut(trim(window, [{ ...view, select: all }]))).toEqual([1, 3, 4]);
    expect(cut(trim("T:1000", [{ ...view, select: shorten({ maxTokens: 1_000 }) }]))).toEqual([]);
  });

  test("runs whenever the window is trimmed or read, and is told of on reads only", () => {
    const window = "A(x) T(x):1000 A";
    for (const on of ["read", "append"] as const)
      expect(cut(trim(window, [view], on))).toEqual([2]);
    for (const on of ["turn-end", "request"] as const) {
      expect(cut(trim(window, [view], new Set([on])))).toEqual([2]);
    }
    expect(trim(window, [view], "append").runs).toEqual([]);
    expect(cut(trim(window, [{ ...view, on: "read" }], "append"))).toEqual([]);
  });

  test("makes room for later stages, while the stored window counts in full", () => {
    const drop = { select: dropTo({ maxTokens: 500 }) };
    const outcome = trim("U A(x) T(x):1000 U A", [view, drop], "append");
    expect(outcome.stored).toHaveLength(5);
    const tight = { select: dropTo({ maxMessages: 2 }) };
    const { trims, storedTrims } = trim("U A(x) T(x):1000 U A", [view, tight], "append");
    expect(storedTrims).toMatchObject([
      { before: { tokenCount: 1_040 }, after: { tokenCount: 20 } },
    ]);
    expect(trims[0]?.before.tokenCount).toBeLessThan(300);
    expect(trims[0]?.after.tokenCount).toBe(20);
  });

  test("hides from triggers of later stages what it cut, unless they count whole", () => {
    const anyOf = [{ kind: "token-count-over", limit: 1_000 }] as const;
    const drop = { select: keep(1), anyOf };
    const window = "U A(x) T(x):1000 U A";
    expect(trim(window, [view, drop], "append").stored).toHaveLength(5);
    const whole = trim(window, [view, { ...drop, countWhole: true }], "append");
    expect(seqsOf(whole.stored)).toEqual([5]);
    const limit = { kind: "message-count-over", limit: 4 } as const;
    const countIf = ["message.tokens >= 1000 || message.role != 'tool'"];
    const costly = { ...drop, anyOf: [limit], countIf };
    expect(trim(window, [view, costly], "append").stored).toHaveLength(5);
    const counted = trim(window, [view, { ...costly, countWhole: true }], "append");
    expect(counted.stored).toHaveLength(1);
  });

  test("a later stage may cut deeper, never less", () => {
    const deeper = { ...view, select: shorten({ maxTokens: 50 }) };
    const [once] = trim("A(x) T(x):1000", [view]).shortened;
    const [twice] = trim("A(x) T(x):1000", [view, deeper]).shortened;
    expect(twice).toMatchObject({ stage: "s1" });
    expect(twice?.tokenCount).toBeLessThan(once?.tokenCount ?? 0);
    expect(trim("A(x) T(x):1000", [deeper, view]).shortened[0]).toMatchObject({ stage: "s0" });
  });

  test("tells only of messages that are left", () => {
    const outcome = trim("A(x) T(x):1000 A", [
      view,
      { on: "read", select: keep(1), effect: "view" },
    ]);
    expect(outcome.shortened).toEqual([]);
    expect(outcome.totals).toEqual({ messageCount: 1, tokenCount: 10, byteCount: 100 });
  });

  test("keeps a beginning and a marker when told, at what the rule counts", () => {
    const head = { chars: 80, marker: " [truncated]" };
    const request = requestOf(
      windowOf("A(x) T(x):1013 A"),
      { ...policyOf([{ ...view, select: shorten({ head }) }]), tokenRule: "structured" },
      "read",
    );
    const { shortened } = trimWindow({ ...request, detailOf: () => long });
    const left = 1_013 - (4_000 - 80) / 4;
    expect(shortened).toMatchObject([
      { keptChars: 80 - 12, marker: " [truncated]", tokenCount: left },
    ]);
    const [byShare] = trim("A(x) T(x):2000", [{ ...view, select: shorten({ head }) }]).shortened;
    expect(byShare?.tokenCount).toBe(2_000 - 1_960);
  });

  test("cuts nothing that saves too little altogether", () => {
    const window = "A(x) T(x):1000 A(y) T(y):1000";
    const saved = (minSavedTokens: number) =>
      cut(trim(window, [{ ...view, select: shorten({ minSavedTokens }) }]));
    const plain = trim(window, [view]);
    const most = 2_020 - plain.totals.tokenCount;
    expect(saved(most)).toEqual([2, 4]);
    expect(saved(most + 1)).toEqual([]);
  });
});

describe("the newest assistant turns", () => {
  const keepingTurns = (keepAssistantTurns: number, select: Selection): Partial<PolicyStage> => ({
    keepAssistantTurns,
    select,
    unit: "message",
  });
  const left = (text: string, stage: Partial<PolicyStage>) =>
    seqsOf(trimOn(windowOf(text), policyOf([stage]), "append").kept);

  test("are left alone with all that follows", () => {
    expect(left("U A U A U", keepingTurns(1, keep(0)))).toEqual([4, 5]);
    expect(left("U A U A U", keepingTurns(2, keep(0)))).toEqual([2, 3, 4, 5]);
    expect(left("U A(x) T(x) A(y) T(y)", keepingTurns(1, keep(0)))).toEqual([4, 5]);
    expect(left("U A U A U", { select: keep(0), unit: "message" })).toEqual([]);
  });

  test("are everything when there are fewer", () => {
    expect(left("U A U A U", keepingTurns(3, keep(0)))).toEqual([1, 2, 3, 4, 5]);
    expect(left("U U", keepingTurns(1, keep(0)))).toEqual([1, 2]);
  });

  test("count before older messages when a budget is filled", () => {
    const pack = { kind: "pack-newest", maxTokens: 25, headroom: 0, skipUnfit: true } as const;
    expect(left("U A U A:20 U", keepingTurns(1, pack))).toEqual([4, 5]);
    expect(left("U:5 A U A U", keepingTurns(1, pack))).toEqual([1, 4, 5]);
  });

  test("are not shortened", () => {
    const select = { kind: "shorten", maxTokens: 100, allRoles: false, keepNewest: 0 } as const;
    const long = { content: "x".repeat(4_000), name: "", toolCalls: [] };
    const request = requestOf(
      windowOf("A(x) T(x):1000 A(y) T(y):1000 U"),
      policyOf([{ effect: "view", select, keepAssistantTurns: 1 }]),
      "read",
    );
    const { shortened } = trimWindow({ ...request, detailOf: () => long });
    expect(shortened.map(({ entry }) => entry.seq)).toEqual([2]);
  });
});
