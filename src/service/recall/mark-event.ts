// What an event of a session says of its place in the index.

import { EVENT_TYPE } from "../../domain/event.ts";
import type { SeqRange } from "../../domain/window/types.ts";
import type { StoredEvent } from "../../storage/store.ts";
import type { NamespaceFeed } from "./feed.ts";

/** Marks what an event may have changed. `seqsOf` gives its messages; undefined for all. */
export function markEvent(
  feed: NamespaceFeed,
  event: StoredEvent,
  seqsOf: (event: StoredEvent) => SeqRange | undefined,
): void {
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
