// The window as the rules and callers see it: the messages of the log that are in it, and the
// inserts that stand between them. Storage keeps the two apart.

import type { Session, WindowInsert } from "../session/rules/session.ts";
import type { StoredEntry } from "../store/store.ts";
import { besideOf } from "../summary/rules/beside.ts";
import type { Policy, PolicyStage } from "../window/policy/policy.ts";
import { countedRule } from "../window/policy/token-rules.ts";
import { addTotals } from "../window/rules/trim.ts";
import type {
  DetailOf,
  MessageDetail,
  Signals,
  ToolOutcome,
  WindowTotals,
} from "../window/rules/types.ts";
import type { Codec } from "./codec.ts";

const NO_MARKS: ReadonlyMap<string, number> = new Map();

/** Makes the entry that shows an insert in the window. */
export function insertEntry(insert: WindowInsert, codec: Codec): StoredEntry {
  const { position, bytes, tokenCount, createMs } = insert;
  const facts = codec.readFacts(bytes);
  return { ...facts, seq: position, tokenCount, createMs, byteCount: bytes.length, bytes };
}

/**
 * An entry with other content. It is copied part by part, since a spread would lose the parts that
 * are computed when they are asked for.
 */
export function withContent(
  { answers, callIds, createMs, isResult, messageId, role, seq }: StoredEntry,
  bytes: Uint8Array,
  tokenCount: number,
): StoredEntry {
  const ids = { messageId, callIds, answers };
  return { ...ids, seq, role, isResult, createMs, tokenCount, byteCount: bytes.length, bytes };
}

/**
 * Puts inserts among the messages of a window, by rising position. Gives back the very array it got
 * when there are none.
 */
export function mergeInserts(
  window: readonly StoredEntry[],
  inserts: readonly WindowInsert[],
  codec: Codec,
): readonly StoredEntry[] {
  if (inserts.length === 0) return window;
  const entries: StoredEntry[] = [];
  let next = 0;
  for (const message of window) {
    for (let insert = inserts[next]; insert !== undefined; insert = inserts[next]) {
      if (insert.position > message.seq) break;
      entries.push(insertEntry(insert, codec));
      next++;
    }
    entries.push(message);
  }
  for (const insert of inserts.slice(next)) entries.push(insertEntry(insert, codec));
  return entries;
}

/** Whether an entry is a message of the log. */
export function isInLog(entry: { readonly seq: number }): boolean {
  return Number.isInteger(entry.seq);
}

/**
 * Takes entries apart again: the messages of the log, and those of the inserts that are still among
 * them. Gives back the very arrays it got where nothing is different.
 */
export function splitInserts(
  entries: readonly StoredEntry[],
  inserts: readonly WindowInsert[],
): { readonly window: readonly StoredEntry[]; readonly inserts: readonly WindowInsert[] } {
  if (inserts.length === 0) return { window: entries, inserts };
  const window = entries.filter(isInLog);
  if (entries.length - window.length === inserts.length) return { window, inserts };
  const positions = new Set(entries.map((entry) => entry.seq));
  return { window, inserts: inserts.filter(({ position }) => positions.has(position)) };
}

/** The size of the window as callers see it: messages of the log and inserts. */
export function sessionTotals(session: Session): WindowTotals {
  return withInserts(session.head.window, session.fields.inserts);
}

/** Adds inserts to totals. Gives back the very totals it got when there are none. */
export function withInserts(totals: WindowTotals, inserts: readonly WindowInsert[]): WindowTotals {
  if (inserts.length === 0) return totals;
  let tokenCount = 0;
  let byteCount = 0;
  for (const insert of inserts) {
    tokenCount += insert.tokenCount;
    byteCount += insert.bytes.length;
  }
  return addTotals(totals, { messageCount: inserts.length, tokenCount, byteCount });
}

/**
 * Signals of a policy beside the window, with the outcomes that its tool triggers consider.
 * Default: the policy of the session.
 */
export function signalsOf(
  { head, fields }: Pick<Session, "head" | "fields">,
  outcomes: readonly ToolOutcome[],
  policy: Policy = fields.policy,
): Signals {
  const { modelInputTokens, marks } = head.policyState;
  const beside = besideOf(policy, countedRule(fields.policy), fields.summary);
  return {
    ...(beside === undefined ? {} : { beside }),
    modelInputTokens,
    outcomes,
    lastSeq: head.lastSeq,
    resetSeq: head.firstSeq - 1,
    actedSeqs: marks.length === 0 ? NO_MARKS : new Map(marks.map(({ stage, seq }) => [stage, seq])),
  };
}

/** Reads details of entries, each once. */
export function detailReader(codec: Codec): DetailOf<StoredEntry> {
  let known: Map<StoredEntry, MessageDetail> | undefined;
  return (entry) => {
    known ??= new Map();
    let detail = known.get(entry);
    if (detail === undefined) {
      detail = codec.readDetail(entry.bytes);
      known.set(entry, detail);
    }
    return detail;
  };
}

/** Whether a stage counts what came since it last acted. */
export function countsNew(stage: PolicyStage): boolean {
  return stage.anyOf.some(
    ({ kind }) => kind === "new-messages-at-least" || kind === "new-tokens-at-least",
  );
}

/** The tools that triggers of some stages name; undefined when there are none. */
export function namedTools(
  policy: Policy,
  isMeant: (stage: PolicyStage) => boolean = () => true,
): ReadonlySet<string> | undefined {
  let names: Set<string> | undefined;
  for (const stage of policy.stages) {
    for (const trigger of stage.anyOf) {
      if (trigger.kind !== "tool-success" && trigger.kind !== "tool-error") continue;
      if (!isMeant(stage)) continue;
      names ??= new Set();
      for (const name of trigger.names) names.add(name);
    }
  }
  return names;
}
