// PreviewPolicy: what policies would make of a session now, message by message. Changes nothing.

import { setImmediate as nextTurn } from "node:timers/promises";
import { existingSession, existingWindow } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import type {
  MessagePreview,
  PolicyPreview,
  PreviewInput,
  PreviewResult,
} from "../core/window-api.ts";
import { type Shown, showWindow } from "../core/window-shown.ts";
import { detailReader, isInLog, mergeInserts, signalsOf } from "../core/window-view.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { LIMITS } from "../kit/limits.ts";
import type { Session, SessionRef } from "../session/rules/session.ts";
import type { StoredEntry } from "../store/store.ts";
import { checkHooks } from "../summary/hand-over.ts";
import { withSummary } from "../summary/summary-view.ts";
import { CEILING, type Policy, type StageOn } from "./policy/policy.ts";
import { type EntryExplanation, explainWindow } from "./rules/explain.ts";
import { totalsOf, trimWindow } from "./rules/trim.ts";
import type { DetailOf, Signals, Totals, TrimOutcome, TrimReason } from "./rules/types.ts";

const DEFAULT_OCCASIONS: readonly StageOn[] = ["append", "read"];

/** The occasions that change the stored window, in the order in which an append brings them. */
const CHANGES: readonly StageOn[] = ["append", "turn-end", "request"];

/** Input of every policy of a preview. */
interface Scene {
  readonly entries: readonly StoredEntry[];
  readonly occasions: ReadonlySet<StageOn>;
  readonly signalsOn: (occasion: StageOn, policy: Policy) => Signals;
  readonly detailOf: DetailOf<StoredEntry>;
  /** The index of the first entry that the preview of each policy names. */
  readonly firstNamed: number;
}

/** Says what policies would make of a session. */
export async function previewPolicy(
  context: ServiceContext,
  call: Call,
  input: PreviewInput,
): Promise<PreviewResult> {
  checkLive(call.signal);
  for (const policy of input.policies) checkHooks(context, policy);
  const { session, entries } =
    input.source === "log"
      ? await newestOfLog(context, call, input)
      : await wholeWindow(context, input);
  const policies = input.policies.length === 0 ? [session.fields.policy] : input.policies;
  const occasions = new Set(input.occasions.length === 0 ? DEFAULT_OCCASIONS : input.occasions);
  const scene: Scene = {
    entries,
    occasions,
    signalsOn: (occasion, policy) => signals(session, occasion, { input, policy }),
    detailOf: detailReader(context.codec),
    firstNamed: firstNamed(entries, policies.length),
  };
  const previews: PolicyPreview[] = [];
  for (const policy of policies) {
    // Other work runs between two policies.
    await nextTurn();
    checkLive(call.signal);
    previews.push(await preview(context, session, scene, policy));
  }
  return { previews, lastSeq: session.head.lastSeq, revision: session.head.revision };
}

/** Bytes that a message takes in an answer at most, beside its id. */
const MESSAGE_BYTES = 128;

/** Index of the first of the newest messages that previews with this many policies can name. */
function firstNamed(entries: readonly StoredEntry[], policies: number): number {
  let count = Math.floor(LIMITS.previewMessages / policies);
  let bytes = Math.floor(LIMITS.previewBytes / policies);
  let first = entries.length;
  for (const { messageId } of entries.toReversed()) {
    count -= 1;
    bytes -= Buffer.byteLength(messageId) + MESSAGE_BYTES;
    if (count < 0 || bytes < 0) break;
    first -= 1;
  }
  return first;
}

interface Source {
  readonly session: Session;
  readonly entries: readonly StoredEntry[];
}

async function wholeWindow(context: ServiceContext, ref: SessionRef): Promise<Source> {
  const { session, window } = await existingWindow(context, ref);
  return { session, entries: mergeInserts(window, session.fields.inserts, context.codec) };
}

