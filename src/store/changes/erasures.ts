// Erasures as they are kept, and the answers that they empty.

import { type Erasure, isDone } from "../../erase/rules/erasure.ts";
import { LIMITS } from "../../kit/limits.ts";
import { afterPrefix, readText, u64 } from "../engine/keys.ts";
import type { Visibility } from "../engine/memtable.ts";
import { firstOf, rangeIndex } from "../engine/reads.ts";
import type {
  AnswersQuery,
  AnswersStep,
  ErasureChange,
  ErasureDecision,
  ErasureRef,
  ErasureView,
} from "../store.ts";
import type { Core } from "../tables/core.ts";
import { ERASURE, ERASURE_MARK, ERASURE_RUNNING, saveErasure } from "../tables/erasure-tables.ts";
import { REPLY } from "../tables/event-tables.ts";
import { MEMORY_GONE } from "../tables/memory-tables.ts";
import { pendingReply, saveReply } from "../tables/replies.ts";
import { PURGE } from "../tables/session-tables.ts";

const MARKS_STEP = 1_024;
const ANSWERS_STEP = 1_024;
const ANSWERS_STEP_BYTES = 4_194_304;

/** Reads an erasure; undefined when there is none. */
export function readErasure(
  core: Core,
  { namespace, erasureId }: ErasureRef,
  visibility: Visibility = "committed",
): Erasure | undefined {
  return ERASURE.get(core, ERASURE.key(namespace, erasureId), visibility);
}

/** Erasures under way, over all namespaces. */
export function runningErasures(core: Core): readonly ErasureRef[] {
  return keysIn(core, ERASURE_RUNNING.id).map((key) => {
    const [namespace, erasureId] = ERASURE_RUNNING.parts(key);
    return { namespace, erasureId };
  });
}

function keysIn(core: Core, prefix: string): string[] {
  const range = { start: prefix, end: afterPrefix(prefix) };
  return [...rangeIndex(core, "pending", range)].map(({ key }) => key);
}

/** The view of an erasure for decide. */
export function erasureView(core: Core, change: ErasureChange): ErasureView {
  const running = ERASURE_RUNNING.prefix(change.namespace);
  return {
    erasure: readErasure(core, change, "pending"),
    running: keysIn(core, running).length,
    reply: pendingReply(core, change.namespace, change.requestId),
  };
}

/** Applies a decision to save. */
export function applyErasure<T>(
  core: Core,
  change: ErasureChange,
  { reply, ...progress }: ErasureDecision<T> & { readonly kind: "save" },
): void {
  const isNew = readErasure(core, change, "pending") === undefined;
  const old = isNew ? oldReceipts(core, change.namespace) : [];
  core.writer.whole(() => {
    for (const key of old) core.memtable.set(key, null);
    saveErasure(core, change.namespace, progress);
    saveReply(core, change, reply, []);
  });
}

// Receipts stand by their age. Those of erasures under way are few, and stay.
function oldReceipts(core: Core, namespace: string): readonly string[] {
  const keys = keysIn(core, ERASURE.prefix(namespace));
  const spare = keys.length + 1 - LIMITS.erasureReceipts;
  const isSpare = (key: string) => {
    const erasure = ERASURE.get(core, key, "pending");
    return erasure === undefined || isDone(erasure);
  };
  return spare <= 0
    ? []
    : keys
        .slice(0, spare + LIMITS.erasures)
        .filter(isSpare)
        .slice(0, spare);
}

/** The marks of an erasure under way. */
export function erasureMarks(core: Core, { erasureId }: ErasureRef): ReadonlySet<string> {
  const prefix = ERASURE_MARK.prefix(erasureId);
  return new Set(keysIn(core, prefix).map((key) => readText(key.slice(prefix.length))));
}

/** Forgets some of the marks; true when there are more. */
export async function dropErasureMarks(core: Core, { erasureId }: ErasureRef): Promise<boolean> {
  core.writer.assertOpen();
  const keys = keysIn(core, ERASURE_MARK.prefix(erasureId));
  for (const key of keys.slice(0, MARKS_STEP)) core.memtable.set(key, null);
  await core.writer.whenDurable();
  return keys.length > MARKS_STEP;
}

/** Empties some of the answers that are meant. */
export async function eraseAnswers(core: Core, query: AnswersQuery): Promise<AnswersStep> {
  const { writer } = core;
  writer.assertOpen();
  const { after, isMeant, namespace, progress } = query;
  const prefix = REPLY.prefix(namespace);
  const range = { start: prefix, end: afterPrefix(prefix) };
  const meant: string[] = [];
  let next: string | undefined;
  let looks = 0;
  let bytes = 0;
  const start = after === undefined ? range.start : REPLY.key(namespace, after);
  for (const { key, payload } of rangeIndex(core, "pending", { ...range, start })) {
    const [, requestId] = REPLY.parts(key);
    if (requestId === after) continue;
    if (looks++ >= ANSWERS_STEP || bytes >= ANSWERS_STEP_BYTES) break;
    bytes += payload.length;
    next = requestId;
    const { about, isErased } = REPLY.of(payload);
    if (isErased !== true && isMeant(about)) meant.push(key);
  }
  const isEnd = looks < ANSWERS_STEP && bytes < ANSWERS_STEP_BYTES;
  if (progress !== undefined && meant.length > 0) {
    const replies = meant.flatMap((key) => {
      const reply = REPLY.get(core, key, "pending");
      return reply === undefined ? [] : [{ key, reply }];
    });
    writer.whole(() => {
      for (const { key, reply } of replies) {
        REPLY.put(core, key, { ...reply, bytes: new Uint8Array(0), isErased: true });
      }
      saveErasure(core, namespace, progress(replies.length));
    });
    await writer.whenFormingDurable(undefined);
  }
  return { count: meant.length, next: isEnd ? undefined : next };
}

/** Tells whether upkeep has erased all that was deleted before a mark. */
export function purgedBefore(
  core: Core,
  purgeMark: number = core.writer.nextLogNo,
): { readonly mark: number; readonly isPurged: boolean } {
  const before = (id: string) =>
    firstOf(core, "committed", { start: id, end: id + u64(purgeMark) }) === undefined;
  return { mark: purgeMark, isPurged: before(PURGE.id) && before(MEMORY_GONE.id) };
}
