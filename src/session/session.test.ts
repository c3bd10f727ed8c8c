// Goal: what a session and a window say of summaries goes over the wire whole.

import { expect, test } from "vitest";
import { Message, Trust } from "../gen/memorysidecar/v1/message.ts";
import { Summary, SummaryPlacement } from "../gen/memorysidecar/v1/summary.ts";
import { StageRun, TriggerKind, Trim, TrimReason } from "../gen/memorysidecar/v1/window.ts";
import { TRUST } from "../summary/rules/summary.ts";
import { toStageRuns, toTrim } from "../window/wire.ts";
import { toPlacedSummary, toSummary } from "./wire.ts";

const RANGES = [{ first: 2, last: 5 }] as const;
const WIRE_RANGES = [{ firstSeq: 2n, lastSeq: 5n }];
const seconds = (count: number) => ({ seconds: BigInt(count), nanos: 0 });

test("the summary of a session", () => {
  const summary = {
    ...{ text: "so far", tokenCount: 2, version: 3, createMs: 1_000 },
    ...{ ranges: RANGES, hook: "mine", stage: "old", level: 2, trust: TRUST.low },
  };
  const wire = Summary.decode(Summary.encode(toSummary(summary)).finish());
  expect(wire).toEqual({
    ...{ text: "so far", tokenCount: 2, version: 3n, createTime: seconds(1) },
    ...{ seqRanges: WIRE_RANGES, hook: "mine", stage: "old", level: 2, trust: Trust.LOW },
    ...{ placement: SummaryPlacement.SESSION, placedMessageId: "", current: true },
    ...{ firstMessageTime: undefined, origin: undefined },
  });
});

test("a placed summary", () => {
  const bytes = Message.encode({
    ...Message.decode(new Uint8Array(0)),
    text: "in between",
  }).finish();
  const placed = toPlacedSummary({
    ...{ position: 5.5, kind: "summary", messageId: "s1", tokenCount: 4.5, bytes },
    ...{ ranges: RANGES, firstMs: 1_000, createMs: 2_000, version: 7 },
    ...{ hook: "mine", stage: "old", level: 2, trust: TRUST.medium },
  });
  expect(Summary.decode(Summary.encode(placed).finish())).toEqual({
    ...{ placedMessageId: "s1", text: "in between", tokenCount: 4, seqRanges: WIRE_RANGES },
    ...{ firstMessageTime: seconds(1), createTime: seconds(2), version: 7n },
    ...{ hook: "mine", trust: Trust.MEDIUM, level: 2, stage: "old" },
    ...{ placement: SummaryPlacement.IN_PLACE, current: true, origin: undefined },
  });
});

test("the task of a stage that acted", () => {
  const [run] = toStageRuns([
    {
      ...{ stage: "old", triggers: [{ kind: "always", tool: "" }], overLimit: true },
      ...{ heldBy: [], awaitsSummary: [], taskId: "task-00000000001" },
    },
  ]);
  if (run === undefined) throw new Error("There is no run.");
  expect(StageRun.decode(StageRun.encode(run).finish())).toMatchObject({
    stage: "old",
    triggers: [{ kind: TriggerKind.ALWAYS, tool: "" }],
    taskId: "task-00000000001",
  });
});

test("messages that left without a summary", () => {
  const totals = { messageCount: 0, tokenCount: 0 };
  const trim = toTrim({
    ...{ stage: "old", reason: "summary-failed", removed: [] },
    ...{ before: totals, after: totals, discarded: false },
  });
  expect(Trim.decode(Trim.encode(trim).finish()).reason).toBe(TrimReason.SUMMARY_FAILED);
});
