// Pages of the sessions that a model may read, the last changed first.
//
// A cursor is a place in this order: a time of change, and the session there that came last. A
// session that changes between two pages moves to the front and is in no later one; all others are
// in just one page. If the very session of the cursor changes or goes, though, its place among
// those of its millisecond is unknown: the next page gives all of these, so that it misses none.

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { MemorySidecar, Session } from "../gen/client/index.ts";
import { type McpReach, scopeOf } from "./reach.ts";
import { isOwnSession, OTHERS_MAX, ownSession } from "./session-tools.ts";
import { sessionView } from "./views.ts";

/** A place in the list. */
interface Place {
  readonly time: number;
  /** Empty for the place before all sessions of this time. */
  readonly sessionId: string;
}

interface PageWish {
  /** The page begins behind it. Undefined for the first page. */
  readonly start: Place | undefined;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** The sessions that come after a place, and the cursor after them if there are more. */
export async function sessionPage(client: MemorySidecar, reach: McpReach, wish: PageWish) {
  const { start, limit, signal } = wish;
  if (reach.sessionId !== "") {
    const session = await ownSession(client, reach, reach.sessionId, signal);
    return { sessions: start === undefined ? [sessionView(session)] : [], nextCursor: undefined };
  }
  const found: Session[] = [];
  let others = 0;
  for await (const session of sessionsAfter(client, reach, start, signal)) {
    const last = found.at(-1);
    if (!isOwnSession(reach, session)) {
      others += 1;
      const time = timeOf(session);
      // A cursor must lead further, so a page passes over all of the millisecond it begins in.
      if (others <= OTHERS_MAX || time === start?.time) continue;
      // Ids of others are not for the model: the next page begins with all of this millisecond.
      const earlier = found.filter((one) => timeOf(one) !== time);
      return { sessions: earlier.map(sessionView), nextCursor: cursorOf({ time, sessionId: "" }) };
    }
    if (found.length === limit && last !== undefined) {
      const place = { time: timeOf(last), sessionId: last.sessionId };
      return { sessions: found.map(sessionView), nextCursor: cursorOf(place) };
    }
    found.push(session);
  }
  return { sessions: found.map(sessionView), nextCursor: undefined };
}

/** All sessions after a place. */
async function* sessionsAfter(
  client: MemorySidecar,
  reach: McpReach,
  start: Place | undefined,
  signal: AbortSignal,
): AsyncGenerator<Session> {
  const order = "newest-update-first" as const;
  const before = start === undefined ? {} : { updateTimeBefore: new Date(start.time + 1) };
  const options = { ...scopeOf(reach), ...before, order, pageSize: 200, signal };
  // Those of the very time of the place are before it, up to its session.
  let same: Session[] = [];
  let isBehind = start === undefined || start.sessionId === "";
  for await (const session of client.listSessions(options)) {
    if (!isBehind && timeOf(session) === start?.time) {
      if (session.sessionId === start.sessionId) same = [];
      else same.push(session);
      continue;
    }
    if (!isBehind) yield* same;
    isBehind = true;
    yield session;
  }
  if (!isBehind) yield* same;
}

function timeOf({ updateTime }: Session): number {
  return updateTime?.getTime() ?? 0;
}

function cursorOf({ time, sessionId }: Place): string {
  return Buffer.from(`${time} ${sessionId}`).toString("base64url");
}

/** Reads a cursor. */
export function placeOf(cursor: string): Place {
  const [, time, sessionId] =
    /^(\d{1,15}) (.*)$/su.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (time === undefined || sessionId === undefined) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      "The cursor is not from an answer of this server: begin without one.",
    );
  }
  return { time: Number(time), sessionId };
}
