// TrimSession: trims the window when a caller asks for it, to a size or as the policy's stages on
// request say.

import { answerOnly, type Changing, changeSession, saved } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import type { TrimSessionInput, TrimTarget } from "../core/window-api.ts";
import { changeWindow, type Pass, planOf, windowBase } from "../core/window-change.ts";
import type { Call } from "../kit/call.ts";
import { etagMismatch, sessionNotFound } from "../kit/errors.ts";
import type { SessionDecision, SessionView } from "../store/store.ts";
import { DEFAULT_STAGE, type Policy, type Selection } from "./policy/policy.ts";
import { toldOf } from "./window.ts";

/** The name of the stage that a trim to a size stands for. */
const STAGE_NAME = "trim_session";

/** Trims the window of a session. */
export async function trimSession(
  context: ServiceContext,
  call: Call,
  input: TrimSessionInput,
): Promise<Uint8Array> {
  const { namespace, sessionId } = input;
  const nowMs = context.world.nowMs();
  // Discarding frees space.
  const target = { namespace, sessionId, allowWhenFull: input.discard };
  return await changeSession<Uint8Array>(context, call, target, (view) =>
    decideTrim({ context, call, input, nowMs }, view),
  );
}

interface Trimming extends Changing {
  readonly input: TrimSessionInput;
}

function decideTrim(trimming: Trimming, view: SessionView): SessionDecision<Uint8Array> {
  const { context, input, nowMs } = trimming;
  const { session, revision } = view;
  if (session === undefined) throw sessionNotFound(input.sessionId);
  if (!context.etags.allows(input.etag, session.fields.etagRevision)) throw etagMismatch();
  const base = windowBase(view, session, nowMs);
  const change = changeWindow(context, base, [passOf(input, session.fields.policy)]);
  const { trims, runs, overLimit, totals: window } = change;
  // Stages may have nothing to tell and still something to remember: a limit that holds again.
  const { events: told, head } = change;
  const remembers = head.policyState !== session.head.policyState;
  const changed = told.length > 0 || remembers || change.tasks !== undefined;
  const answer = { trims, window, runs, overLimit };
  const bytes = input.encode({ ...answer, revision: changed ? revision : session.head.revision });
  if (!changed) return answerOnly(trimming, bytes);
  const plan = planOf(session, change);
  return saved(trimming, view, { result: bytes, session, plan, details: toldOf(change), bytes });
}

function passOf(input: TrimSessionInput, policy: Policy): Pass {
  if (input.target.kind === "policy") return { occasions: ["request"] };
  const stage = {
    ...DEFAULT_STAGE,
    name: STAGE_NAME,
    on: "request",
    unit: input.unit,
    select: selectionOf(input.target),
    removedTo: input.discard ? "discard" : "log",
  } as const;
  return { occasions: ["request"], policy: { ...policy, stages: [stage] } };
}

function selectionOf(target: Exclude<TrimTarget, { kind: "policy" }>): Selection {
  if (target.kind === "recent") return { kind: "keep-last", unitCount: target.unitCount };
  return {
    kind: "drop-oldest",
    ...(target.kind === "tokens"
      ? { maxTokens: target.maxTokens }
      : { maxMessages: target.maxMessages }),
    stopAtProtected: false,
    stopAtFree: false,
  };
}
