// Expected records of a server that is killed again and again, and the hits that a recall may give.
// Each record has a unique word, a new one with each change, which shows in an answer which state
// of the record it holds.

import type { RecallHit } from "../../clients/typescript/src/index.ts";

/** A message or a document. */
export interface KnownRecord {
  readonly kind: "message" | "document" | "memory";
  /** The session or collection; empty for a memory. */
  readonly container: string;
  readonly id: string;
  /** Its word; undefined when it is deleted. */
  token: string | undefined;
  /** A call without an answer would leave it with this word, or with none. */
  open: { readonly token: string | undefined } | undefined;
  /** Counts up with each call that touches it. */
  version: number;
}

/** The letters of words that no stemmer changes. */
const LETTERS = "bdfgkmprtvz";
const LETTERS_OF_WORD = 7;

/** The word with this number. */
export function tokenOf(number: number): string {
  let word = "";
  let left = number;
  for (let at = 0; at < LETTERS_OF_WORD; at++) {
    word = (LETTERS[left % LETTERS.length] ?? "") + word;
    left = Math.floor(left / LETTERS.length);
  }
  return `qx${word}`;
}

const TOKEN = new RegExp(`\\bqx[${LETTERS}]{${LETTERS_OF_WORD}}\\b`, "u");

/** A hit as the check sees it. */
export interface SeenHit {
  readonly key: string;
  readonly token: string | undefined;
}

/** Names a record. */
export function keyOf(kind: KnownRecord["kind"], container: string, id: string): string {
  return `${kind} ${container}/${id}`;
}

/** The record that a hit names, with its state. */
export function seenHit({ record }: RecallHit): SeenHit {
  if (record?.$case === "message") {
    const { sessionId, message } = record.value;
    const key = keyOf("message", sessionId, message?.messageId ?? "");
    return { key, token: TOKEN.exec(message?.text ?? "")?.[0] };
  }
  if (record?.$case === "memory") {
    const { memoryId, text } = record.value;
    return { key: keyOf("memory", "", memoryId), token: TOKEN.exec(text)?.[0] };
  }
  const { collectionId = "", documentId = "", text = "" } = record?.value ?? {};
  return { key: keyOf("document", collectionId, documentId), token: TOKEN.exec(text)?.[0] };
}

/** All records that were ever written. */
export class RecallAccount {
  readonly records = new Map<string, KnownRecord>();
  /** Words that no record has any more. */
  readonly dead: string[] = [];
  #last = 0;
  acknowledged = 0;
  unanswered = 0;
  /** Faults that were seen. */
  readonly wrong: string[] = [];

  /** A number that was never given. */
  number(): number {
    this.#last += 1;
    return this.#last;
  }

  /** The record of this name, which may be new. */
  recordOf(kind: KnownRecord["kind"], container: string, id: string): KnownRecord {
    const key = keyOf(kind, container, id);
    let record = this.records.get(key);
    if (record === undefined) {
      record = { kind, container, id, token: undefined, open: undefined, version: 0 };
      this.records.set(key, record);
    }
    return record;
  }

  /** The records of a container that are there. */
  heldBy(kind: KnownRecord["kind"], container: string): KnownRecord[] {
    return [...this.records.values()].filter(
      (one) => one.kind === kind && one.container === container && one.token !== undefined,
    );
  }

  /** Notes that a call goes out which leaves records with these words. */
  intend(changes: readonly (readonly [KnownRecord, string | undefined])[]): void {
    for (const [record, token] of changes) {
      record.open = { token };
      record.version += 1;
    }
  }

  /** Notes that the call was answered. */
  acknowledge(changes: readonly (readonly [KnownRecord, string | undefined])[]): void {
    this.acknowledged += 1;
    for (const [record, token] of changes) this.#become(record, token);
  }

  /** The words that must be found now, and those that may be. */
  tokens(): { readonly sure: readonly string[]; readonly open: readonly string[] } {
    const all = [...this.records.values()];
    const sure = all.filter(({ open }) => open === undefined).map(({ token }) => token);
    const open = all.flatMap((one) => (one.open === undefined ? [] : [one.token, one.open.token]));
    const isWord = (token: string | undefined) => token !== undefined;
    return { sure: sure.filter(isWord), open: open.filter(isWord) };
  }

  /** Says what is wrong with one hit. */
  faultOf({ key, token }: SeenHit): string | undefined {
    const record = this.records.get(key);
    if (record === undefined) return `RETURNED ${key}, which nobody wrote`;
    if (token !== undefined && token === record.token) return undefined;
    if (record.open !== undefined && token !== undefined && token === record.open.token) {
      return undefined;
    }
    if (record.token === undefined && record.open?.token === undefined) {
      return `RETURNED ${key}, which was deleted`;
    }
    return `RETURNED ${key} with ${token} where it has ${record.token}`;
  }

  /** Holds all that was found against what is known; what was open is settled. */
  check(hits: readonly SeenHit[]): string[] {
    const wrong = hits.map((hit) => this.faultOf(hit)).filter((fault) => fault !== undefined);
    const found = new Map(hits.map(({ key, token }) => [key, token]));
    for (const [key, record] of this.records) {
      if (record.open !== undefined) this.#become(record, found.get(key));
      else if (record.token !== undefined && found.get(key) !== record.token) {
        wrong.push(`LOST ${key}: ${record.token} was answered for and is not found`);
      }
    }
    return [...new Set(wrong)];
  }

  #become(record: KnownRecord, token: string | undefined): void {
    for (const old of [record.token, record.open?.token]) {
      if (old !== undefined && old !== token) this.dead.push(old);
    }
    record.token = token;
    record.open = undefined;
  }
}

/** A session that runs out, with one message. */
export interface BriefSession {
  readonly sessionId: string;
  readonly token: string;
  readonly ttlMs: number;
  readonly beginMs: number;
  /** Undefined while there is no answer. */
  answerMs: number | undefined;
}

/** The clocks of two processes on one machine, and how they round. */
const SLACK_MS = 50;

/** Says what is wrong with what was found of a brief session by a call from `askMs` to `toldMs`. */
export function briefFault(
  session: BriefSession,
  isFound: boolean,
  { askMs, toldMs }: { readonly askMs: number; readonly toldMs: number },
): string | undefined {
  const { answerMs, beginMs, ttlMs, sessionId } = session;
  if (answerMs === undefined) return undefined;
  if (isFound && askMs > answerMs + ttlMs + SLACK_MS) return `RETURNED ${sessionId}: it ran out`;
  if (!isFound && toldMs < beginMs + ttlMs - SLACK_MS) return `LOST ${sessionId}: it has time left`;
  return undefined;
}
