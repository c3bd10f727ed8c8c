// AppendMessages: the write that everything else is built around. One transaction holds the
// messages, the trims that follow, their events, and the answer for the request id.

import { answerOnly, type Changing, changeSession, replyPart } from "../core/change.ts";
import { checkMemoryHooks, checkPromotion } from "../core/check-hooks.ts";
import type { MessageDraft } from "../core/codec.ts";
import type { ServiceContext } from "../core/context.ts";
import { newEvents } from "../core/new-events.ts";
import type { EpisodeInput, MemoryBase, MemoryPart, MemorySide } from "../core/participants.ts";
import { withInput, withoutOutcomes, withTurnEnd } from "../core/policy-state.ts";
import { changeWindow, type Pass, planOf, type WindowChange } from "../core/window-change.ts";
import { sessionTotals, signalsOf } from "../core/window-view.ts";
import { EVENT_TYPE, type EventDetail } from "../events/rules/event.ts";
import type { Call } from "../kit/call.ts";
import { etagMismatch, requestInvalid, sessionNotFound } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import { readTurn } from "../memory/learn/episode.ts";
import { eraseSome } from "../memory/learn/erase-source.ts";
import { givenByChange, mergeJobPlans } from "../memory/learn/give.ts";
import { askedOf, planRecords } from "../records/change-records.ts";
import type {
  NewMessage,
  SessionDecision,
  SessionPlan,
  SessionView,
  StoredMessage,
} from "../store/store.ts";
import { checkHooks } from "../summary/hand-over.ts";
import { mergeTaskPlans, tasksAfter } from "../tasks/task-edits.ts";
import { type CountedRule, countedRule, isSameRule } from "../window/policy/token-rules.ts";
import { needsTrim } from "../window/rules/needs-trim.ts";
import { addRange } from "../window/rules/ranges.ts";
import { addTotals, totalsOf } from "../window/rules/trim.ts";
import { ROLE, type ToolOutcome, type Totals, type WindowTotals } from "../window/rules/types.ts";
import type { AppendInput } from "./api.ts";
import { mayAnswerFilled, withoutAnswered } from "./fill-tool-results.ts";
import { outcomesOf } from "./log/append-outcomes.ts";
import {
  afterEdit,
  checkLastSeq,
  type EditedLog,
  editLog,
  editPart,
  emptiedLog,
  type ManyNamed,
} from "./log/edit-log.ts";
import { encodeAll, RANDOM_BYTES } from "./log/encode-messages.ts";
import {
  addedOf,
  answered,
  checkNew,
  replacementsOf,
  type SortedDrafts,
  sortDrafts,
} from "./log/existing-messages.ts";
import { checkAnswers } from "./log/wanted-calls.ts";
import type { Session, SessionHead } from "./rules/session.ts";
import { checkPatchHooks, newSession, type PatchedSession, patchSession } from "./sessions.ts";

/** Asks for the drafts to be counted by another rule before deciding again. */
interface NeedCount {
  readonly needCount: CountedRule;
}

/** Says that the session has changed since its messages were looked for. */
export type Stale = "stale";

/** Fates of the messages that the log holds, and of those to append. */
export interface Arrangement {
  /** Undefined when all are appended. */
  readonly sorted: SortedDrafts | undefined;
  /** Messages that go, or all of them, as by ResetSession. */
  readonly erase: readonly StoredMessage[] | "all";
}

/** Decides about the messages that the log holds. */
export type Arrange = (
  view: SessionView,
  session: Session,
) => Arrangement | { readonly kind: "answer"; readonly result: Stale };

/** Input that stays the same however often an append is decided. */
interface Append extends Changing {
  readonly input: AppendInput;
  /** Random bytes for the ids the server makes. */
  readonly random: Uint8Array;
  readonly arrange: Arrange;
  /** The counts of the drafts, and by which rule; undefined before the first count. */
  counts: { readonly rule: CountedRule; readonly of: readonly number[] } | undefined;
}

