// Cost of policies: appends under five stages against one, the evaluation alone, and a long session
// under five stages against a short one.

import { Session } from "../src/gen/memorysidecar/v1/session.ts";
import {
  CreateSessionRequest,
  CreateSessionResponse,
} from "../src/gen/memorysidecar/v1/session_service.ts";
import {
  DEFAULT_POLICY_PARTS,
  DEFAULT_STAGE,
  type Policy,
  type PolicyStage,
  type Selection,
  type WindowUnit,
} from "../src/window/policy/policy.ts";
import { toPolicyChoice } from "../src/window/policy-wire.ts";
import { trimWindow } from "../src/window/rules/trim.ts";
import { ROLE, type WindowEntry } from "../src/window/rules/types.ts";
import { make, sessionName, TEXT_BYTES, textOf } from "./bodies.ts";
import { Caller, inParallel } from "./caller.ts";
import { median } from "./stats.ts";

const WINDOW_MESSAGES = 200;
/** A limit that the bench's messages just fill, so every append trims. */
const WINDOW_TOKENS = (WINDOW_MESSAGES * TEXT_BYTES) / 4;
const DAY_MS = 86_400_000;

function stage(name: string, unit: WindowUnit, select: Selection, tokens: number): PolicyStage {
  const anyOf = [{ kind: "token-count-over", limit: tokens }] as const;
  return { ...DEFAULT_STAGE, name, anyOf, unit, select };
}

function dropTo(maxTokens: number): Selection {
  return { kind: "drop-oldest", maxTokens, stopAtProtected: false, stopAtFree: false };
}

const DROP = stage("turns", "turn", dropTo(WINDOW_TOKENS), WINDOW_TOKENS);

const SHORTEN_RULE = {
  kind: "shorten",
  maxTokens: 1_000,
  allRoles: false,
  keepNewest: 4,
} as const;

const SHORTEN: PolicyStage = {
  ...stage("tool-results", "message", SHORTEN_RULE, WINDOW_TOKENS / 2),
  effect: "view",
};

const FILTER: Selection = {
  kind: "filter",
  conditions: ["message.tokens < 1000 or message.role == 'system'"],
  scope: "unit",
};

const AGE: Selection = {
  kind: "drop-oldest",
  maxAgeMs: 7 * DAY_MS,
  stopAtProtected: false,
  stopAtFree: false,
};

/** The compared policies, by the prefix of their sessions. */
export const POLICIES: Readonly<Record<"one" | "five", Policy>> = {
  one: { ...DEFAULT_POLICY_PARTS, stages: [DROP] },
  five: {
    ...DEFAULT_POLICY_PARTS,
    stages: [
      SHORTEN,
      { ...stage("old", "turn", AGE, 0), anyOf: [{ kind: "age-over", ms: 7 * DAY_MS }] },
      DROP,
      stage("assistant_turns", "assistant-turn", dropTo(WINDOW_TOKENS), WINDOW_TOKENS),
      stage("messages", "message", dropTo(WINDOW_TOKENS), WINDOW_TOKENS),
    ],
  },
};

/** Five stages, each with work to do on the full window. */
export const BUSY_POLICY: Policy = {
  ...DEFAULT_POLICY_PARTS,
  stages: [
    { ...SHORTEN, select: { ...SHORTEN_RULE, maxTokens: 40 } },
    {
      ...stage("short", "turn", FILTER, 0),
      anyOf: [],
    },
    stage("turns", "turn", dropTo(WINDOW_TOKENS * 0.6), 0),
    stage("assistant_turns", "assistant-turn", dropTo(WINDOW_TOKENS * 0.5), 0),
    stage("messages", "message", dropTo(WINDOW_TOKENS * 0.4), 0),
  ],
};

/** Creates sessions under a policy. */
export async function createSessions(
  port: number,
  what: { readonly prefix: string; readonly sessions: number; readonly policy: Policy },
): Promise<void> {
  const caller = new Caller(port);
  const policy = toPolicyChoice(what.policy);
  await inParallel(what.sessions, 16, async (index) => {
    const session = make(Session, { sessionId: sessionName(what.prefix, index), policy });
    const value = make(CreateSessionRequest, { session });
    const request = { codec: CreateSessionRequest, value };
    const path = "/memorysidecar.v1.SessionService/CreateSession";
    await caller.call(path, request, CreateSessionResponse);
  });
  caller.close();
}

/** A window of turns with one tool call each, one message over the limit. */
function fullWindow(): WindowEntry[] {
  const roles = [ROLE.user, ROLE.assistant, ROLE.tool, ROLE.assistant] as const;
  return Array.from({ length: WINDOW_MESSAGES + 1 }, (_, index) => {
    const place = index % roles.length;
    const call = `call-${Math.floor(index / roles.length)}`;
    return {
      messageId: `m-${index + 1}`,
      seq: index + 1,
      role: roles[place] ?? ROLE.user,
      callIds: place === 1 ? [call] : [],
      answers: place === 2 ? [call] : [],
      isResult: place === 2,
      tokenCount: TEXT_BYTES / 4,
      byteCount: TEXT_BYTES + 60,
      createMs: 1_000 * index,
    };
  });
}

const DETAIL = { content: textOf(TEXT_BYTES), name: "", toolCalls: [] };

/** Duration of one evaluation on append, in milliseconds: the median of many batches. */
export function evaluationMs(policy: Policy): number {
  const entries = fullWindow();
  const request = {
    entries,
    policy,
    occasions: new Set(["append"] as const),
    ceiling: true,
    signals: { modelInputTokens: 0, outcomes: [], lastSeq: entries.length, actedSeqs: new Map() },
    detailOf: () => DETAIL,
  };
  const batch = 200;
  const times: number[] = [];
  for (let round = 0; round < 60; round++) {
    const start = performance.now();
    for (let i = 0; i < batch; i++) {
      if (trimWindow(request).kept.length > WINDOW_MESSAGES) throw new Error("nothing was trimmed");
    }
    times.push((performance.now() - start) / batch);
  }
  // The first batches run before the code is compiled, so they do not count.
  return median(times.slice(20));
}
