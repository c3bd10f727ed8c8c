// Windows written as short text, for unit tests.

import {
  DEFAULT_POLICY,
  DEFAULT_POLICY_PARTS,
  DEFAULT_STAGE,
  type Policy,
  type PolicyStage,
  type Selection,
} from "../../../src/window/policy/policy.ts";
import { type KnownWindow, type TrimRequest, trimWindow } from "../../../src/window/rules/trim.ts";
import {
  type MessageDetail,
  ROLE,
  type Signals,
  type TrimOutcome,
  type WindowEntry,
} from "../../../src/window/rules/types.ts";

/** The signals of a session that nobody said anything about. */
export const NO_SIGNALS: Signals = {
  modelInputTokens: 0,
  outcomes: [],
  lastSeq: 0,
  actedSeqs: new Map(),
};

const ROLES = { U: ROLE.user, A: ROLE.assistant, S: ROLE.system, T: ROLE.tool, R: ROLE.user };
const FORM = /^([UASTR])(?:\(([a-z0-9,]*)\))?(?::(\d+(?:\.\d+)?))?(?:@(\d+))?$/;

/**
 * Reads a window: `U`, `A`, `S` and `T` are messages by role with the seqs 1, 2, 3 and so on.
 * `A(x,y)` makes calls, `T(x)` answers one, `T` answers without an id, `R(x,y)` is a user message
 * of tool results alone and `U(x)` one that says something as well. `U:50` costs 50 tokens; else it
 * is 10. `U@90` was stored in second 90; else it is the second of its seq. Every message takes 100
 * bytes.
 */
export function windowOf(text: string): WindowEntry[] {
  const words = text.split(" ").filter((word) => word !== "");
  return words.map((word, index) => {
    const [, letter, ids = "", tokens = "10", second = `${index + 1}`] = FORM.exec(word) ?? [];
    if (letter === undefined) throw new Error(`"${word}" is no message.`);
    const role = ROLES[letter as keyof typeof ROLES];
    const list = ids === "" ? [] : ids.split(",");
    return {
      seq: index + 1,
      messageId: `m${index + 1}`,
      role,
      callIds: role === ROLE.assistant ? list : [],
      answers: role === ROLE.assistant ? [] : list,
      isResult: letter === "T" || letter === "R",
      tokenCount: Number(tokens),
      byteCount: 100,
      createMs: Number(second) * 1_000,
    };
  });
}

/** The seqs of a window. */
export function seqsOf(entries: readonly WindowEntry[]): number[] {
  return entries.map((entry) => entry.seq);
}

/** Drops the oldest until the limits hold, and stops nowhere before. */
export function dropTo(
  limits: { maxMessages?: number; maxTokens?: number; maxAgeMs?: number },
  stops: { stopAtProtected?: boolean; stopAtFree?: boolean } = {},
): Selection {
  return { kind: "drop-oldest", stopAtProtected: false, stopAtFree: false, ...limits, ...stops };
}

/** A policy of these stages that protects nothing unless told. */
export function policyOf(
  stages: readonly Partial<PolicyStage>[],
  protections: Partial<Policy["protections"]> = {},
): Policy {
  const none = {
    system: "none",
    pinFirst: 0,
    pinIds: [],
    minMessages: 0,
    lastUser: false,
  } as const;
  return {
    ...DEFAULT_POLICY_PARTS,
    tokenRule: DEFAULT_POLICY.tokenRule,
    protections: { ...none, ...protections },
    stages: stages.map((stage, index) => ({
      ...DEFAULT_STAGE,
      name: `s${index}`,
      unit: "message" as const,
      select: dropTo({ maxMessages: 0 }),
      effect: stage.on === "read" ? ("view" as const) : ("store" as const),
      ...stage,
    })),
  };
}

/** Stages of a policy that run: those of a change, those of a read, or all for a look. */
export type StageSet = "append" | "read" | "all";

/** The details of a message that says nothing. */
export function noDetail(): MessageDetail {
  return { content: "", name: "", toolCalls: [] };
}

/** The request for the stages on one occasion. Only a change is held under the ceiling. */
export function requestOf<E extends WindowEntry>(
  entries: readonly E[],
  policy: Policy,
  stages: StageSet,
  known: KnownWindow = {},
): TrimRequest<E> {
  return {
    entries,
    policy,
    occasions: stages === "all" ? stages : new Set([stages]),
    ceiling: stages === "append",
    signals: NO_SIGNALS,
    detailOf: noDetail,
    known,
  };
}

/** Applies the stages on one occasion. */
export function trimOn<E extends WindowEntry>(
  entries: readonly E[],
  policy: Policy,
  stages: StageSet,
  known: KnownWindow = {},
): TrimOutcome<E> {
  return trimWindow(requestOf(entries, policy, stages, known));
}