/**
 * Appends messages to a session, ends a turn if asked to, trims the window, and gives to long-term
 * memory.
 */
export async function appendMessages(
  context: ServiceContext,
  call: Call,
  input: AppendInput,
): Promise<Uint8Array> {
  checkHooks(context, input.replyPolicy);
  const result = await appendArranged(context, call, input);
  if (result === "stale") throw new Error("An append looked for no messages beforehand.");
  return result;
}

/** Appends messages among changes of those that the log holds. Default: those of `on_existing`. */
export async function appendArranged(
  context: ServiceContext,
  call: Call,
  input: AppendInput,
  arrange?: Arrange,
): Promise<Stale | Uint8Array> {
  const messageIds = input.drafts.map((draft) => draft.messageId).filter((id) => id !== "");
  const unnamed = input.drafts.length - messageIds.length;
  const append: Append = {
    context,
    call,
    input,
    nowMs: context.world.nowMs(),
    random: context.world.random(unnamed * RANDOM_BYTES),
    arrange: arrange ?? arrangeExisting(context, input),
    counts: undefined,
  };
  const { namespace, sessionId } = input;
  // One that exists already is enough to refuse, and a thousand can be very large.
  const firstMessageOnly = arrange === undefined && input.onExisting === "fail";
  const messageBytesMax = LIMITS.editBytes;
  const target = { namespace, sessionId, messageIds, firstMessageOnly, messageBytesMax };
  for (;;) {
    const result = await changeSession<NeedCount | ManyNamed | Stale>(
      context,
      call,
      target,
      (view) => decideAppend(append, view),
    );
    if (result instanceof Uint8Array || result === "stale") return result;
    if ("kind" in result) {
      await eraseSome(context, result.session, result.messageId);
      continue;
    }
    const rule = result.needCount;
    append.counts = { rule, of: await context.tokens.countAll(input.drafts, rule) };
  }
}

function decideAppend(
  append: Append,
  view: SessionView,
): SessionDecision<NeedCount | ManyNamed | Stale | Uint8Array> {
  const { context, input } = append;
  const stored = view.session ?? sessionToCreate(append, view);
  const arranged = append.arrange(view, stored);
  if ("kind" in arranged) return arranged;
  checkAppend(append, view, stored);
  const { sorted } = arranged;
  const patched = patch(append, view, stored);
  if (patched === undefined && isNothing(input, arranged)) return unchanged(append, stored, sorted);
  checkAnswers(input.wantedCalls ?? [], view, arranged.erase);
  const start = patched?.session ?? stored;
  const { policy } = start.fields;
  if (policy.tokenRule === "given") checkGiven(input.drafts, sorted);
  const rule = countedRule(policy);
  const counts = countsBy(append, rule);
  if (counts === undefined) return { kind: "answer", result: { needCount: rule } };
  const by = { ...arranged, counts, rule };
  const edited = edit(append, afterPatch(view, patched), start, by);
  if (edited?.kind === "named") return { kind: "answer", result: edited };
  const base = edited === undefined ? { view, session: start } : afterEdit(view, edited);
  const { session, view: now } = base;
  const { drafts, places } = addedOf(input.drafts, sorted);
  const messages = encodeAll({
    codec: context.codec,
    ...{ drafts, places, rule: rule.rule },
    counts: sorted === undefined ? counts : places.map((index) => counts[index] ?? 0),
    random: append.random,
    writer: append.call.writer,
    nowMs: append.nowMs,
    lastSeq: session.head.lastSeq,
    etag: context.etags.of(view.revision),
  });
  const outcomes = outcomesOf(policy, {
    codec: context.codec,
    drafts,
    messages,
    window: now.window,
    given: input.toolOutcomes,
  });
  const grown = growSession(append, session, { messages, outcomes, window: now.window });
  return plan(append, now, {
    ...grown,
    stored: view.session,
    sorted,
    patched,
    edited,
    episode: turnOf(append, now, grown),
  });
}

