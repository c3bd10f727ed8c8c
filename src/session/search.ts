// Searches texts for words: terms, occurrences, and the snippet around the first of them.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { ServiceContext } from "../core/context.ts";
import type { SearchSessionsInput, SessionMatch, SessionMatches } from "../core/window-api.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { placeOfPart } from "../kit/find-part.ts";
import { LIMITS } from "../kit/limits.ts";
import { searchSemaphore } from "../kit/semaphore.ts";
import { sessionPasses } from "../recall/rules/item-tests.ts";
import type { SessionPlace, StoredMessage } from "../store/store.ts";
import { ROLE, type Role } from "../window/rules/types.ts";
import { isExpired, type Session } from "./rules/session.ts";

/** Matches in one text. */
export interface TextHit {
  /** Number of occurrences of all terms; those of one term do not overlap. */
  readonly count: number;
  /**
   * The text around the earliest occurrence, at most LIMITS.searchSnippetChars code points, with
   * marks where something is left out.
   */
  readonly snippet: string;
}

/** The words of a query in lower case, each with how often it stands there. */
export type SearchTerms = ReadonlyMap<string, number>;

/** The words of a query, in their order; empty for a blank query. */
export function searchTerms(query: string): SearchTerms {
  const terms = new Map<string, number>();
  for (const term of query.toLowerCase().split(/\s+/u)) {
    if (term !== "") terms.set(term, (terms.get(term) ?? 0) + 1);
  }
  return terms;
}

/**
 * Looks for terms in a text, without case. A word that stands in the query twice counts twice.
 * Undefined when none occurs.
 */
export function findTerms(text: string, terms: SearchTerms): TextHit | undefined {
  const lower = text.toLowerCase();
  let count = 0;
  let first = Number.POSITIVE_INFINITY;
  let length = 0;
  for (const [term, times] of terms) {
    let at = placeOfPart(lower, term);
    if (at === -1) continue;
    if (at < first) {
      first = at;
      length = term.length;
    }
    for (; at !== -1; at = placeOfPart(lower, term, at + term.length)) {
      count += times;
    }
  }
  if (count === 0) return undefined;
  return { count, snippet: around(text, placeIn(text, lower, first, first + length)) };
}

interface Place {
  readonly from: number;
  readonly to: number;
}

/** Position in the original text of a piece of the lower-cased text. */
function placeIn(text: string, lower: string, from: number, to: number): Place {
  // Few letters change their length with their case.
  if (lower.length === text.length) return { from, to };
  let start = 0;
  let position = 0;
  let reached = 0;
  for (const character of text) {
    if (reached <= from) start = position;
    if (reached >= to) break;
    position += character.length;
    reached += character.toLowerCase().length;
  }
  return { from: start, to: position };
}

/** The mark of omitted text. */
const LEFT_OUT = "…";
/** A mark and a space, in front and behind. */
const MARKS_CHARS = 4;
// A word is what stands between white space; in scripts without spaces every character is one.
const SPACE =
  "\\s\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}";
const PART_IN_FRONT = new RegExp(`^[^${SPACE}]+`, "u");
const PART_BEHIND = new RegExp(`[^${SPACE}]+$`, "u");

/**
 * The text around a piece of it, from the beginning of a word to the end of one: the piece in the
 * middle, unless an end of the text is near. Marks say where something is left out.
 */
function around(text: string, { from, to }: Place): string {
  const most = LIMITS.searchSnippetChars;
  if (text.length <= most * 2 && [...text].length <= most) return text;
  const max = most - MARKS_CHARS;
  // No code point takes more than two units; half a pair at the far end is dropped.
  const piece = points(text.slice(from, Math.min(to, from + max * 2))).slice(0, max);
  const before = points(text.slice(Math.max(0, from - max * 2), from)).slice(-max);
  const after = points(text.slice(to, to + max * 2)).slice(0, max);
  const free = max - piece.length;
  const left = Math.min(before.length, Math.max(Math.floor(free / 2), free - after.length));
  const head = left === 0 ? "" : before.slice(-left).join("");
  const body = piece.join("");
  const tail = after.slice(0, free - left).join("");
  const isWhole = from + body.length + tail.length >= text.length;
  return (head.length < from ? opened(head) : head) + body + (isWhole ? tail : closed(tail));
}

