// ConsolidateSession: important messages of the window become memories now, though they stay in it.

import { sessionNotFound } from "../../domain/errors.ts";
import { LIMITS } from "../../domain/limits.ts";
import {
  DEFAULT_MEMORY_POLICY,
  DEFAULT_PROMOTION,
  type PromotionPolicy,
} from "../../domain/memories/policy.ts";
import type { Session } from "../../domain/session.ts";
import type { SessionDecision, SessionView } from "../../storage/store.ts";
import type { Call } from "../call.ts";
import { changeSession, checkLive, liveSession, replyPart } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import { HookFailure } from "../hook-port.ts";
import type { ConsolidateInput } from "../memory-api.ts";
import { newEvents } from "../new-events.ts";
import { giveToMemory } from "./give.ts";
import { type Promotable, promotableOf } from "./promotable.ts";
import type { Scorers } from "./scorers.ts";

const NO_SCORES: ReadonlyMap<string, number> = new Map();

/** Promotes important messages of a session's window now. */
export async function consolidateSession(
  parts: { readonly context: ServiceContext; readonly scorers: Scorers },
  call: Call,
  input: ConsolidateInput,
): Promise<Uint8Array> {
  const { context } = parts;
  const { namespace, sessionId } = input;
  const scores = await scoresNow(parts, call, input);
  const target = { namespace, sessionId, needWindow: true };
  const nowMs = context.world.nowMs();
  return await changeSession<Uint8Array>(context, call, target, (view) =>
    decide({ context, call, input, nowMs, scores }, view),
  );
}

interface Consolidation {
  readonly context: ServiceContext;
  readonly call: Call;
  readonly input: ConsolidateInput;
  readonly nowMs: number;
  readonly scores: ReadonlyMap<string, number>;
}

function decide(
  { context, call, input, nowMs, scores }: Consolidation,
  view: SessionView,
): SessionDecision<Uint8Array> {
  const { session, revision } = view;
  if (session === undefined) throw sessionNotFound(input.sessionId);
  const own = session.fields.memoryPolicy ?? DEFAULT_MEMORY_POLICY;
  const policy = { ...own, promotion: promotionOf(session), extraction: undefined };
  const left = (view.window ?? []).map((message) => ({
    ...{ message, isErased: false, isMarked: true },
  }));
  const stamp = { revision, nowMs };
  const given = giveToMemory(context, { session, policy, stamp, side: view, left, scores });
  const { promotedIds, evictedIds, plan } = given;
  const isNothing = plan.memories === undefined;
  const result = { promotedIds, evictedIds, revision: isNothing ? 0 : revision };
  const bytes = input.encode(result);
  const reply = replyPart(call, nowMs, bytes);
  if (isNothing) return { kind: "answer", result: bytes, ...reply };
  const origin = { session, revision, nowMs, requestId: call.requestId };
  const events = newEvents(context, origin, given.events);
  // The session was not used: its time to live goes on.
  const head = { ...session.head, revision };
  const window = view.window === undefined ? {} : { window: view.window };
  return { kind: "save", result: bytes, plan: { ...plan, head, ...window, events, ...reply } };
}

function promotionOf({ fields }: Session): PromotionPolicy {
  return fields.memoryPolicy?.promotion ?? DEFAULT_PROMOTION;
}

/** What the hook of the session says now; the rules say the rest. */
async function scoresNow(
  { context, scorers }: { readonly context: ServiceContext; readonly scorers: Scorers },
  call: Call,
  input: ConsolidateInput,
): Promise<ReadonlyMap<string, number>> {
  checkLive(call.signal);
  const { namespace, sessionId } = input;
  const session = liveSession(context, await context.store.readSession(input));
  if (session === undefined) return NO_SCORES;
  const { scoreHook: hook, selection } = promotionOf(session);
  if (hook === "") return NO_SCORES;
  const window = await context.store.readWindow({ namespace, sessionId });
  const said = (window?.window ?? []).flatMap(
    (message) => promotableOf(context, message, selection) ?? [],
  );
  const scores = new Map<string, number>();
  const ask = { namespace, signal: call.signal };
  for (let start = 0; start < said.length; start += LIMITS.scoreHookTexts) {
    const batch = said.slice(start, start + LIMITS.scoreHookTexts);
    const given = await scorers.score(hook, ask, batch.map(textOf)).catch(orRules);
    if (given === undefined) return scores;
    for (const [index, { message }] of batch.entries()) {
      scores.set(message.messageId, given[index] ?? 0);
    }
  }
  return scores;
}

function textOf({ text }: Promotable): string {
  return text;
}

function orRules(error: unknown): undefined {
  if (!(error instanceof HookFailure)) throw error;
  return undefined;
}
