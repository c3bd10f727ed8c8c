// PreviewPolicy: what policies would make of a session now, message by message. Changes nothing.

import { setImmediate as nextTurn } from "node:timers/promises";
import { sessionNotFound } from "../domain/errors.ts";
import { LIMITS } from "../domain/limits.ts";
import { CEILING, type Policy, type StageOn } from "../domain/policy.ts";
import type { Session, SessionRef } from "../domain/session.ts";
import { type EntryExplanation, explainWindow } from "../domain/window/explain.ts";
import { totalsOf } from "../domain/window/totals.ts";
import { trimWindow } from "../domain/window/trim.ts";
import type { DetailOf, Signals, Totals, TrimOutcome, TrimReason } from "../domain/window/types.ts";
import type { StoredEntry } from "../storage/store.ts";
import type { Call } from "./api.ts";
import { checkLive, liveSession } from "./change.ts";
import type { ServiceContext } from "./context.ts";
import type { MessagePreview, PolicyPreview, PreviewInput, PreviewResult } from "./window-api.ts";
import { detailReader, isInLog, mergeInserts, signalsOf } from "./window-view.ts";

const DEFAULT_OCCASIONS: readonly StageOn[] = ["append", "read"];

/** What every policy of a preview looks at. */
interface Scene {
  readonly entries: readonly StoredEntry[];
  readonly occasions: ReadonlySet<StageOn>;
  readonly signals: Signals;
  readonly detailOf: DetailOf<StoredEntry>;
  /** The messages that the preview of one policy names. */
  readonly messagesMax: number;
}

/** Says what policies would make of a session. */
export async function previewPolicy(
  context: ServiceContext,
  call: Call,
  input: PreviewInput,
): Promise<PreviewResult> {
  checkLive(call.signal);
  const { session, entries } =
    input.source === "log" ? await newestOfLog(context, call, input) : await window(context, input);
  const policies = input.policies.length === 0 ? [session.fields.policy] : input.policies;
  const occasions = new Set(input.occasions.length === 0 ? DEFAULT_OCCASIONS : input.occasions);
  const scene: Scene = {
    entries,
    occasions,
    signals: signals(session, occasions, input),
    detailOf: detailReader(context.codec),
    messagesMax: Math.floor(LIMITS.previewMessages / policies.length),
  };
  const previews: PolicyPreview[] = [];
  for (const policy of policies) {
    // Other work runs between two policies.
    await nextTurn();
    checkLive(call.signal);
    previews.push(preview(scene, policy));
  }
  return { previews, lastSeq: session.head.lastSeq, revision: session.head.revision };
}

interface Source {
  readonly session: Session;
  readonly entries: readonly StoredEntry[];
}

async function window(context: ServiceContext, ref: SessionRef): Promise<Source> {
  const now = await context.store.readWindow(ref);
  const session = liveSession(context, now?.session);
  if (now === undefined || session === undefined) throw sessionNotFound(ref.sessionId);
  return { session, entries: mergeInserts(now.window, session.fields.inserts, context.codec) };
}

/** The newest messages of the log, as many as a window may hold. */
async function newestOfLog(context: ServiceContext, call: Call, ref: SessionRef): Promise<Source> {
  const session = liveSession(context, await context.store.readSession(ref));
  if (session === undefined) throw sessionNotFound(ref.sessionId);
  const newest: StoredEntry[] = [];
  let byteCount = 0;
  let next: number | undefined = session.head.lastSeq;
  while (next !== undefined && next > 0) {
    const query = { firstSeq: 1, lastSeq: next, order: "desc", limit: LIMITS.pageSizeMax } as const;
    const page = await context.store.listMessages(ref, query);
    for (const { seq, bytes } of page?.messages ?? []) {
      byteCount += bytes.length;
      if (newest.length === CEILING.messages || byteCount > CEILING.bytes) {
        return { session, entries: newest.reverse() };
      }
      newest.push({ ...context.codec.readFacts(bytes), seq, byteCount: bytes.length, bytes });
    }
    next = page?.next;
    await nextTurn();
    checkLive(call.signal);
  }
  return { session, entries: newest.reverse() };
}