/** A text without the part of a word that it begins with; a word without an end is kept. */
function opened(head: string): string {
  const words = head.replace(PART_IN_FRONT, "");
  return words === "" ? `${LEFT_OUT}${head}` : `${LEFT_OUT} ${words.trimStart()}`;
}

/** A text without the part of a word that it ends with; a word without a beginning is kept. */
function closed(tail: string): string {
  const words = tail.replace(PART_BEHIND, "");
  return words === "" ? `${tail}${LEFT_OUT}` : `${words.trimEnd()} ${LEFT_OUT}`;
}

/** The whole code points of a text. */
function points(text: string): string[] {
  return [...text].filter((character) => character.isWellFormed());
}

// Recall of sessions by occurrences: reads every user and assistant message that it is asked to
// look at. It holds one page of messages at a time and the best matches so far, lets other work run
// between pieces, and ends when its call has ended.

/** Searches at one time. */
const RUNNING_MAX = 2;
/** Searches that wait for their turn. */
const WAITING_MAX = 16;
const SESSION_PAGE = 100;
const MESSAGE_PAGE = 100;
/** Other work runs after so many bytes of messages, times terms; about 2 ms of this one. */
const TURN_BYTES = 1_048_576;
/** Bytes of a hit beside its message. */
const HIT_BYTES = 512;

const ROLES: ReadonlySet<Role> = new Set([ROLE.user, ROLE.assistant]);

/** Searches sessions, a few searches at a time. */
export class SessionSearch {
  readonly #context: ServiceContext;
  readonly #turns = searchSemaphore(RUNNING_MAX, WAITING_MAX);

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /** Finds sessions. Throws OVERLOADED when too many searches wait already. */
  async search(call: Call, input: SearchSessionsInput): Promise<SessionMatches> {
    checkLive(call.signal);
    const terms = searchTerms(input.query);
    if (terms.size === 0 || input.limit === 0) return { matches: [], next: undefined };
    const { hitsPerSession } = input;
    const search = { context: this.#context, signal: call.signal, terms, hitsPerSession };
    return await this.#turns.run(
      call.signal,
      async () => readPage(search, input, await searchAll(search, input)),
      input.namespace,
    );
  }
}

/** A session that has some of the terms. */
interface Scored {
  readonly session: Session;
  readonly score: number;
  /** Its first messages that match, as many as are asked for. */
  readonly places: readonly { readonly seq: number; readonly snippet: string }[];
}

/** Context of a search. */
interface Search {
  readonly context: ServiceContext;
  readonly signal: AbortSignal;
  readonly terms: SearchTerms;
  readonly hitsPerSession: number;
}

/** The best sessions up to one more than the page needs. */
async function searchAll(search: Search, input: SearchSessionsInput): Promise<readonly Scored[]> {
  const { store, world } = search.context;
  const { scope, labels, offset, limit, minScore = -Infinity } = input;
  const { sessionIds, excludeSessionIds, sessionIdPrefix } = input;
  const isMeant = ({ sessionId, fields: { userId, agentId } }: Session): boolean =>
    sessionPasses({ userId, agentId, sessionId }, scope) &&
    sessionId.startsWith(sessionIdPrefix) &&
    (sessionIds.length === 0 || sessionIds.includes(sessionId)) &&
    !excludeSessionIds.includes(sessionId);
  const best: Scored[] = [];
  let after: SessionPlace | undefined;
  do {
    const page = await store.listSessions({
      ...(labels.size === 0 ? {} : { labels }),
      namespace: input.namespace,
      order: "asc",
      limit: SESSION_PAGE,
      nowMs: world.nowMs(),
      ...(after === undefined ? {} : { after }),
    });
    for (const session of page.sessions) {
      if (!isMeant(session)) continue;
      const match = await searchSession(search, session);
      if (match === undefined || match.score < minScore) continue;
      keepBest(best, match, offset + limit + 1);
    }
    after = page.next;
    await breathe(search);
  } while (after !== undefined);
  return best;
}

