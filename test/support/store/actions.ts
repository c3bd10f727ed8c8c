// A small service over a store, for tests of the storage: each action is plain data, decided by a
// pure function, with an answer that can be compared. It covers what a plan can say, not what a
// policy does.

import { EVENT_TYPE, type EventType } from "../../../src/events/rules/event.ts";
import {
  lastSeqMismatch,
  messageAlreadyExists,
  messageNotFound,
  sessionAlreadyExists,
  sessionNotFound,
} from "../../../src/kit/errors.ts";
import { makeMessageId } from "../../../src/kit/ids.ts";
import type { PolicyState, Session } from "../../../src/session/rules/session.ts";
import type {
  NewMessage,
  SessionDecision,
  SessionPlan,
  SessionView,
  Store,
  StoredEntry,
} from "../../../src/store/store.ts";
import { ROLE } from "../../../src/window/rules/types.ts";
import {
  type ActionResult,
  eventsOf,
  isYoung,
  type RecordChanges,
  replayed,
  replyTo,
  type SessionAction,
} from "./action-types.ts";
import { newFields, newHead, newMessage, rangesOf, totalsOf } from "./plans.ts";
import { askedBy, recordPart, wordsOf } from "./records.ts";

/** Does an action of a session. */
export function act(store: Store, action: SessionAction): Promise<ActionResult> {
  const { namespace, sessionId, requestId } = action;
  const messageIds = idsOf(action);
  const change = {
    namespace,
    sessionId,
    ...(requestId === undefined ? {} : { requestId }),
    ...(messageIds === undefined ? {} : { messageIds }),
  };
  return store.changeSession<ActionResult>(change, (view) => decide(action, view));
}

function idsOf(action: SessionAction): readonly string[] | undefined {
  switch (action.kind) {
    case "append":
      return action.drafts.map(({ messageId }) => messageId).filter((id) => id !== "");
    case "replace":
    case "erase":
      return [action.messageId];
    case "restore":
    case "look":
      return action.messageIds;
    case "rewrite":
      return [...action.messageIds, ...action.drafts.map(({ messageId }) => messageId)];
    default:
      return undefined;
  }
}

function decide(action: SessionAction, view: SessionView): SessionDecision<ActionResult> {
  if (isYoung(view.reply, action.nowMs)) return { kind: "answer", result: replayed(view.reply) };
  const session = view.session ?? newSessionOf(action, view);
  switch (action.kind) {
    case "create":
      return save(action, view, session, { type: EVENT_TYPE.sessionCreated, isNew: true });
    case "append":
      return append(action, view, withFields(action, view, session));
    case "update": {
      const fields = { ...session.fields, ...action.fields, etagRevision: view.revision };
      return save(action, view, { ...session, fields }, { type: EVENT_TYPE.sessionUpdated });
    }
    case "trim":
      return retrim(action, view, session, (window) =>
        window.filter((_, index) => index % action.every !== action.rest),
      );
    case "restore":
      return retrim(action, view, session, (window) => {
        const all = new Map([...window, ...view.messages.values()].map((one) => [one.seq, one]));
        return [...all.values()].sort((a, b) => a.seq - b.seq);
      });
    case "replace":
      return replace(action, view, session);
    case "erase":
      return erase(action, view, session);
    case "reset":
      return reset(action, view, session);
    case "rewrite":
      return rewrite(action, view, session);
    case "remove":
      return saved(action, view, session, {
        remove: true,
        events: eventsOf(action, view, session, [EVENT_TYPE.sessionDeleted]),
      });
    case "look": {
      const messages = [...view.messages.keys()].sort();
      const window = action.looks ? view.window().map(({ seq }) => seq) : undefined;
      const { lastSeq, revision } = session.head;
      return { kind: "answer", result: { revision, lastSeq, window, messages } };
    }
  }
}

