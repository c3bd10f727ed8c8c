// Messages by their ids, without their sessions. No table leads from an id to its session: that
// would be one more row for each message, at a random place of the index. The sessions are passed
// over instead, the newest first, and each is asked for the ids.

import { seqOfMessageId } from "../../kit/ids.ts";
import { LIMITS } from "../../kit/limits.ts";
import { afterPrefix } from "../engine/keys.ts";
import { breathe, readAgain } from "../engine/reads.ts";
import type { FoundMessage, FoundPage, FoundPlace, MessageSearch } from "../store.ts";
import type { Core } from "../tables/core.ts";
import { findMessage, messageOf } from "../tables/messages.ts";
import { HEAD, MESSAGE_ID } from "../tables/session-tables.ts";
import { matches, type Places, placesOf, readNumbered } from "../tables/sessions.ts";

/** Sessions, and questions to them, before other work gets its turn. */
const PIECE = 128;
const PIECE_QUESTIONS = 2_048;
/** Reading all ids of a log that has no more is cheaper than asking for one that it lacks. */
const SHORT = 32;

/** A page of messages, the newest session first. Asks a bounded number of sessions. */
export async function findMessages(core: Core, query: MessageSearch): Promise<FoundPage> {
  const placesAfter = await placesOf(core, { ...query, by: "create", order: "desc" });
  const count = query.messageIds.length;
  const size = Math.max(1, Math.min(PIECE, Math.floor(PIECE_QUESTIONS / count)));
  const looksMax = Math.min(LIMITS.pageScan, LIMITS.findQuestions / count);
  const missing = new Set(query.messageIds);
  const messages: FoundMessage[] = [];
  let from = query.start;
  for (let looks = 0; looks < looksMax; looks += size) {
    if (looks > 0) await breathe(core);
    const piece = await readAgain(core, () =>
      searchPiece(core, query, { placesAfter, from, size, before: messages }),
    );
    messages.push(...piece.messages);
    for (const { messageId } of piece.messages) missing.delete(messageId);
    from = piece.next;
    if (from === undefined || piece.isFull || missing.size === 0) break;
  }
  return { messages, next: from };
}

interface Piece {
  readonly placesAfter: Places;
  readonly from: FoundPlace | undefined;
  readonly size: number;
  /** Those of the page before this piece. */
  readonly before: readonly FoundMessage[];
}

function searchPiece(
  core: Core,
  query: MessageSearch,
  { placesAfter, from, size, before }: Piece,
): FoundPage & { readonly isFull: boolean } {
  const messages: FoundMessage[] = [];
  let bytes = before.reduce((sum, message) => sum + message.bytes.length, 0);
  const places = placesAfter(from && { sessionNo: from.sessionNo + 1, updateMs: 0 }, size);
  for (const { sessionNo } of places) {
    const firstSeq = sessionNo === from?.sessionNo ? from.seq : 1;
    for (const message of messagesIn(core, query, sessionNo, firstSeq)) {
      const count = before.length + messages.length;
      bytes += message.bytes.length;
      if (count === query.limit || (count > 0 && bytes > LIMITS.pageBytes)) {
        return { messages, next: { sessionNo, seq: message.seq }, isFull: true };
      }
      messages.push(message);
    }
  }
  const last = places.at(-1);
  const isEnd = last === undefined || places.length < size;
  const next = isEnd ? undefined : { sessionNo: last.sessionNo - 1, seq: 1 };
  return { messages, next, isFull: false };
}

interface Named {
  readonly messageId: string;
  readonly seq: number;
}

/** The messages of a session that have one of the ids, by rising seq. */
function* messagesIn(
  core: Core,
  query: MessageSearch,
  sessionNo: number,
  firstSeq: number,
): Generator<FoundMessage> {
  const named = namedIn(core, query.messageIds, sessionNo);
  if (named.length === 0) return;
  const state = readNumbered(core, query.namespace, sessionNo);
  if (state === undefined || !matches(state.session, query)) return;
  const { sessionId } = state.session;
  for (const { messageId, seq } of named.sort((a, b) => a.seq - b.seq)) {
    const found = seq < firstSeq ? undefined : findMessage(core, state, messageId, "committed");
    if (found !== undefined) yield { ...messageOf(found), sessionId };
  }
}

/** The ids that a session may have, and where. Without a head, reading the session says why. */
function namedIn(core: Core, messageIds: readonly string[], sessionNo: number): Named[] {
  const row = HEAD.get(core, HEAD.key(sessionNo), "committed");
  if (row === undefined) return messageIds.map((messageId) => ({ messageId, seq: 1 }));
  const { logNo, head } = row;
  const mayHave = idsOf(core, logNo, Math.max(SHORT, messageIds.length));
  const named: Named[] = [];
  for (const messageId of messageIds) {
    const key = MESSAGE_ID.key(logNo, messageId);
    const listed = mayHave?.(key) === false ? undefined : MESSAGE_ID.get(core, key, "committed");
    const seq = listed ?? seqOfMessageId(messageId);
    if (seq !== undefined && seq <= head.lastSeq) named.push({ messageId, seq });
  }
  return named;
}

/** Tells the keys that a log may have, when it has at most so many; else undefined. */
function idsOf(
  { env, memtable }: Core,
  logNo: number,
  most: number,
): ((key: string) => boolean) | undefined {
  const start = MESSAGE_ID.prefix(logNo);
  const stored = new Set(env.index.getKeys({ start, end: afterPrefix(start), limit: most + 1 }));
  if (stored.size > most) return undefined;
  return (key) => stored.has(key) || memtable.get(key, "committed") !== undefined;
}
