// SearchSessions: reads every user and assistant message that it is asked to look at. It holds one
// page of messages at a time and the best matches so far, lets other work run between pieces, and
// ends when nobody waits for it any more.

import { setImmediate as nextTurn } from "node:timers/promises";
import { LIMITS } from "../domain/limits.ts";
import { isExpired, type Session } from "../domain/session.ts";
import { ROLE, type Role } from "../domain/window/types.ts";
import type { StoredMessage } from "../storage/store.ts";
import type { Call } from "./api.ts";
import { checkLive } from "./change.ts";
import type { ServiceContext } from "./context.ts";
import { findTerms, searchTerms } from "./search-text.ts";
import { Turns } from "./turns.ts";
import type { SearchSessionsInput, SessionMatch } from "./window-api.ts";

/** Searches at one time. */
const RUNNING_MAX = 2;
/** Searches that wait for their turn. */
const WAITING_MAX = 16;
const SESSION_PAGE = 100;
const MESSAGE_PAGE = 100;
/** Other work runs after so many bytes of messages, times terms; about 2 ms of this one. */
const TURN_BYTES = 1_048_576;

const ROLES: ReadonlySet<Role> = new Set([ROLE.user, ROLE.assistant]);

/** Searches sessions, a few searches at a time. */
export class SessionSearch {
  readonly #context: ServiceContext;
  readonly #turns = new Turns({ running: RUNNING_MAX, waiting: WAITING_MAX });

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /** Finds sessions. Throws OVERLOADED when too many searches wait already. */
  async search(call: Call, input: SearchSessionsInput): Promise<readonly SessionMatch[]> {
    checkLive(call.signal);
    const terms = searchTerms(input.query);
    if (terms.length === 0 || input.limit === 0) return [];
    const search = { context: this.#context, signal: call.signal, terms };
    return await this.#turns.run(call.signal, () => searchAll(search, input));
  }
}

/** What a search works with. */
interface Search {
  readonly context: ServiceContext;
  readonly signal: AbortSignal;
  readonly terms: readonly string[];
}

async function searchAll(
  search: Search,
  input: SearchSessionsInput,
): Promise<readonly SessionMatch[]> {
  const { store, world } = search.context;
  const { query: _, limit, sessionIdPrefix, ...filter } = input;
  const best: SessionMatch[] = [];
  let after: number | undefined;
  do {
    const page = await store.listSessions({
      ...filter,
      order: "asc",
      limit: SESSION_PAGE,
      nowMs: world.nowMs(),
      ...(after === undefined ? {} : { after }),
    });
    for (const session of page.sessions) {
      if (!session.sessionId.startsWith(sessionIdPrefix)) continue;
      const match = await searchSession(search, session);
      if (match !== undefined) keepBest(best, match, limit);
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
async function searchSession(search: Search, session: Session): Promise<SessionMatch | undefined> {
  const { context, terms } = search;
  if (isExpired(session, context.world.nowMs())) return undefined;
  const snippets: SessionMatch["snippets"][number][] = [];
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
        const { messageId, seq } = message;
        if (snippets.length < LIMITS.searchSnippets) {
          snippets.push({ messageId, seq, text: hit.snippet });
        }
      }
      looked += message.bytes.length * terms.length;
      if (looked < TURN_BYTES) continue;
      looked = 0;
      await breathe(search);
    }
    firstSeq = page?.next;
    await breathe(search);
  }
  return score === 0 ? undefined : { sessionId: session.sessionId, score, snippets };
}

function textOf(context: ServiceContext, message: StoredMessage): string {
  return context.codec.readSpeech(message.bytes).text;
}

/** Puts a match in its place among the best: by falling score, then by id, byte for byte. */
function keepBest(best: SessionMatch[], match: SessionMatch, limit: number): void {
  const at = best.findIndex((other) => comesBefore(match, other));
  if (at !== -1) best.splice(at, 0, match);
  else best.push(match);
  if (best.length > limit) best.pop();
}

function comesBefore(a: SessionMatch, b: SessionMatch): boolean {
  if (a.score !== b.score) return a.score > b.score;
  return Buffer.compare(Buffer.from(a.sessionId), Buffer.from(b.sessionId)) < 0;
}
