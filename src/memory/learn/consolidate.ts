// ConsolidateSession: important messages of the window become memories now, though they stay in it.

import { answerOnly, changeSession, liveSession, saved } from "../../core/change.ts";
import { HookFailure } from "../../hooks/port.ts";
import { type Call, checkLive } from "../../kit/call.ts";
import { sessionNotFound } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { Session } from "../../session/rules/session.ts";
import {
  DEFAULT_MEMORY_POLICY,
  DEFAULT_PROMOTION,
  type PromotionPolicy,
} from "../../window/policy/memory-policy.ts";
import type { ConsolidateInput } from "../api.ts";
import type { HookParts } from "../parts.ts";
import { giveToMemory } from "./give.ts";
import { promotableOf, scoresOfHook } from "./promotable.ts";

const NO_SCORES: ReadonlyMap<string, number> = new Map();

/** Promotes important messages of a session's window now. */
export async function consolidateSession(
  parts: HookParts,
  call: Call,
  input: ConsolidateInput,
): Promise<Uint8Array> {
  const { context } = parts;
  const { namespace, sessionId } = input;
  const scores = await scoresNow(parts, call, input);
  const target = { namespace, sessionId };
  const nowMs = context.world.nowMs();
  return await changeSession<Uint8Array>(context, call, target, (view) => {
    const { session, revision } = view;
    if (session === undefined) throw sessionNotFound(sessionId);
    const own = session.fields.memoryPolicy ?? DEFAULT_MEMORY_POLICY;
    const policy = { ...own, promotion: promotionOf(session), extraction: undefined };
    const left = view.window().map((message) => ({
      ...{ message, isErased: false, isMarked: true },
    }));
    const stamp = { revision, nowMs };
    const given = giveToMemory(context, { session, policy, stamp, side: view, left, scores });
    const { promotedIds, evictedIds, plan } = given;
    // A promotion that is evicted at once leaves no trace, and a revision needs an event.
    const details = given.events;
    const isNothing = details.length === 0;
    const bytes = input.encode({ promotedIds, evictedIds, revision: isNothing ? 0 : revision });
    const changing = { context, call, nowMs };
    if (isNothing) return answerOnly(changing, bytes);
    // The session was not used: its time to live goes on.
    const head = { ...session.head, revision };
    return saved(changing, view, {
      ...{ result: bytes, bytes, session, details },
      plan: { ...plan, head },
    });
  });
}

function promotionOf({ fields }: Session): PromotionPolicy {
  return fields.memoryPolicy?.promotion ?? DEFAULT_PROMOTION;
}

/** The scores of the session's hook; the rules score the rest. */
async function scoresNow(
  parts: HookParts,
  call: Call,
  input: ConsolidateInput,
): Promise<ReadonlyMap<string, number>> {
  checkLive(call.signal);
  const { context } = parts;
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
    const given = await scoresOfHook(
      parts,
      hook,
      ask,
      batch.map(({ text }) => text),
    ).catch(orRules);
    if (given === undefined) return scores;
    for (const [index, { message }] of batch.entries()) {
      scores.set(message.messageId, given[index] ?? 0);
    }
  }
  return scores;
}

function orRules(error: unknown): undefined {
  if (!(error instanceof HookFailure)) throw error;
  return undefined;
}
