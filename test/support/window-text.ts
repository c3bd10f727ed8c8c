// Windows written as short text, for unit tests.

import { DEFAULT_POLICY, type Policy, type PolicyStage } from "../../src/domain/policy.ts";
import { ROLE, type WindowEntry } from "../../src/domain/window/types.ts";

const ROLES = { U: ROLE.user, A: ROLE.assistant, S: ROLE.system, T: ROLE.tool } as const;
const FORM = /^([UAST])(?:\(([a-z0-9,]*)\))?(?::(\d+))?$/;

/**
 * Reads a window: `U`, `A`, `S` and `T` are messages by role with the seqs 1, 2, 3 and so on.
 * `A(x,y)` makes calls, `T(x)` answers one, `T` answers without an id. `U:50` costs 50 tokens; else
 * it is 10. Every message takes 100 bytes.
 */
export function windowOf(text: string): WindowEntry[] {
  const words = text.split(" ").filter((word) => word !== "");
  return words.map((word, index) => {
    const [, letter, ids = "", tokens = "10"] = FORM.exec(word) ?? [];
    if (letter === undefined) throw new Error(`"${word}" is no message.`);
    const role = ROLES[letter as keyof typeof ROLES];
    const list = ids === "" ? [] : ids.split(",");
    return {
      seq: index + 1,
      messageId: `m${index + 1}`,
      role,
      callIds: role === ROLE.assistant ? list : [],
      toolCallId: role === ROLE.tool ? ids : "",
      tokenCount: Number(tokens),
      byteCount: 100,
    };
  });
}

/** The seqs of a window. */
export function seqsOf(entries: readonly WindowEntry[]): number[] {
  return entries.map((entry) => entry.seq);
}

/** A policy of these stages that protects nothing unless told. */
export function policyOf(
  stages: readonly Partial<PolicyStage>[],
  protections: Partial<Policy["protections"]> = {},
): Policy {
  return {
    ...DEFAULT_POLICY,
    protections: { system: "none", pinFirst: 0, minMessages: 0, lastUser: false, ...protections },
    stages: stages.map((stage, index) => ({
      name: `s${index}`,
      on: "append" as const,
      anyOf: [],
      unit: "message" as const,
      select: { kind: "drop-oldest" as const, maxMessages: 0 },
      ...stage,
    })),
  };
}
