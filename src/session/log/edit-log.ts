// Changes of messages that a log already holds: new content in place, and messages that go. Every
// use case that makes several of them at once does it here, with all that follows: the totals, the
// window, the tasks made from the messages, and the memories learned from them.

import { isDeepStrictEqual } from "node:util";
import { type Changing, DoFirst, saved } from "../../core/change.ts";
import type { Codec, MessageDraft } from "../../core/codec.ts";
import type { ServiceContext } from "../../core/context.ts";
import type { MemorySide } from "../../core/participants.ts";
import { changeWindow, type Pass, planOf, type WindowChange } from "../../core/window-change.ts";
import { EVENT_TYPE, type EventDetail } from "../../events/rules/event.ts";
import { lastSeqMismatch, requestInvalid } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import {
  eraseMessage,
  eraseSome,
  erasureOf,
  joinedPlans,
} from "../../memory/learn/erase-source.ts";
import type {
  MemoryPlan,
  NewMessage,
  SessionDecision,
  SessionPlan,
  SessionView,
  StoredEntry,
  StoredMessage,
} from "../../store/store.ts";
import {
  afterMessage,
  afterReset,
  type MessageEdit,
  mergeTaskPlans,
  planPart,
  type TaskEdit,
  tasksAfter,
} from "../../tasks/task-edits.ts";
import { containsSeq, removeSeqs } from "../../window/rules/ranges.ts";
import { totalsOf } from "../../window/rules/trim.ts";
import { EMPTY_POLICY_STATE, type Session } from "../rules/session.ts";

/** A message of the log that takes new content. */
export interface Replacement {
  readonly old: StoredEntry;
  readonly message: NewMessage;
  /** The paths of UpdateMessage that differ. */
  readonly paths: readonly string[];
  /** It says something else, and not the same in the same words. */
  readonly saysOther: boolean;
}

/** Changes of messages that the log holds; none of them twice. */
export interface LogEdit {
  /** By rising seq. */
  readonly replace: readonly Replacement[];
  readonly erase: readonly StoredMessage[];
}

/** The session after an edit, before any stage runs. */
export interface EditedLog {
  readonly kind: "edited";
  /** With the totals and the runs after the edit; `head.window` is still the old one. */
  readonly session: Session;
  /** The messages of the log that are in the window. */
  readonly window: readonly StoredEntry[];
  readonly tasks: TaskEdit;
  readonly memories: MemoryPlan | undefined;
  /** The memories that the rest of the change sees. */
  readonly side: MemorySide;
  /** The messages with new content, by rising seq. */
  readonly replaced: readonly NewMessage[];
  /** Of them, those that say something else than before. */
  readonly news: readonly NewMessage[];
  readonly erased: readonly StoredMessage[];
  /** Those of the edit itself, then those of tasks. */
  readonly events: readonly EventDetail[];
  readonly memoryEvents: readonly EventDetail[];
  /** The log is emptied as a whole. Unset: not. */
  readonly isEmptied?: true;
}

/** So many memories name a message that some must lose it before the change; see eraseSome. */
export interface ManyNamed {
  readonly kind: "named";
  readonly session: Session;
  readonly messageId: string;
}

/** Edits a log. Memories that name very many of the messages go first, in changes of their own. */
export function editLogOrFirst(...edit: Parameters<typeof editLog>): EditedLog {
  const edited = editLog(...edit);
  if (edited.kind === "edited") return edited;
  const [context] = edit;
  throw new DoFirst(() => eraseSome(context, edited.session, edited.messageId));
}

/** Edits a log. */
export function editLog(
  context: ServiceContext,
  view: SessionView,
  base: { readonly session: Session; readonly nowMs: number },
  edit: LogEdit,
): EditedLog | ManyNamed {
  const { session, nowMs } = base;
  const { revision } = view;
  const isKept = erasureOf(session) === "keep";
  const said = isKept ? [] : edit.replace.filter(({ saysOther }) => saysOther);
  const lost = [...said.map(({ old }) => old), ...edit.erase];
  let side: MemorySide = view;
  let memories: MemoryPlan | undefined;
  let changed = 0;
  const events: EventDetail[] = [];
  for (const message of lost) {
    const erased = eraseMessage(context, { session, message, stamp: { revision, nowMs } }, side);
    changed += (erased?.plan?.put?.length ?? 0) + (erased?.plan?.remove?.length ?? 0);
    if (erased === undefined || changed > LIMITS.changeMemories) {
      return { kind: "named", session, messageId: message.messageId };
    }
    side = erased.side;
    memories = joinedPlans(memories, erased.plan);
    events.push(...erased.events);
  }
  const tasks = editTasks(view, nowMs, edit);
  const news = said.map(({ message }) => message);
  return editedLog(view, session, edit, { tasks, memories, side, news, memoryEvents: events });
}

