import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../domain/policy.ts";
import { TokenRule } from "../../gen/memorysidecar/v1/message.ts";
import * as wire from "../../gen/memorysidecar/v1/policy.ts";
import { POLICY_ENUM_MAX } from "../validate/policy.ts";
import { fromPolicy, toPolicy } from "./policy.ts";

const highest = (values: Readonly<Record<string, number>>): number =>
  Math.max(...Object.values(values));

describe("policies", () => {
  it("keep everything on the way out and in", () => {
    expect(fromPolicy(toPolicy(DEFAULT_POLICY))).toEqual(DEFAULT_POLICY);
    for (const system of [1, 2, 3] as const) {
      for (const unit of [1, 2, 3] as const) {
        for (const on of [1, 2] as const) {
          const policy: wire.Policy = {
            tokenRule: TokenRule.O200K,
            imageTokenCount: 0,
            protections: { system, pinFirst: 3, minMessages: 0, lastUser: false },
            stages: [
              {
                name: "a",
                on,
                anyOf: [{ condition: { $case: "tokenCountOver", value: 10n } }],
                unit,
                select: { $case: "keepLast", value: { unitCount: 4 } },
              },
            ],
          };
          expect(toPolicy(fromPolicy(policy))).toEqual(policy);
        }
      }
    }
  });

  it("get their defaults when nothing is set", () => {
    const empty = fromPolicy(wire.Policy.decode(new Uint8Array(0)));
    expect(empty).toEqual({ ...DEFAULT_POLICY, stages: [] });
  });

  it("are checked against the highest numbers of the generated enums", () => {
    expect(POLICY_ENUM_MAX).toEqual({
      tokenRule: highest(TokenRule),
      systemProtection: highest(wire.SystemProtection),
      stageOn: highest(wire.StageOn),
      unit: highest(wire.Unit),
    });
  });
});
