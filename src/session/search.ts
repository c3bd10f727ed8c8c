// Recall of sessions by occurrences: reads every user and assistant message that it is asked to
// look at. It holds one page of messages at a time and the best matches so far, lets other work run
// between pieces, and ends when nobody waits for it any more.

import { setImmediate as nextTurn } from "node:timers/promises";
import { LIMITS } from "../domain/limits.ts";
import { sessionPasses } from "../domain/recall/session-test.ts";
import { isExpired, type Session } from "../domain/session.ts";
import { ROLE, type Role } from "../domain/window/types.ts";
import type { StoredMessage } from "../storage/store.ts";
import type { Call } from "./api.ts";
import { checkLive } from "./change.ts";
import type { ServiceContext } from "./context.ts";
import { findTerms, searchTerms } from "./search-text.ts";
import { Turns } from "./turns.ts";
import type { SearchSessionsInput, SessionMatch, SessionMatches } from "./window-api.ts";

/** Searches at one time. */
const RUNNING_MAX = 2;
/** Searches that wait for their turn. */
const WAITING_MAX = 16;
const SESSION_PAGE = 100;
const MESSAGE_PAGE = 100;
/** Other work runs after so many bytes of messages, times terms; about 2 ms of this one. */
const TURN_BYTES = 1_048_576;
/** What a hit costs beside its message. */
const HIT_BYTES = 512;

const ROLES: ReadonlySet<Role> = new Set([ROLE.user, ROLE.assistant]);

/** Searches sessions, a few searches at a time. */
export class SessionSearch {
  readonly #context: ServiceContext;
  readonly #turns = new Turns({ running: RUNNING_MAX, waiting: WAITING_MAX });

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /** Finds sessions. Throws OVERLOADED when too many searches wait already. */
  async search(call: Call, input: SearchSessionsInput): Promise<SessionMatches> {
    checkLive(call.signal);
    const terms = searchTerms(input.query);
    if (terms.length === 0 || input.limit === 0) return { matches: [], next: undefined };
    const { hitsPerSession } = input;
    const search = { context: this.#context, signal: call.signal, terms, hitsPerSession };
    return await this.#turns.run(call.signal, async () =>
      readPage(search, input, await searchAll(search, input)),
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

/** What a search works with. */
interface Search {
  readonly context: ServiceContext;
  readonly signal: AbortSignal;
  readonly terms: readonly string[];
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
  let after: number | undefined;
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

/** Lets other work run. Throws DEADLINE_EXCEEDED when nobody waits any more. */
async function breathe(search: Search): Promise<void> {
  await nextTurn();
  checkLive(search.signal);
}

/** What one session has of the terms; undefined for nothing. */
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
      looked += message.bytes.length * terms.length;
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
