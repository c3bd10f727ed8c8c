// RestoreMessages: brings messages of the log back into the window, with all messages of the same
// tool calls. What belongs together is looked for in the log beforehand; the decision finds the
// messages again and starts over when the session changed meanwhile.

import { answerOnly, type Changing, changeSession, liveSession, saved } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { findNeighbors, findPartners, type LogFacts, LogReader } from "../core/log-reader.ts";
import type { RestoreMessagesInput } from "../core/window-api.ts";
import { changeWindow, planOf } from "../core/window-change.ts";
import { mergeInserts, sessionTotals } from "../core/window-view.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { type Call, checkLive } from "../kit/call.ts";
import {
  messageNotFound,
  requestInvalid,
  seqOutOfRange,
  sessionNotFound,
  windowFull,
} from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { SessionDecision, SessionView, StoredEntry } from "../store/store.ts";
import { CEILING } from "../window/policy/policy.ts";
import { groupEntries, ORPHAN } from "../window/rules/groups.ts";
import { containsSeq, mergeRanges, rangesOf } from "../window/rules/ranges.ts";
import { totalsOf } from "../window/rules/trim.ts";
import type { Session, SessionRef } from "./rules/session.ts";

/**
 * Most messages that one restore loads. More than a window holds: results whose call is gone
 * are looked for, too, and left out in the end.
 */
const LOADED_BYTES_MAX = 2 * CEILING.bytes;

/** After so many changes in between, the decision goes on with what was found last. */
const TRIES_MAX = 8;

/** The messages to bring back, as they were found. */
interface Found {
  /** Asked for by id: each must exist. */
  readonly askedIds: readonly string[];
  readonly messageIds: readonly string[];
  /** The session when they were looked for. */
  readonly revision: number;
  /** Reason for giving up the search, with nothing in `messageIds`. */
  readonly givenUp?: "beyond" | "too-many" | "too-large";
}

/** Says that the session changed since its messages were looked for. */
type Stale = "stale";

interface Restoring extends Changing {
  readonly input: RestoreMessagesInput;
}

/** Brings messages of a session back into its window. */
export async function restoreMessages(
  context: ServiceContext,
  call: Call,
  input: RestoreMessagesInput,
): Promise<Uint8Array> {
  const { namespace, sessionId } = input;
  const restoring = { context, call, input, nowMs: context.world.nowMs() };
  for (let tries = 1; ; tries++) {
    const found = await find(restoring);
    const target = { namespace, sessionId, messageIds: found.messageIds };
    const result = await changeSession<Stale>(context, call, target, (view) =>
      decideRestore(restoring, { ...found, mayBeStale: tries >= TRIES_MAX }, view),
    );
    if (result !== "stale") return result;
  }
}

/** Finds what is asked for and what belongs to it. A fault of the request is left to decide. */
async function find({ context, call, input }: Restoring): Promise<Found> {
  checkLive(call.signal);
  const askedIds = [...new Set(input.messageIds)];
  const session = liveSession(context, await context.store.readSession(input));
  if (session === undefined) return { askedIds, messageIds: [], revision: 0 };
  const { revision, lastSeq, windowRanges } = session.head;
  const giveUp = (givenUp: Found["givenUp"]): Found => ({
    askedIds,
    messageIds: [],
    revision,
    ...(givenUp === undefined ? {} : { givenUp }),
  });
  const ref: SessionRef = { namespace: input.namespace, sessionId: input.sessionId };
  const log = new LogReader(context, ref, call.signal);
  const seeds = new Map<number, LogFacts>();
  for (const facts of await named(context, ref, askedIds)) seeds.set(facts.seq, facts);
  for (const range of input.ranges) {
    if (range.last > lastSeq) return giveUp("beyond");
    for await (const facts of log.existing(range)) {
      seeds.set(facts.seq, facts);
      if (seeds.size > LIMITS.restoreMessages) return giveUp("too-many");
    }
  }
  const outside = [...seeds.values()].filter(({ seq }) => !containsSeq(windowRanges, seq));
  const partners = await tiedTo(log, outside, session);
  let bytes = 0;
  for (const { byteCount } of [...outside, ...partners]) bytes += byteCount;
  if (bytes > LOADED_BYTES_MAX) return giveUp("too-large");
  const ids = [...seeds.values(), ...partners].map(({ messageId }) => messageId);
  return { askedIds, messageIds: [...new Set([...askedIds, ...ids])], revision };
}