/** The newest messages of the log, as many as a window may hold. */
async function newestOfLog(context: ServiceContext, call: Call, ref: SessionRef): Promise<Source> {
  const session = await existingSession(context, ref);
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

/** Signals from the request; those it leaves out, from the session. */
function signals(
  session: Session,
  occasion: StageOn,
  { input, policy }: { readonly input: PreviewInput; readonly policy: Policy },
): Signals {
  // On append, triggers for tools look at one append alone, and the next one has yet to come.
  const known = occasion === "append" ? [] : session.head.policyState.outcomes;
  const outcomes = input.toolOutcomes.length > 0 ? input.toolOutcomes : known;
  const told = signalsOf(session, outcomes, policy);
  const { modelInputTokens } = input;
  return modelInputTokens === undefined ? told : { ...told, modelInputTokens };
}

/** The result of a policy on a window: changes first, then a read. */
interface Course extends Pick<TrimOutcome<StoredEntry>, "trims" | "runs" | "warnings"> {
  /** The window as the read showed it. */
  readonly shown: TrimOutcome<StoredEntry>;
  readonly overLimit: boolean;
}

function follow({ entries, occasions, signalsOn, detailOf }: Scene, policy: Policy): Course {
  const outcomes: TrimOutcome<StoredEntry>[] = [];
  let stored = entries;
  for (const occasion of CHANGES.filter((one) => occasions.has(one))) {
    const outcome = trimWindow<StoredEntry>({
      entries: stored,
      policy,
      occasions: new Set([occasion]),
      ceiling: true,
      signals: signalsOn(occasion, policy),
      detailOf,
    });
    outcomes.push(outcome);
    stored = outcome.stored;
  }
  // Without the occasion, too: stages that shorten act in every read.
  const shown = trimWindow<StoredEntry>({
    entries: stored,
    policy,
    occasions: new Set(occasions.has("read") ? ["read"] : []),
    ceiling: false,
    signals: signalsOn("read", policy),
    detailOf,
  });
  outcomes.push(shown);
  const runs = outcomes.flatMap((outcome) => outcome.runs);
  const warnings = outcomes.flatMap((outcome) => outcome.warnings);
  const passed = outcomes.some((outcome) => outcome.ceilingPassed !== undefined);
  return {
    trims: [...outcomes.slice(0, -1).flatMap((outcome) => outcome.storedTrims), ...shown.trims],
    runs: firstOf(runs, ({ stage }) => stage),
    warnings: firstOf(warnings, ({ stage, field }) => `${stage} ${field}`),
    shown,
    overLimit: passed || shown.overLimit || runs.some((run) => run.overLimit),
  };
}

/** The first of those that have the same key. */
function firstOf<T>(list: readonly T[], keyOf: (one: T) => string): readonly T[] {
  const found = new Map<string, T>();
  for (const one of list) if (!found.has(keyOf(one))) found.set(keyOf(one), one);
  return [...found.values()];
}

async function preview(
  context: ServiceContext,
  session: Session,
  scene: Scene,
  policy: Policy,
): Promise<PolicyPreview> {
  const { entries, firstNamed } = scene;
  const course = follow(scene, policy);
  const shown = await shownBy(context, session, { scene, policy, course });
  return {
    policy,
    before: plain(totalsOf(entries)),
    after: plain(shown.totals),
    trims: course.trims,
    runs: course.runs,
    warnings: course.warnings,
    overLimit: course.overLimit,
    messages: messagesOf(scene, policy, course),
    truncated: firstNamed > 0,
    shown: shown.entries.map(({ bytes }) => bytes),
  };
}

/** The result of a read, with filled results and the summary of the session. */
async function shownBy(
  context: ServiceContext,
  { fields }: Session,
  { scene, policy, course }: { scene: Scene; policy: Policy; course: Course },
): Promise<Shown> {
  const { detailOf, entries } = scene;
  const hasInserts = !entries.every(isInLog);
  const viewed = { outcome: course.shown, policy, own: fields.policy, detailOf, hasInserts };
  const shown = await showWindow(context, viewed, undefined);
  return await withSummary(context, viewed, shown, fields.summary);
}

function plain({ messageCount, tokenCount }: Totals): Totals {
  return { messageCount, tokenCount };
}

/** Verdicts on single messages, by position. */
interface Fates {
  readonly removed: ReadonlyMap<number, { readonly stage: string; readonly reason: TrimReason }>;
  readonly shortened: ReadonlyMap<number, { readonly stage: string; readonly tokenCount: number }>;
  /** By position: the stage after which it waits for a summary. */
  readonly awaiting: ReadonlyMap<number, string>;
}

function messagesOf(
  { entries, firstNamed }: Scene,
  policy: Policy,
  course: Course,
): readonly MessagePreview[] {
  const acting = new Set(course.runs.map(({ stage }) => stage));
  const stages = policy.stages.filter(({ name }) => acting.has(name));
  const explained = explainWindow(entries, policy, stages);
  const fates: Fates = {
    removed: new Map(
      course.trims.flatMap(({ removed, stage, reason }) =>
        removed.map(({ seq }) => [seq, { stage, reason }] as const),
      ),
    ),
    shortened: new Map(
      course.shown.shortened.map(({ entry, stage, tokenCount }) => [
        entry.seq,
        { stage, tokenCount },
      ]),
    ),
    awaiting: new Map(
      course.runs.flatMap(({ stage, awaitsSummary }) =>
        awaitsSummary.map(({ seq }) => [seq, stage] as const),
      ),
    ),
  };
  return entries
    .slice(firstNamed)
    .map((entry, index) =>
      messageOf(entry, fates, { ...explained[firstNamed + index], acts: stages.length > 0 }),
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
    turn: known.turn ?? 0,
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
