// ResetSession: empties a session, but for what it is asked to keep.

import { type Changing, changeSession, saved } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { currentRecords } from "../core/summary-records.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import type { Call } from "../kit/call.ts";
import { etagMismatch, sessionNotFound } from "../kit/errors.ts";
import { jobsAfterReset } from "../memory/learn/give.ts";
import type { SessionDecision, SessionView, StoredEntry, StoredMessage } from "../store/store.ts";
import { afterReset } from "../tasks/task-edits.ts";
import { rangesOf } from "../window/rules/ranges.ts";
import { totalsOf } from "../window/rules/trim.ts";
import { ROLE } from "../window/rules/types.ts";
import type { ResetSessionInput } from "./api.ts";
import { EMPTY_POLICY_STATE, type Session } from "./rules/session.ts";

/** The oldest message of the log is another one by now. */
interface OldestGone {
  readonly oldestGone: true;
}

interface Reset extends Changing {
  readonly input: ResetSessionInput;
  /** The oldest message of the log, if it is a system message that stays. */
  readonly oldest: StoredMessage | undefined;
}

/** Empties a session. */
export async function resetSession(
  context: ServiceContext,
  call: Call,
  input: ResetSessionInput,
): Promise<Uint8Array> {
  const { namespace, sessionId, keepSystemMessages, keepFirstSystemMessage } = input;
  const nowMs = context.world.nowMs();
  for (;;) {
    const oldest = keepFirstSystemMessage ? await oldestSystem(context, input) : undefined;
    const target = {
      namespace,
      sessionId,
      allowWhenFull: !keepSystemMessages && !keepFirstSystemMessage,
      messageIds: oldest === undefined ? [] : [oldest.messageId],
    };
    const result = await changeSession<OldestGone>(context, call, target, (view) =>
      decideReset({ context, call, input, nowMs, oldest }, view),
    );
    if (result instanceof Uint8Array) return result;
  }
}

async function oldestSystem(
  context: ServiceContext,
  input: ResetSessionInput,
): Promise<StoredMessage | undefined> {
  const query = { firstSeq: 1, lastSeq: Number.MAX_SAFE_INTEGER, order: "asc", limit: 1 } as const;
  let page = await context.store.listMessages(input, query);
  // A page ends after a while even when it has found nothing but erased messages.
  while (page !== undefined && page.messages.length === 0 && page.next !== undefined) {
    page = await context.store.listMessages(input, { ...query, firstSeq: page.next });
  }
  const oldest = page?.messages[0];
  return oldest?.role === ROLE.system ? oldest : undefined;
}

function decideReset(reset: Reset, view: SessionView): SessionDecision<OldestGone | Uint8Array> {
  const { context, input, nowMs, oldest } = reset;
  const { session, revision } = view;
  if (session === undefined) throw sessionNotFound(input.sessionId);
  if (!context.etags.allows(input.etag, session.fields.etagRevision)) throw etagMismatch();
  const first = oldest === undefined ? undefined : view.messages.get(oldest.messageId);
  if (first?.seq !== oldest?.seq) return { kind: "answer", result: { oldestGone: true } };
  const kept = keptOf(input, view, first);
  const totals = totalsOf(kept);
  const log = { messageCount: totals.messageCount, tokenCount: totals.tokenCount };
  const deleted = {
    messageCount: session.head.log.messageCount - log.messageCount,
    tokenCount: session.head.log.tokenCount - log.tokenCount,
  };
  const after: Session = {
    ...session,
    fields: {
      ...session.fields,
      ...(input.keepSummary ? {} : { summary: undefined }),
      inserts: [],
      etagRevision: revision,
    },
    head: {
      lastSeq: session.head.lastSeq,
      firstSeq: session.head.lastSeq + 1,
      log,
      window: totals,
      windowRanges: rangesOf(kept),
      policyState: EMPTY_POLICY_STATE,
      updateMs: nowMs,
      revision,
    },
  };
  const bytes = input.encode({ session: after, deleted });
  const edited = afterReset(view.tasks(), nowMs);
  const summaries = currentRecords(after.fields, context.codec, { record: view.summary });
  const memoryJobs = jobsAfterReset(view);
  const plan = {
    fields: after.fields,
    head: after.head,
    resetLog: true,
    append: kept,
    window: kept,
    ...(edited.plan === undefined ? {} : { tasks: edited.plan }),
    ...(summaries.length === 0 ? {} : { summaries: { put: summaries } }),
    memories: context.participants.memory.sessionEmptied(session),
    ...(memoryJobs === undefined ? {} : { memoryJobs }),
  };
  const details = [{ type: EVENT_TYPE.sessionReset, deleted, kept: log }, ...edited.events];
  return saved(reset, view, { result: bytes, session: after, plan, details, bytes });
}

/** Messages that a reset keeps, by rising seq. */
function keptOf(
  input: ResetSessionInput,
  view: SessionView,
  first: StoredEntry | undefined,
): readonly StoredEntry[] {
  const kept = input.keepSystemMessages
    ? view.window().filter((entry) => entry.role === ROLE.system)
    : [];
  if (first === undefined || kept[0]?.seq === first.seq) return kept;
  return [first, ...kept];
}