function newSessionOf(action: SessionAction, view: SessionView): Session {
  const mayCreate = action.kind === "create" || (action.kind === "append" && action.createSession);
  if (!mayCreate) throw sessionNotFound(action.sessionId);
  const { namespace, sessionId, nowMs } = action;
  const parts = action.kind === "create" ? action.fields : {};
  return {
    namespace,
    sessionId,
    fields: newFields({ ...parts, createMs: nowMs, etagRevision: view.revision }),
    head: newHead({ updateMs: nowMs, revision: view.revision }),
  };
}

type Action<K extends SessionAction["kind"]> = Extract<SessionAction, { readonly kind: K }>;
type Decision = SessionDecision<ActionResult>;

function withFields(action: Action<"append">, view: SessionView, session: Session): Session {
  if (action.fields === undefined) return session;
  const fields = { ...session.fields, ...action.fields, etagRevision: view.revision };
  return { ...session, fields };
}

function append(action: Action<"append">, view: SessionView, session: Session): Decision {
  const { head } = session;
  const { expectedLastSeq, drafts, keep } = action;
  if (expectedLastSeq !== undefined && expectedLastSeq !== head.lastSeq) {
    throw lastSeqMismatch(expectedLastSeq, head.lastSeq);
  }
  for (const { messageId } of drafts) {
    if (view.messages.has(messageId)) throw messageAlreadyExists(messageId);
  }
  const messages = drafts.map((draft, index) => {
    const seq = head.lastSeq + 1 + index;
    const messageId = draft.messageId === "" ? serverId(seq, action.nowMs) : draft.messageId;
    return newMessage({ ...draft, seq, messageId });
  });
  const change = {
    type: EVENT_TYPE.messagesAppended,
    isNew: view.session === undefined,
    part: { append: messages, ...recordsOf(action, view) },
  };
  if (!action.looks) {
    return save(action, view, appended(session, messages, action.state), change);
  }
  const all = [...view.window(), ...messages];
  const window = keep === undefined ? all : all.slice(Math.max(0, all.length - keep));
  const trimmed = window.length < all.length;
  const after = appended(session, messages, action.state);
  if (action.discard !== true) return save(action, view, after, { ...change, window, trimmed });
  const gone = all.slice(0, all.length - window.length);
  const { messageCount, tokenCount } = totalsOf(gone);
  const log = {
    messageCount: after.head.log.messageCount - messageCount,
    tokenCount: after.head.log.tokenCount - tokenCount,
  };
  const erase = gone.map(({ seq, messageId }) => ({ seq, messageId }));
  const left = { ...after, head: { ...after.head, log } };
  const part = { ...change.part, erase };
  return save(action, view, left, { ...change, part, window, trimmed });
}

/** The records that go with an append. */
function recordsOf({ nowMs, records }: Action<"append">, view: SessionView): Partial<SessionPlan> {
  if (records === undefined) return {};
  const seen = { ...seenRecords(records, view), revision: view.revision };
  return { records: recordPart(seen, { ...records, nowMs }) };
}

function seenRecords(
  changes: RecordChanges,
  view: SessionView,
): ReturnType<SessionView["records"]> {
  return view.records(askedBy(changes));
}

/** An id as the server makes them; unique as no two messages of a log share a seq. */
export function serverId(seq: number, nowMs: number): string {
  const random = Buffer.alloc(10);
  random.writeUIntBE(nowMs % 2 ** 48, 0, 6);
  return makeMessageId(seq, random);
}

function appended(
  session: Session,
  messages: readonly NewMessage[],
  policyState: PolicyState = session.head.policyState,
): Session {
  const { head } = session;
  const lastSeq = head.lastSeq + messages.length;
  const added = totalsOf(messages);
  const last = { first: head.lastSeq + 1, last: lastSeq };
  const merged = head.windowRanges.at(-1)?.last === head.lastSeq;
  const windowRanges = merged
    ? [...head.windowRanges.slice(0, -1), { ...last, first: head.windowRanges.at(-1)?.first ?? 0 }]
    : [...head.windowRanges, last];
  const window = {
    messageCount: head.window.messageCount + added.messageCount,
    tokenCount: head.window.tokenCount + added.tokenCount,
    byteCount: head.window.byteCount + added.byteCount,
  };
  const log = {
    messageCount: head.log.messageCount + added.messageCount,
    tokenCount: head.log.tokenCount + added.tokenCount,
  };
  return { ...session, head: { ...head, lastSeq, log, window, windowRanges, policyState } };
}

