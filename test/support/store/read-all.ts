// Reads everything that a paged read gives, for tests of the storage. Every page is checked to keep
// to its limit, and a read that does not end is an error.

import { comparePositions, type EventPosition } from "../../../src/events/rules/event.ts";
import type { Session, SessionRef } from "../../../src/session/rules/session.ts";
import type {
  Consumer,
  EventQuery,
  FoundMessage,
  FoundPlace,
  MessageQuery,
  MessageSearch,
  SessionPage,
  SessionPlace,
  SessionQuery,
  Store,
  StoredEvent,
  StoredMessage,
  SummaryQuery,
  TaskQuery,
} from "../../../src/store/store.ts";
import type { SummaryRecord } from "../../../src/summary/rules/summary.ts";
import type { Task } from "../../../src/tasks/rules/task.ts";

const PAGES_MAX = 10_000;

function checkPage(size: number, limit: number, page: number): void {
  if (size > limit) throw new Error(`A page of at most ${limit} has ${size}.`);
  if (page > PAGES_MAX) throw new Error("The pages do not end.");
}

/** All sessions that match, page by page. */
export async function allSessions(
  store: Store,
  query: Omit<SessionQuery, "after">,
): Promise<Session[]> {
  const all: Session[] = [];
  let after: SessionPlace | undefined;
  for (let page = 0; ; page += 1) {
    const { sessions, places, next } = await store.listSessions({
      ...query,
      ...(after === undefined ? {} : { after }),
    });
    checkPage(sessions.length, query.limit, page);
    await checkPlaces(store, query, { sessions, places });
    all.push(...sessions);
    if (next === undefined) return all;
    after = next;
  }
}

/** Checks that a list that goes on after the place of a session goes on with the next one. */
async function checkPlaces(
  store: Store,
  query: Omit<SessionQuery, "after">,
  { sessions, places }: Pick<SessionPage, "sessions" | "places">,
): Promise<void> {
  if (places.length !== sessions.length) throw new Error("sessions have no places");
  const [after, next] = [places.at(-2), sessions.at(-1)];
  if (after === undefined) return;
  const rest = await store.listSessions({ ...query, limit: 1, after });
  if (rest.sessions[0]?.sessionId !== next?.sessionId) throw new Error("a place is another one");
}

/** A message with what the interface says of it; an engine may give more. */
export function messageView(message: StoredMessage): StoredMessage {
  const { seq, messageId, role, tokenCount, bytes } = message;
  return { seq, messageId, role, tokenCount, bytes };
}

/** All messages that match, page by page; undefined without a session. */
export async function allMessages(
  store: Store,
  ref: SessionRef,
  query: MessageQuery,
): Promise<StoredMessage[] | undefined> {
  const all: StoredMessage[] = [];
  let { firstSeq, lastSeq } = query;
  for (let page = 0; ; page += 1) {
    const answer = await store.listMessages(ref, { ...query, firstSeq, lastSeq });
    if (answer === undefined) return undefined;
    checkPage(answer.messages.length, query.limit, page);
    all.push(...answer.messages.map(messageView));
    if (answer.next === undefined) return all;
    if (query.order === "asc") firstSeq = answer.next;
    else lastSeq = answer.next;
  }
}

/** All events after a position that match, page by page, and where the last page ends. */
export async function allEvents(
  store: Store,
  query: EventQuery,
): Promise<{ readonly events: StoredEvent[]; readonly position: EventPosition }> {
  const events: StoredEvent[] = [];
  let { after } = query;
  for (let page = 0; ; page += 1) {
    const answer = await store.listEvents({ ...query, after });
    checkPage(answer.events.length, query.limit, page);
    events.push(...answer.events);
    if (comparePositions(answer.position, after) < 0) throw new Error("A page goes backwards.");
    after = answer.position;
    if (answer.atEnd) return { events, position: after };
  }
}

/** All consumers of a namespace, page by page. */
export async function allConsumers(
  store: Store,
  namespace: string,
  limit: number,
): Promise<Consumer[]> {
  const all: Consumer[] = [];
  for (let page = 0; ; page += 1) {
    const found = await store.listConsumers(namespace, all.at(-1)?.consumerId ?? "", limit);
    checkPage(found.length, limit, page);
    if (found.length === 0) return all;
    all.push(...found);
  }
}

/** All tasks that match, page by page. */
export async function allTasks(store: Store, query: Omit<TaskQuery, "after">): Promise<Task[]> {
  const all: Task[] = [];
  let after: number | undefined;
  for (let page = 0; ; page += 1) {
    const { tasks, next } = await store.listTasks({
      ...query,
      ...(after === undefined ? {} : { after }),
    });
    checkPage(tasks.length, query.limit, page);
    all.push(...tasks);
    if (next === undefined) return all;
    after = next;
  }
}

/** All summaries of a session, page by page; undefined without a session. */
export async function allSummaries(
  store: Store,
  ref: SessionRef,
  query: Omit<SummaryQuery, "after">,
): Promise<SummaryRecord[] | undefined> {
  const all: SummaryRecord[] = [];
  let after: number | undefined;
  for (let page = 0; ; page += 1) {
    const answer = await store.listSummaries(ref, {
      ...query,
      ...(after === undefined ? {} : { after }),
    });
    if (answer === undefined) return undefined;
    checkPage(answer.summaries.length, query.limit, page);
    all.push(...answer.summaries);
    if (answer.next === undefined) return all;
    after = answer.next;
  }
}

/** All messages of a search, page by page. */
export async function allFound(store: Store, query: MessageSearch): Promise<FoundMessage[]> {
  const all: FoundMessage[] = [];
  let start: FoundPlace | undefined;
  for (let page = 0; ; page += 1) {
    const { messages, next } = await store.findMessages({
      ...query,
      ...(start === undefined ? {} : { start }),
    });
    checkPage(messages.length, query.limit, page);
    all.push(...messages);
    if (next === undefined) return all;
    start = next;
  }
}