/** An edit whose effects beside the log are known. */
export function editedLog(
  view: Pick<SessionView, "window">,
  session: Session,
  edit: LogEdit,
  beside: Pick<EditedLog, "tasks" | "memories" | "side" | "news" | "memoryEvents">,
): EditedLog {
  return {
    ...beside,
    kind: "edited",
    session: { ...session, head: editHead(session.head, edit) },
    window: editWindow(view.window(), edit),
    replaced: edit.replace.map(({ message }) => message),
    erased: edit.erase,
    events: [...ownEvents(session, edit), ...beside.tasks.events],
  };
}

const NO_TOTALS = { messageCount: 0, tokenCount: 0, byteCount: 0 } as const;

/** A log that is emptied, as by ResetSession: new messages go on with the seqs. */
export function emptiedLog(
  context: ServiceContext,
  view: SessionView,
  { session, nowMs }: { readonly session: Session; readonly nowMs: number },
): EditedLog {
  const { fields, head } = session;
  const { messageCount, tokenCount } = NO_TOTALS;
  const kept = { messageCount, tokenCount };
  const tasks = afterReset(view.tasks(), nowMs);
  const reset: EventDetail = { type: EVENT_TYPE.sessionReset, deleted: head.log, kept };
  return {
    kind: "edited",
    session: {
      ...session,
      fields: { ...fields, summary: undefined, inserts: [], etagRevision: view.revision },
      head: {
        ...head,
        firstSeq: head.lastSeq + 1,
        log: kept,
        window: NO_TOTALS,
        windowRanges: [],
        policyState: EMPTY_POLICY_STATE,
      },
    },
    window: [],
    tasks,
    memories: context.participants.memory.sessionEmptied(session),
    side: { memories: view.memories, memoryJobs: () => [] },
    replaced: [],
    news: [],
    erased: [],
    events: [reset, ...tasks.events],
    memoryEvents: [],
    isEmptied: true,
  };
}

/**
 * The parts of a plan that an edit gives, with what the window change that followed gives of the
 * same kind. A changed message that the change discards is erased and not written.
 */
export function editPart(
  { memories, replaced, erased, isEmptied }: EditedLog,
  change: WindowChange | undefined,
): Pick<SessionPlan, "replace" | "erase" | "memories" | "resetLog"> {
  const discarded = change?.erase ?? [];
  const gone = new Set(discarded.map(({ seq }) => seq));
  const kept = replaced.filter(({ seq }) => !gone.has(seq));
  const erase = [...erased.map(({ seq, messageId }) => ({ seq, messageId })), ...discarded];
  const joined = joinedPlans(memories, change?.given?.plan.memories);
  return {
    ...(kept.length === 0 ? {} : { replace: kept }),
    ...(erase.length === 0 ? {} : { erase }),
    ...(joined === undefined ? {} : { memories: joined }),
    ...(isEmptied === true ? { resetLog: true } : {}),
  };
}

/** Stages that run after messages were changed or deleted. */
export const APPEND_STAGES: readonly Pass[] = [{ occasions: ["append"], outcomes: [] }];

/** Runs the stages on append over an edited log. */
export function windowAfter(
  context: ServiceContext,
  view: SessionView,
  { session, window, side, news, tasks }: EditedLog,
  nowMs: number,
): WindowChange {
  // New content is looked at with the next turn that ends, like that of a new message.
  const turn = { appended: news, isEnd: false, episode: undefined };
  return changeWindow(
    context,
    {
      session,
      window,
      stamp: { revision: view.revision, nowMs },
      tasks: view.tasks,
      memory: news.length === 0 ? { side } : { side, turn },
      ...planPart(tasks),
    },
    APPEND_STAGES,
  );
}

/** Throws LAST_SEQ_MISMATCH when a call expects another newest message. */
export function checkLastSeq(
  { expectedLastSeq }: { readonly expectedLastSeq?: number },
  { head }: Session,
): void {
  if (expectedLastSeq !== undefined && expectedLastSeq !== head.lastSeq) {
    throw lastSeqMismatch(expectedLastSeq, head.lastSeq);
  }
}

/** Saves an edit and the window after it. */
export function saveEdit(
  changing: Changing,
  view: SessionView,
  done: {
    /** The session before the edit. */
    readonly session: Session;
    readonly edited: EditedLog;
    readonly change: WindowChange;
    readonly bytes: Uint8Array;
  },
): SessionDecision<Uint8Array> {
  const { session, edited, change, bytes } = done;
  const plan = { ...planOf(session, change), ...editPart(edited, change) };
  const details = [...edited.events, ...edited.memoryEvents, ...change.events];
  return saved(changing, view, { result: bytes, session, plan, details, bytes });
}