/** The messages of the log that the policy keeps together with some others. */
async function tiedTo(
  log: LogReader,
  outside: readonly LogFacts[],
  { fields, head }: Session,
): Promise<readonly LogFacts[]> {
  const { toolPairing } = fields.policy;
  if (toolPairing === "loose") return [];
  const find = toolPairing === "adjacent" ? findNeighbors : findPartners;
  return await find(log, outside, head.lastSeq);
}

async function named(
  context: ServiceContext,
  ref: SessionRef,
  messageIds: readonly string[],
): Promise<readonly LogFacts[]> {
  const found: LogFacts[] = [];
  for (const messageId of messageIds) {
    const message = await context.store.readMessage(ref, messageId);
    if (message === undefined) continue;
    const { seq, bytes } = message;
    found.push({ ...context.codec.readFacts(bytes), seq, byteCount: bytes.length });
  }
  return found;
}

function decideRestore(
  restoring: Restoring,
  found: Found & { readonly mayBeStale: boolean },
  view: SessionView,
): SessionDecision<Stale | Uint8Array> {
  const { context, input, nowMs } = restoring;
  const { session, revision } = view;
  if (session === undefined) throw sessionNotFound(input.sessionId);
  const { lastSeq, windowRanges } = session.head;
  const beyond = input.ranges.find(({ last }) => last > lastSeq);
  if (beyond !== undefined) throw seqOutOfRange(beyond.last, lastSeq);
  const { givenUp, mayBeStale } = found;
  if (session.head.revision !== found.revision && (!mayBeStale || givenUp === "beyond")) {
    return { kind: "answer", result: "stale" };
  }
  if (givenUp === "too-many") {
    const description = `name more than ${LIMITS.restoreMessages} messages`;
    throw requestInvalid([{ field: "seq_ranges", description }]);
  }
  if (givenUp === "too-large") throw windowFull(`${CEILING.bytes} bytes`);
  const missing = found.askedIds.find((messageId) => !view.messages.has(messageId));
  if (missing !== undefined) throw messageNotFound(missing);
  const outside = [...view.messages.values()].filter(({ seq }) => !containsSeq(windowRanges, seq));
  const { window, restored } = joined(context, session, view.window(), outside);
  if (restored.length === 0) {
    const window = sessionTotals(session);
    const { revision } = session.head;
    return answerOnly(restoring, input.encode({ revision, messageIds: [], window }));
  }
  const ranges = mergeRanges(windowRanges, rangesOf(restored));
  const head = { ...session.head, windowRanges: ranges };
  // A task whose messages left at once goes on: its summary will still stand for them.
  const { tasks } = view;
  const base = { session: { ...session, head }, window, stamp: { revision, nowMs }, tasks };
  const change = changeWindow(context, base, []);
  const messageIds = restored.map(({ messageId }) => messageId);
  const bytes = input.encode({ revision, messageIds, window: change.totals });
  const { messageCount, tokenCount } = totalsOf(restored);
  const total = { messageCount, tokenCount };
  const told = { type: EVENT_TYPE.messagesRestored, restored, total, window: change.totals };
  const plan = { ...planOf(session, change), windowTrimmed: true };
  const details = [told, ...change.events];
  return saved(restoring, view, { result: bytes, session, plan, details, bytes });
}

/**
 * The window with messages that were outside. A result whose call is gone never enters a window of
 * a policy that keeps pairs whole.
 */
function joined(
  context: ServiceContext,
  session: Session,
  window: readonly StoredEntry[],
  outside: readonly StoredEntry[],
): { readonly window: readonly StoredEntry[]; readonly restored: readonly StoredEntry[] } {
  const bySeq = (a: StoredEntry, b: StoredEntry): number => a.seq - b.seq;
  const all = [...window, ...outside].sort(bySeq);
  if (session.fields.policy.toolPairing !== "whole") {
    return { window: all, restored: outside.toSorted(bySeq) };
  }
  const entries = mergeInserts(all, session.fields.inserts, context.codec);
  const { callOf } = groupEntries(entries);
  const came = new Set(outside.map(({ seq }) => seq));
  const orphans = new Set(
    entries.filter(({ seq }, index) => callOf[index] === ORPHAN && came.has(seq)),
  );
  return {
    window: all.filter((entry) => !orphans.has(entry)),
    restored: outside.filter((entry) => !orphans.has(entry)).sort(bySeq),
  };
}
