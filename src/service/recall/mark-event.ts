// What an event of a session says of its place in the index.

import { EVENT_TYPE } from "../../domain/event.ts";
import type { SeqRange } from "../../domain/window/types.ts";
import type { StoredEvent } from "../../storage/store.ts";
import type { Codec } from "../codec.ts";
import type { NamespaceFeed } from "./feed.ts";

const OF_MEMORIES: ReadonlySet<number> = new Set([
  ...[EVENT_TYPE.memoriesRemembered, EVENT_TYPE.memoryUpdated, EVENT_TYPE.memoriesReinforced],
  ...[EVENT_TYPE.memoriesDecayed, EVENT_TYPE.memoriesDeleted],
]);

/** Whether an event tells of memories: its session is the one that they are for, if any. */
export function isOfMemories({ type }: StoredEvent): boolean {
  return OF_MEMORIES.has(type);
}

/** Gives the messages of an event; undefined for all. */
export type SeqsOf = (event: StoredEvent) => SeqRange | undefined;

/** Reads the messages of events. */
export function seqsReader(
  codec: Pick<Codec, "readEventSeqs">,
  onError: (error: unknown) => void,
): SeqsOf {
  return ({ body }) => {
    try {
      return codec.readEventSeqs(body);
    } catch (error) {
      // Whoever listens to a store must not throw: the whole session is read again.
      onError(error);
      return undefined;
    }
  };
}

/** Marks what an event may have changed. */
export function markEvent(feed: NamespaceFeed, event: StoredEvent, seqsOf: SeqsOf): void {
  const ref = { kind: "session", id: event.sessionId } as const;
  switch (event.type) {
    case EVENT_TYPE.sessionCreated:
      feed.markNew(ref);
      break;
    case EVENT_TYPE.sessionDeleted:
    case EVENT_TYPE.sessionForked:
    case EVENT_TYPE.sessionReset:
    case EVENT_TYPE.sessionImported:
      feed.mark(ref, undefined);
      break;
    case EVENT_TYPE.messagesAppended:
    case EVENT_TYPE.messageUpdated:
    case EVENT_TYPE.messageDeleted:
      feed.mark(ref, seqsOf(event));
      // A session that runs out after a silence begins to wait anew.
      feed.markInfo(ref);
      break;
    default:
      feed.markInfo(ref);
  }
}