/** Lets other work run. Throws DEADLINE_EXCEEDED when the call has ended. */
async function breathe(search: Search): Promise<void> {
  await nextTurn();
  checkLive(search.signal);
}

/** Matches of one session; undefined for none. */
async function searchSession(search: Search, session: Session): Promise<Scored | undefined> {
  const { context, terms, hitsPerSession } = search;
  if (isExpired(session, context.world.nowMs())) return undefined;
  const places: Scored["places"][number][] = [];
  let score = 0;
  let looked = 0;
  let firstSeq: number | undefined = 1;
  while (firstSeq !== undefined && firstSeq <= session.head.lastSeq) {
    const query = { firstSeq, lastSeq: session.head.lastSeq, order: "asc", roles: ROLES } as const;
    const page = await context.store.listMessages(session, { ...query, limit: MESSAGE_PAGE });
    for (const message of page?.messages ?? []) {
      const hit = findTerms(textOf(context, message), terms);
      if (hit !== undefined) {
        score += hit.count;
        const { seq } = message;
        if (places.length < hitsPerSession) places.push({ seq, snippet: hit.snippet });
      }
      looked += message.bytes.length * terms.size;
      if (looked < TURN_BYTES) continue;
      looked = 0;
      await breathe(search);
    }
    firstSeq = page?.next;
    await breathe(search);
  }
  return score === 0 ? undefined : { session, score, places };
}

/** Reads the messages of a page, as far as an answer has room for them. */
async function readPage(
  search: Search,
  { offset, limit }: SearchSessionsInput,
  scored: readonly Scored[],
): Promise<SessionMatches> {
  const matches: SessionMatch[] = [];
  let room = LIMITS.pageBytes;
  for (const one of scored.slice(offset, offset + limit)) {
    const hits: SessionMatch["hits"][number][] = [];
    for (const { seq, snippet } of one.places) {
      const message = await readMessage(search, one.session, seq);
      if (message === undefined) continue;
      room -= message.bytes.length + HIT_BYTES;
      if (room < 0 && matches.length > 0) return { matches, next: offset + matches.length };
      if (room < 0 && hits.length > 0) break;
      hits.push({ message, snippet });
    }
    const { sessionId, fields } = one.session;
    matches.push({ sessionId, userId: fields.userId, score: one.score, hits });
  }
  const end = offset + limit;
  return { matches, next: scored.length > end ? end : undefined };
}

async function readMessage(
  { context }: Search,
  session: Session,
  seq: number,
): Promise<StoredMessage | undefined> {
  const range = { firstSeq: seq, lastSeq: seq, order: "asc", limit: 1 } as const;
  return (await context.store.listMessages(session, range))?.messages[0];
}

function textOf(context: ServiceContext, message: StoredMessage): string {
  return context.codec.readSpeech(message.bytes).text;
}

/** Puts a match in its place among the best: by falling score, then by id, byte for byte. */
function keepBest(best: Scored[], match: Scored, limit: number): void {
  const at = best.findIndex((other) => comesBefore(match, other));
  if (at !== -1) best.splice(at, 0, match);
  else best.push(match);
  if (best.length > limit) best.pop();
}

function comesBefore(a: Scored, b: Scored): boolean {
  if (a.score !== b.score) return a.score > b.score;
  return Buffer.compare(Buffer.from(a.session.sessionId), Buffer.from(b.session.sessionId)) < 0;
}
