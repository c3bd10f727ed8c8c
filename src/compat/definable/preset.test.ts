// The profile of definable takes its configurations as they are, with their names and defaults, and
// gives the policies that stand for them.

import { describe, expect, test } from "vitest";
import {
  defaultsOf,
  faultsOf,
  policyOf,
  protections,
} from "../../../test/support/window/profiles.ts";
import { DEFAULT_SUMMARY_SPEC } from "../../window/policy/summary-spec.ts";

describe("definable", () => {
  test("summarizes the middle, or says how much it was", () => {
    expect(policyOf("definable", { max_messages: 6, recent_count: 2 })).toMatchObject({
      protections: protections({}),
      toolPairing: "loose",
      stages: [
        {
          on: "append",
          anyOf: [{ kind: "message-count-over", limit: 6 }],
          select: { kind: "pin-middle-recent", pinFirst: 2, keepRecent: 2, minRemoved: 2 },
          boundary: { rule: "absorb-and-grow", always: false },
          effect: "store",
          removedTo: "summarize",
          summarize: {
            ...DEFAULT_SUMMARY_SPEC,
            onFailure: "placeholder",
            placeholder: "Summary of {count} messages.",
          },
        },
      ],
    });
    expect(policyOf("definable", { hook: "mine" }).stages[0]?.summarize?.hook).toBe("mine");
    expect(policyOf("definable", { enabled: false }).stages).toEqual([]);
    expect(faultsOf("definable", { recent_count: 0 })).toEqual([
      "recent_count: recent_count must be at least 1",
    ]);
  });

  test("tells its defaults", () => {
    expect(defaultsOf("definable", "Memory")).toEqual({
      enabled: true,
      max_messages: 100,
      pin_count: 2,
      recent_count: 5,
    });
  });
});