function retrim(
  action: SessionAction,
  view: SessionView,
  session: Session,
  change: (window: readonly StoredEntry[]) => readonly StoredEntry[],
): Decision {
  const window = change(view.window());
  return save(action, view, session, { type: EVENT_TYPE.messagesTrimmed, window, trimmed: true });
}

function inWindow(session: Session, seq: number): boolean {
  return session.head.windowRanges.some(({ first, last }) => first <= seq && seq <= last);
}

function replace(action: Action<"replace">, view: SessionView, session: Session): Decision {
  const old = view.messages.get(action.messageId);
  if (old === undefined) throw messageNotFound(action.messageId);
  const { tokenCount, text } = action;
  const message = newMessage({ ...old, tokenCount, text });
  const { head } = session;
  const moreTokens = tokenCount - old.tokenCount;
  const log = { ...head.log, tokenCount: head.log.tokenCount + moreTokens };
  const window = inWindow(session, old.seq)
    ? {
        ...head.window,
        tokenCount: head.window.tokenCount + moreTokens,
        byteCount: head.window.byteCount + message.byteCount - old.byteCount,
      }
    : head.window;
  const after = { ...session, head: { ...head, log, window } };
  return save(action, view, after, {
    type: EVENT_TYPE.messageUpdated,
    part: { replace: [message] },
    ...windowPart(action, view, (entry) => (entry.seq === old.seq ? message : entry)),
  });
}

function erase(action: Action<"erase">, view: SessionView, session: Session): Decision {
  const old = view.messages.get(action.messageId);
  if (old === undefined) throw messageNotFound(action.messageId);
  const { seq, messageId } = old;
  const { head } = session;
  const log = {
    messageCount: head.log.messageCount - 1,
    tokenCount: head.log.tokenCount - old.tokenCount,
  };
  const window = inWindow(session, seq)
    ? {
        messageCount: head.window.messageCount - 1,
        tokenCount: head.window.tokenCount - old.tokenCount,
        byteCount: head.window.byteCount - old.byteCount,
      }
    : head.window;
  const after = { ...session, head: { ...head, log, window } };
  return save(action, view, after, {
    type: EVENT_TYPE.messageDeleted,
    part: { erase: [{ seq, messageId }] },
    ...windowPart(action, view, (entry) => (entry.seq === seq ? undefined : entry)),
  });
}

function windowPart(
  { looks }: Action<"replace" | "erase">,
  view: SessionView,
  change: (entry: StoredEntry) => StoredEntry | undefined,
): { readonly window?: readonly StoredEntry[] } {
  if (!looks) return {};
  return {
    window: view
      .window()
      .map(change)
      .filter((entry) => entry !== undefined),
  };
}

function reset(action: Action<"reset">, view: SessionView, session: Session): Decision {
  const kept = view.window().filter((entry) => action.keepSystem && entry.role === ROLE.system);
  const { messageCount, tokenCount } = totalsOf(kept);
  const head = {
    ...session.head,
    firstSeq: session.head.lastSeq + 1,
    log: { messageCount, tokenCount },
  };
  const newest = view.summary(session.fields.summaryVersion);
  const isKept = action.keepSummary === true && newest !== undefined;
  const summaries = isKept ? { summaries: { put: [newest] } } : {};
  return save(
    action,
    view,
    { ...session, head },
    {
      type: EVENT_TYPE.sessionReset,
      part: { resetLog: true, append: kept, ...summaries },
      window: kept,
    },
  );
}