/** Checks what an append asks of the session. */
function checkAppend({ context, input }: Append, view: SessionView, session: Session): void {
  checkLastSeq(input, session);
  const { etag = "" } = input.attributes ?? {};
  const { etagRevision } = session.fields;
  // A session that is created now had none to read.
  const hasEtag = view.session !== undefined && context.etags.allows(etag, etagRevision);
  if (etag !== "" && !hasEtag) throw etagMismatch();
}

/** Appends all messages, or skips or updates those that exist. */
function arrangeExisting({ codec }: ServiceContext, input: AppendInput): Arrange {
  return (view) => {
    if (input.onExisting !== "fail") return { sorted: sortDrafts(codec, input, view), erase: [] };
    checkNew(input.drafts, view);
    return ALL_NEW;
  };
}

const ALL_NEW: Arrangement = { sorted: undefined, erase: [] };

/** Changes the attributes of a session that exists; undefined when none are to change. */
function patch(
  { context, input, nowMs }: Append,
  view: SessionView,
  stored: Session,
): PatchedSession | undefined {
  const { attributes } = input;
  if (attributes === undefined || attributes.paths.length === 0) return undefined;
  if (view.session === undefined) return undefined;
  checkPatchHooks(context, attributes);
  return patchSession(stored, attributes, view, nowMs);
}

/** The view of a session whose new policy has given up tasks. */
function afterPatch(view: SessionView, patched: PatchedSession | undefined): SessionView {
  const plan = patched?.edited.plan;
  return plan === undefined ? view : { ...view, tasks: () => tasksAfter(view.tasks(), plan) };
}

/** Whether all that an append asks for is there already. */
function isNothing(
  { turnEnd, recordOperations }: AppendInput,
  { sorted, erase }: Arrangement,
): boolean {
  if (sorted === undefined || turnEnd || recordOperations.length > 0) return false;
  return sorted.added.length === 0 && sorted.updates.length === 0 && erase.length === 0;
}

/** The answer to an append all of whose messages exist as they are. */
function unchanged(
  append: Append,
  session: Session,
  sorted: SortedDrafts | undefined,
): SessionDecision<Uint8Array> {
  const { context, input } = append;
  const { revision, lastSeq } = session.head;
  const bytes = input.encode({
    messages: answered([], sorted),
    deleted: NO_TOTALS,
    revision,
    trims: [],
    window: sessionTotals(session),
    lastSeq,
    runs: [],
    overLimit: false,
    sessionEtag: input.attributes === undefined ? "" : etagOf(context, session),
    recordOutcomes: [],
  });
  return answerOnly(append, bytes);
}

function etagOf({ etags }: ServiceContext, { fields }: Session): string {
  return etags.of(fields.etagRevision);
}

const NO_TOTALS = { messageCount: 0, tokenCount: 0 } as const;

/** Changes and erases messages that the log holds; undefined when none is. */
function edit(
  { context, input, nowMs }: Append,
  view: SessionView,
  session: Session,
  by: Arrangement & { readonly counts: readonly number[]; readonly rule: CountedRule },
): EditedLog | ManyNamed | undefined {
  const { sorted, erase } = by;
  if (erase === "all") return emptiedLog(context, view, { session, nowMs });
  if (erase.length === 0 && (sorted?.updates ?? []).length === 0) return undefined;
  const replace = replacementsOf(context.codec, sorted?.updates ?? [], {
    drafts: input.drafts,
    counts: by.counts,
    rule: by.rule.rule,
    mustBeGiven: session.fields.policy.tokenRule === "given",
    nowMs,
    etag: context.etags.of(view.revision),
  });
  return editLog(context, view, { session, nowMs }, { replace, erase });
}

