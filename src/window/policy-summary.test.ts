// Goal: every rule of how stages summarize and windows show summaries holds, at its limit and one
// beyond, and a fault names the field that breaks it.

import { describe, expect, test } from "vitest";
import { checkWholePolicy } from "../../test/support/contract/whole-checks.ts";
import * as wire from "../gen/memorysidecar/v1/policy.ts";
import * as summaries from "../gen/memorysidecar/v1/policy.ts";
import { PolicyStage, RemovedTo } from "../gen/memorysidecar/v1/policy.ts";
import { Violations } from "../grpc/violations.ts";

const NOTHING = new Uint8Array(0);
const { SummaryKeep, SummaryLeave, SummaryFailure } = summaries;

function faultsOf(fields: Partial<wire.Policy>): readonly string[] {
  const violations = new Violations();
  checkWholePolicy(violations, { ...wire.Policy.decode(NOTHING), ...fields });
  const found = violations.error()?.detail.violations ?? [];
  return found.map(({ field, description }) => `${field}: ${description}`);
}

const stageFaults = (fields: Partial<PolicyStage>): readonly string[] =>
  faultsOf({
    stages: [
      {
        ...PolicyStage.decode(NOTHING),
        name: "a",
        select: { $case: "keepLast", value: { unitCount: 3 } },
        removedTo: RemovedTo.SUMMARIZE,
        ...fields,
      },
    ],
  }).map((fault) => fault.replace("policy.stages[0].", ""));

const summaryFaults = (fields: Partial<summaries.Summarize>): readonly string[] =>
  stageFaults({ summarize: { ...summaries.Summarize.decode(NOTHING), ...fields } }).map((fault) =>
    fault.replace("summarize.", ""),
  );

const viewFaults = (fields: Partial<summaries.SummaryView>): readonly string[] =>
  faultsOf({ summaryView: { ...summaries.SummaryView.decode(NOTHING), ...fields } }).map((fault) =>
    fault.replace("policy.summary_view.", ""),
  );

const HOOK_FORM = "hook: must be 1 to 63 characters of a-z0-9_-, the first a letter";

describe("how a stage summarizes", () => {
  test("may be left out, and be empty", () => {
    expect(stageFaults({})).toEqual([]);
    expect(summaryFaults({})).toEqual([]);
  });

  test("is only for stages that summarize", () => {
    const summarize = summaries.Summarize.decode(NOTHING);
    const fault = ["summarize: must be unset without REMOVED_TO_SUMMARIZE"];
    expect(stageFaults({ removedTo: RemovedTo.LOG, summarize })).toEqual(fault);
    expect(stageFaults({ removedTo: RemovedTo.UNSPECIFIED, summarize })).toEqual(fault);
    expect(stageFaults({ removedTo: RemovedTo.DISCARD, summarize })).toEqual(fault);
  });

  test.each<readonly [Partial<summaries.Summarize>, Partial<summaries.Summarize>, string]>([
    [{ hook: `a${"-".repeat(62)}` }, { hook: `a${"-".repeat(63)}` }, HOOK_FORM],
    [{ hook: "a_1" }, { hook: "1a" }, HOOK_FORM],
    [{ hook: "manual" }, { hook: "Manual" }, HOOK_FORM],
    [{ maxTokens: 16 }, { maxTokens: 15 }, "max_tokens: must be 16 to 16384"],
    [{ maxTokens: 16_384 }, { maxTokens: 16_385 }, "max_tokens: must be 16 to 16384"],
    [
      { instructions: "x".repeat(4_096) },
      { instructions: "x".repeat(4_097) },
      "instructions: is longer than 4096 bytes",
    ],
    [{ keep: 4 }, { keep: 5 as 4 }, "keep: is not a known value: 5"],
    [{ flow: 2 }, { flow: 3 as 2 }, "flow: is not a known value: 3"],
    [{ flow: 2, maxLoops: 1 }, { maxLoops: 0 }, "max_loops: must be 1 to 10"],
    [{ flow: 2, maxLoops: 10 }, { maxLoops: 11 }, "max_loops: must be 1 to 10"],
    [{ leave: 1 }, { leave: 3 as 1 }, "leave: is not a known value: 3"],
    [{ onFailure: 3 }, { onFailure: 4 as 3 }, "on_failure: is not a known value: 4"],
    [
      { onFailure: 3, placeholder: "x".repeat(1_024) },
      { placeholder: "x".repeat(1_025) },
      "placeholder: is longer than 1024 bytes",
    ],
    [
      { keep: 2, separator: "x".repeat(64) },
      { separator: "x".repeat(65) },
      "separator: is longer than 64 bytes",
    ],
    [{ keep: 2, lastChars: 100 }, { lastChars: 99 }, "last_chars: must be 100 to 16000"],
    [{ keep: 2, lastChars: 16_000 }, { lastChars: 16_001 }, "last_chars: must be 100 to 16000"],
    [{ prefix: "é".repeat(128) }, { prefix: "é".repeat(129) }, "prefix: is longer than 256 bytes"],
    [{ transcript: 3 }, { transcript: 4 as 3 }, "transcript: is not a known value: 4"],
    [{ fanIn: 2 }, { fanIn: 1 }, "fan_in: must be 2 to 16"],
    [{ fanIn: 16 }, { fanIn: 17 }, "fan_in: must be 2 to 16"],
    [{ shape: 2 }, { shape: 3 as 2 }, "shape: is not a known value: 3"],
  ])("has limits: %#", (sound, broken, fault) => {
    expect(summaryFaults(sound)).toEqual([]);
    expect(summaryFaults(broken)).toEqual([fault]);
  });

  test("lets messages leave at once only for the summary of the session", () => {
    const leave = SummaryLeave.AT_ONCE;
    const { UNSPECIFIED, IN_PLACE, HIERARCHICAL, APPEND, REPLACE } = SummaryKeep;
    const fault = "leave: SUMMARY_LEAVE_AT_ONCE is only for SUMMARY_KEEP_APPEND and";
    for (const keep of [UNSPECIFIED, IN_PLACE, HIERARCHICAL]) {
      expect(summaryFaults({ leave, keep })).toEqual([`${fault} SUMMARY_KEEP_REPLACE`]);
    }
    for (const keep of [APPEND, REPLACE]) expect(summaryFaults({ leave, keep })).toEqual([]);
  });

  test("cannot keep what leaves at once", () => {
    const atOnce = { leave: SummaryLeave.AT_ONCE, keep: SummaryKeep.APPEND };
    expect(summaryFaults({ ...atOnce, onFailure: SummaryFailure.KEEP })).toEqual([
      "on_failure: SUMMARY_FAILURE_KEEP is not for messages that leave at once",
    ]);
    expect(summaryFaults({ ...atOnce, onFailure: SummaryFailure.DROP })).toEqual([]);
    expect(summaryFaults({ ...atOnce, onFailure: SummaryFailure.PLACEHOLDER })).toEqual([]);
  });
});

describe("the view of a summary", () => {
  test("may be left out, and be empty", () => {
    expect(viewFaults({})).toEqual([]);
    expect(viewFaults({ prefix: "" })).toEqual([]);
  });

  test("has limits", () => {
    expect(viewFaults({ show: 4, prefix: "x".repeat(256) })).toEqual([]);
    expect(viewFaults({ show: 5 as 4, prefix: "x".repeat(257) })).toEqual([
      "show: is not a known value: 5",
      "prefix: is longer than 256 bytes",
    ]);
  });
});