function rewrite(action: Action<"rewrite">, view: SessionView, session: Session): Decision {
  const { head } = session;
  const gone = new Set(
    action.messageIds.flatMap((messageId) => view.messages.get(messageId)?.seq ?? []),
  );
  for (const { messageId } of action.drafts) {
    const known = view.messages.get(messageId);
    if (known !== undefined && !gone.has(known.seq) && !action.all) {
      throw messageAlreadyExists(messageId);
    }
  }
  const messages = action.drafts.map((draft, index) => {
    const seq = head.lastSeq + 1 + index;
    const messageId = draft.messageId === "" ? serverId(seq, action.nowMs) : draft.messageId;
    return newMessage({ ...draft, seq, messageId });
  });
  const erased = [...view.messages.values()].filter(({ seq }) => gone.has(seq));
  const left = action.all
    ? { messageCount: 0, tokenCount: 0 }
    : {
        messageCount: head.log.messageCount - erased.length,
        tokenCount: head.log.tokenCount - totalsOf(erased).tokenCount,
      };
  const added = totalsOf(messages);
  const after = {
    ...session,
    head: {
      ...head,
      ...(action.all ? { firstSeq: head.lastSeq + 1 } : {}),
      lastSeq: head.lastSeq + messages.length,
      log: {
        messageCount: left.messageCount + added.messageCount,
        tokenCount: left.tokenCount + added.tokenCount,
      },
    },
  };
  const kept = action.all ? [] : view.window().filter(({ seq }) => !gone.has(seq));
  const erase = erased.map(({ seq, messageId }) => ({ seq, messageId }));
  return save(action, view, after, {
    type: EVENT_TYPE.messagesAppended,
    window: [...kept, ...messages],
    part: { append: messages, ...(action.all ? { resetLog: true } : { erase }) },
  });
}

interface Change {
  readonly type: EventType;
  readonly isNew?: boolean;
  readonly window?: readonly StoredEntry[];
  readonly trimmed?: boolean;
  readonly part?: Partial<SessionPlan>;
}

function save(action: SessionAction, view: SessionView, after: Session, change: Change): Decision {
  if (action.kind === "create" && view.session !== undefined) {
    throw sessionAlreadyExists(action.sessionId);
  }
  const { window, trimmed, part, type, isNew } = change;
  const windowHead =
    window === undefined
      ? {}
      : { window: totalsOf(window), windowRanges: rangesOf(window.map(({ seq }) => seq)) };
  const stamp = { updateMs: action.nowMs, revision: view.revision };
  const head = { ...after.head, ...windowHead, ...stamp };
  const types = [type, ...(trimmed === true && type !== EVENT_TYPE.messagesTrimmed ? [TRIM] : [])];
  const session = { ...after, head };
  return saved(action, view, session, {
    ...(isNew === true || setsFields(action) ? { fields: after.fields } : {}),
    head,
    ...(window === undefined ? {} : { window }),
    ...(trimmed === undefined ? {} : { windowTrimmed: trimmed }),
    ...part,
    events: eventsOf(action, view, session, types),
  });
}

function setsFields(action: SessionAction): boolean {
  return action.kind === "update" || (action.kind === "append" && action.fields !== undefined);
}

const TRIM = EVENT_TYPE.messagesTrimmed;

function saved(
  action: SessionAction,
  view: SessionView,
  after: Session,
  plan: SessionPlan,
): Decision {
  const result: ActionResult = {
    revision: view.revision,
    lastSeq: after.head.lastSeq,
    window: plan.window?.map(({ seq }) => seq),
    messages: [...view.messages.keys()].sort(),
    ...(action.kind === "append" && action.records !== undefined
      ? { records: [...seenRecords(action.records, view).records.values()].map(wordsOf).sort() }
      : {}),
  };
  const reply = action.requestId === undefined ? {} : { reply: replyTo(action, result) };
  return { kind: "save", result, plan: { ...plan, ...reply } };
}