/** Refuses drafts to append that do not bring the count that TOKEN_RULE_GIVEN asks for. */
function checkGiven(drafts: readonly MessageDraft[], sorted: SortedDrafts | undefined): void {
  const added = sorted === undefined ? undefined : new Set(sorted.added);
  const violations = drafts.flatMap((draft, index) => {
    if (draft.tokenCount !== undefined || added?.has(index) === false) return [];
    const description = "must be given under the policy's TOKEN_RULE_GIVEN";
    return [{ field: `messages[${index}].token_count`, description }];
  });
  if (violations.length > 0) throw requestInvalid(violations);
}

/** The counts of the drafts by a rule; undefined when they must be waited for. */
function countsBy(append: Append, rule: CountedRule): readonly number[] | undefined {
  const { counts, context, input } = append;
  if (counts !== undefined && isSameRule(counts.rule, rule)) return counts.of;
  const of = context.tokens.countNow(input.drafts, rule);
  if (of !== undefined) append.counts = { rule, of };
  return of;
}

function sessionToCreate(append: Append, view: SessionView): Session {
  const { context, input, nowMs } = append;
  // Without messages there is nothing to create a session for, and no turn that could end.
  if (!input.createSession || input.drafts.length === 0) throw sessionNotFound(input.sessionId);
  const attributes = input.attributes?.input ?? {};
  checkHooks(context, attributes.policy);
  checkMemoryHooks(context, attributes.memoryPolicy);
  const session = newSession(input, attributes, { nowMs, revision: view.revision });
  checkPromotion(session.fields);
  return session;
}

/** A session with the messages of an append, before any stage runs. */
interface Grown {
  /** Before the messages: as stored and edited, or as it is created. */
  readonly old: Session;
  readonly session: Session;
  readonly messages: readonly NewMessage[];
  readonly appended: WindowTotals;
  /** The window with the messages and its inserts. */
  readonly before: WindowTotals;
  /** The outcomes of this append. */
  readonly outcomes: readonly ToolOutcome[];
}

/** With everything of the log that the append needs. */
interface Read extends Grown {
  /** The session before the append. */
  readonly stored: Session | undefined;
  readonly sorted: SortedDrafts | undefined;
  /** The session with the attributes that this append changes; undefined for none. */
  readonly patched: PatchedSession | undefined;
  readonly edited: EditedLog | undefined;
  /** Undefined when the append makes none. */
  readonly episode: EpisodeInput | undefined;
}

function growSession(
  append: Append,
  old: Session,
  added: Pick<Grown, "messages" | "outcomes"> & Pick<SessionView, "window">,
): Grown {
  const { messages, outcomes, window } = added;
  const { context, input } = append;
  const { head, fields } = old;
  const appended = totalsOf(messages);
  const lastSeq = head.lastSeq + messages.length;
  const run = { first: head.lastSeq + 1, last: lastSeq };
  const state = { modelInputTokens: input.modelInputTokens, outcomes };
  // A result that came takes the place of one that was made for its call.
  const inserts = mayAnswerFilled(fields.inserts, messages)
    ? withoutAnswered(fields.inserts, { window: window(), messages }, context.codec)
    : fields.inserts;
  const session: Session = {
    ...old,
    fields: inserts === fields.inserts ? fields : { ...fields, inserts },
    head: {
      ...head,
      lastSeq,
      log: {
        messageCount: head.log.messageCount + appended.messageCount,
        tokenCount: head.log.tokenCount + appended.tokenCount,
      },
      window: addTotals(head.window, appended),
      windowRanges: messages.length === 0 ? head.windowRanges : addRange(head.windowRanges, run),
      policyState: withInput(head.policyState, fields.policy, state),
    },
  };
  return { old, session, messages, appended, before: sessionTotals(session), outcomes };
}