function editHead(head: Session["head"], { replace, erase }: LogEdit): Session["head"] {
  let { messageCount, tokenCount } = head.log;
  for (const { old, message } of replace) tokenCount += message.tokenCount - old.tokenCount;
  for (const message of erase) tokenCount -= message.tokenCount;
  messageCount -= erase.length;
  const seqs = erase.map(({ seq }) => seq).filter((seq) => containsSeq(head.windowRanges, seq));
  return {
    ...head,
    log: { messageCount, tokenCount },
    windowRanges: removeSeqs(head.windowRanges, seqs),
  };
}

function editWindow(
  window: readonly StoredEntry[],
  { replace, erase }: LogEdit,
): readonly StoredEntry[] {
  const gone = new Set(erase.map(({ seq }) => seq));
  const changed = new Map(replace.map(({ message }) => [message.seq, message]));
  return window.filter(({ seq }) => !gone.has(seq)).map((entry) => changed.get(entry.seq) ?? entry);
}

function editTasks(view: SessionView, nowMs: number, { replace, erase }: LogEdit): TaskEdit {
  const tasks = view.tasks();
  const edits: MessageEdit[] = [
    ...replace.map(({ old, message }) => ({
      seq: old.seq,
      oldTokens: old.tokenCount,
      newTokens: message.tokenCount,
    })),
    ...erase.map(({ seq, tokenCount }) => ({ seq, oldTokens: tokenCount, newTokens: undefined })),
  ];
  let plan: TaskEdit["plan"];
  const events: EventDetail[] = [];
  for (const edit of tasks.length === 0 ? [] : edits) {
    const next = afterMessage(tasksAfter(tasks, plan), edit, nowMs);
    plan = mergeTaskPlans(plan, next.plan, view.revision);
    events.push(...next.events);
  }
  return { plan, events };
}

function ownEvents({ head }: Session, { replace, erase }: LogEdit): readonly EventDetail[] {
  return [
    ...replace.map(({ message, paths }): EventDetail => {
      const { messageId, seq, tokenCount } = message;
      return { type: EVENT_TYPE.messageUpdated, messageId, seq, paths, tokenCount };
    }),
    ...erase.map(({ messageId, seq, tokenCount }): EventDetail => {
      const wasInWindow = containsSeq(head.windowRanges, seq);
      return { type: EVENT_TYPE.messageDeleted, messageId, seq, tokenCount, wasInWindow };
    }),
  ];
}

/** Whether a draft says something else than a stored message, not the same in the same words. */
export function saysOther(codec: Codec, old: StoredEntry, draft: MessageDraft): boolean {
  return !isDeepStrictEqual(codec.decodeMessage(old.bytes).draft.counted(), draft.counted());
}

/** The session and the view of it as if an edit had been stored. */
export function afterEdit(
  view: SessionView,
  { session, window, side, replaced }: EditedLog,
): { readonly session: Session; readonly view: SessionView } {
  const changed = new Map(replaced.map((message) => [message.seq, message]));
  return {
    session: { ...session, head: { ...session.head, window: totalsOf(window) } },
    view: {
      ...view,
      ...side,
      window: () => window,
      messagesAt: (seqs) =>
        view.messagesAt(seqs).map((message) => changed.get(message.seq) ?? message),
    },
  };
}

// Messages that a decision needs with their content, within a limit of bytes.

/** Messages that a decision reads before it looks whether they are enough. */
const SEQS_AT_ONCE = 64;

/** Refuses messages that are larger together than one change reads. */
export function checkEditBytes(messages: Iterable<StoredMessage>, field: string): void {
  let bytes = 0;
  for (const message of messages) {
    bytes += message.bytes.length;
    if (bytes <= LIMITS.editBytes) continue;
    const description =
      `name stored messages of more than ${LIMITS.editBytes} bytes together; ` +
      "name fewer in a call";
    throw requestInvalid([{ field, description }]);
  }
}

/** The existing messages of some seqs, in their order. `enough` ends the search. */
export function messagesOf(
  view: SessionView,
  seqs: readonly number[],
  enough: (messages: readonly StoredMessage[]) => boolean,
): readonly StoredMessage[] {
  const messages: StoredMessage[] = [];
  for (let start = 0; start < seqs.length; start += SEQS_AT_ONCE) {
    messages.push(...view.messagesAt(seqs.slice(start, start + SEQS_AT_ONCE)));
    if (enough(messages)) break;
  }
  return messages;
}