/** What the request tells the policies, and else what the session knows. */
function signals({ head }: Session, occasions: ReadonlySet<StageOn>, input: PreviewInput): Signals {
  // Triggers for tools look at one append alone, and the next one has yet to come.
  const isAppend = occasions.size === 1 && occasions.has("append");
  const known = isAppend ? [] : head.policyState.outcomes;
  const told = signalsOf(head, input.toolOutcomes.length > 0 ? input.toolOutcomes : known);
  const { modelInputTokens } = input;
  return modelInputTokens === undefined ? told : { ...told, modelInputTokens };
}

function preview(scene: Scene, policy: Policy): PolicyPreview {
  const { entries, occasions, detailOf } = scene;
  const outcome = trimWindow<StoredEntry>({
    entries,
    policy,
    occasions,
    // Only a change holds it, a read does not.
    ceiling: occasions.has("append"),
    signals: scene.signals,
    detailOf,
  });
  return {
    policy,
    before: plain(totalsOf(entries)),
    after: plain(outcome.totals),
    trims: outcome.trims,
    runs: outcome.runs,
    warnings: outcome.warnings,
    overLimit: outcome.overLimit || outcome.ceilingPassed !== undefined,
    messages: messagesOf(scene, policy, outcome),
    truncated: entries.length > scene.messagesMax,
  };
}

function plain({ messageCount, tokenCount }: Totals): Totals {
  return { messageCount, tokenCount };
}

/** What becomes of single messages, by position. */
interface Fates {
  readonly removed: ReadonlyMap<number, { readonly stage: string; readonly reason: TrimReason }>;
  readonly shortened: ReadonlyMap<number, { readonly stage: string; readonly tokenCount: number }>;
  /** By position: the stage after which it waits for a summary. */
  readonly awaiting: ReadonlyMap<number, string>;
}

function messagesOf(
  { entries, messagesMax }: Scene,
  policy: Policy,
  outcome: TrimOutcome<StoredEntry>,
): readonly MessagePreview[] {
  const acting = new Set(outcome.runs.map(({ stage }) => stage));
  const stages = policy.stages.filter(({ name }) => acting.has(name));
  const explained = explainWindow(entries, policy, stages);
  const fates: Fates = {
    removed: new Map(
      outcome.trims.flatMap(({ removed, stage, reason }) =>
        removed.map(({ seq }) => [seq, { stage, reason }] as const),
      ),
    ),
    shortened: new Map(
      outcome.shortened.map(({ entry, stage, tokenCount }) => [entry.seq, { stage, tokenCount }]),
    ),
    awaiting: new Map(
      outcome.runs.flatMap(({ stage, awaitsSummary }) =>
        awaitsSummary.map(({ seq }) => [seq, stage] as const),
      ),
    ),
  };
  const first = Math.max(0, entries.length - messagesMax);
  return entries
    .slice(first)
    .map((entry, index) =>
      messageOf(entry, fates, { ...explained[first + index], acts: stages.length > 0 }),
    );
}

function messageOf(
  entry: StoredEntry,
  fates: Fates,
  known: Partial<EntryExplanation> & { readonly acts: boolean },
): MessagePreview {
  const { messageId } = entry;
  const cut = fates.shortened.get(entry.seq);
  const about = {
    messageId,
    seq: isInLog(entry) ? entry.seq : 0,
    tokenCount: cut?.tokenCount ?? entry.tokenCount,
    interaction: known.interaction ?? 0,
  };
  const gone = fates.removed.get(entry.seq);
  if (gone !== undefined) return { ...about, ...gone, verdict: "removed", heldBy: [] };
  const awaited = fates.awaiting.get(entry.seq);
  const heldBy = known.acts && awaited === undefined ? (known.heldBy ?? []) : [];
  const stays = { ...about, reason: undefined, heldBy };
  if (awaited !== undefined) return { ...stays, verdict: "awaits-summary", stage: awaited };
  if (cut !== undefined) return { ...stays, verdict: "shortened", stage: cut.stage };
  return { ...stays, verdict: "kept", stage: "" };
}