/** Whether the window must be looked at to decide what this append does to it. */
function mustLook(append: Append, grown: Read): boolean {
  const { edited, patched, old } = grown;
  // A new policy takes effect on the whole window.
  if (edited !== undefined || patched?.hasNewPolicy === true) return true;
  const { policy } = grown.session.fields;
  const { head } = grown.session;
  const { turnEnd } = append.input;
  const isOn = (on: string, name?: string): boolean =>
    policy.stages.some((stage) => stage.on === on && (name === undefined || stage.name === name));
  return (
    (turnEnd && isOn("turn-end")) ||
    mayAnswerFilled(old.fields.inserts, grown.messages) ||
    // Results without their call never enter the window.
    (policy.toolPairing === "whole" &&
      grown.messages.some(({ role, answers }) => role === ROLE.tool || answers.length > 0)) ||
    // A limit that was passed may hold again, which must be noticed.
    head.policyState.overLimit.some((name) => isOn("append", name)) ||
    needsTrim(policy, grown.before, signalsOf(grown.session, grown.outcomes))
  );
}

/** Whether the turn that this append ends becomes an episode. */
function makesEpisode(append: Append, { fields }: Session): boolean {
  return append.input.turnEnd && fields.memoryPolicy?.episodes !== undefined;
}

/** Text of the turn that this append ends, if it becomes an episode. */
function turnOf(
  append: Append,
  view: SessionView,
  { messages, old }: Grown,
): EpisodeInput | undefined {
  if (!makesEpisode(append, old)) return undefined;
  const { lastSeq, policyState } = old.head;
  const { turnEndSeq } = policyState;
  const before = { messagesAt: view.messagesAt, lastSeq, turnEndSeq };
  return readTurn(append.context.codec, messages, before);
}

/** Input of long-term memory from the messages, beside the trims. */
function memoryOf(append: Append, side: MemorySide, grown: Read): MemoryBase {
  const { messages, edited, episode } = grown;
  const appended = edited === undefined ? messages : [...edited.news, ...messages];
  return { side, turn: { appended, isEnd: append.input.turnEnd, episode } };
}

/** Runs the stages over the window; undefined when they would change nothing. */
function trimmed(append: Append, view: SessionView, grown: Read): WindowChange | undefined {
  const { context, input, nowMs } = append;
  if (!mustLook(append, grown)) return undefined;
  const { revision } = view;
  const window = view.window();
  const { messages, session, before, patched, edited } = grown;
  const taskPlan = mergeTaskPlans(patched?.edited.plan, edited?.tasks.plan, revision);
  // Calls and results may have changed with the content, and what keeps them with the policy.
  const isKnown = edited === undefined && patched?.hasNewPolicy !== true;
  const inserts = session.fields.inserts.length;
  const passes: Pass[] = [{ occasions: ["append"], outcomes: grown.outcomes }];
  if (input.turnEnd) passes.push({ occasions: ["turn-end"] });
  return changeWindow(
    context,
    {
      session,
      window: messages.length === 0 ? window : [...window, ...messages],
      stamp: { revision, nowMs },
      tasks: view.tasks,
      memory: memoryOf(append, view, grown),
      ...(isKnown ? { known: { totals: before, pairedTo: window.length + inserts } } : {}),
      ...(taskPlan === undefined ? {} : { taskPlan }),
    },
    passes,
  );
}

/** Events of the change itself, before those of the stages. */
function ownEvents(append: Append, grown: Read): readonly EventDetail[] {
  const { messages, appended, before, old, stored, patched, edited } = grown;
  const events: EventDetail[] = stored === undefined ? [{ type: EVENT_TYPE.sessionCreated }] : [];
  if (patched !== undefined) events.push(...patched.events);
  if (edited !== undefined) events.push(...edited.events, ...edited.memoryEvents);
  if (messages.length > 0) {
    events.push({
      type: EVENT_TYPE.messagesAppended,
      messageIds: messages.map((message) => message.messageId),
      seqs: { first: old.head.lastSeq + 1, last: old.head.lastSeq + messages.length },
      appended,
      window: before,
    });
  } else if (append.input.turnEnd) {
    events.push({ type: EVENT_TYPE.turnEnded, window: before });
  }
  return events;
}

/** The head after a turn end. */
function endTurn(append: Append, session: Session, head: SessionHead): SessionHead {
  const state = withoutOutcomes(head.policyState);
  const isEpisode = makesEpisode(append, session);
  return { ...head, policyState: isEpisode ? withTurnEnd(state, head.lastSeq) : state };
}

/** Input of long-term memory when no stage runs. */
function givenAlone(append: Append, view: SessionView, grown: Read): MemoryPart | undefined {
  const { context, nowMs } = append;
  const stamp = { revision: view.revision, nowMs };
  const memory = memoryOf(append, view, grown);
  return givenByChange(context, { session: grown.session, stamp, memory }, []);
}

/** The operations on records; undefined without any. Their events follow those of the append. */
function recordsOf({ context, call, input, nowMs }: Append, view: SessionView, firstIndex: number) {
  const { namespace, recordOperations: operations } = input;
  if (operations.length === 0) return undefined;
  const before = view.records(askedOf(operations));
  const at = { namespace, revision: view.revision, nowMs, firstIndex };
  return planRecords(context, call, at, { operations, before, isSeveral: true });
}

/** The messages of the log that an edit erased. */
function deletedBy(edited: EditedLog | undefined, stored: Session | undefined): Totals {
  if (edited === undefined) return NO_TOTALS;
  if (edited.isEmptied === true) return stored?.head.log ?? NO_TOTALS;
  const tokenCount = edited.erased.reduce((sum, message) => sum + message.tokenCount, 0);
  return { messageCount: edited.erased.length, tokenCount };
}

function plan(append: Append, view: SessionView, grown: Read): SessionDecision<Uint8Array> {
  const { context, call, input, nowMs } = append;
  const { session, messages, before, stored, patched, edited } = grown;
  const { revision } = view;
  const change = trimmed(append, view, grown);
  const given = change === undefined ? givenAlone(append, view, grown) : change.given;
  const isNew = stored === undefined;
  const own = newEvents(context, { session, revision, nowMs, requestId: call.requestId }, [
    ...ownEvents(append, grown),
    ...(change?.events ?? given?.events ?? []),
  ]);
  const records = recordsOf(append, view, own.length);
  const bytes = input.encode({
    messages: answered(messages, grown.sorted, edited),
    deleted: deletedBy(edited, stored),
    revision,
    trims: change?.trims ?? [],
    window: change?.totals ?? before,
    lastSeq: session.head.lastSeq,
    runs: change?.runs ?? [],
    overLimit: change?.overLimit ?? false,
    sessionEtag: input.attributes === undefined ? "" : etagOf(context, session),
    ...(given === undefined ? {} : { given }),
    recordOutcomes: records?.outcomes ?? [],
  });
  const head = change?.head ?? { ...session.head, updateMs: nowMs, revision };
  const memoryJobs = mergeJobPlans(given?.plan.memoryJobs, patched?.memoryJobs);
  const parts: SessionPlan = {
    ...(change === undefined ? given?.plan : planOf(stored, change)),
    ...(memoryJobs === undefined ? {} : { memoryJobs }),
    ...(edited === undefined ? {} : editPart(edited, change)),
    ...(isNew || patched !== undefined ? { fields: change?.fields ?? session.fields } : {}),
    head: input.turnEnd ? endTurn(append, session, head) : head,
    ...(messages.length === 0 ? {} : { append: messages }),
    ...(records === undefined
      ? {}
      : { records: { put: records.put, remove: records.remove, nowMs } }),
    events: [...own, ...(records?.events ?? [])],
    ...replyPart(call, nowMs, bytes),
  };
  return { kind: "save", result: bytes, plan: parts };
}
