// What a turn said, read from the messages that an append brings and from those before them.

import { ROLE } from "../../domain/window/types.ts";
import type { SessionView, StoredMessage } from "../../storage/store.ts";
import type { Codec } from "../api.ts";
import type { EpisodeInput } from "./episode.ts";

/** A turn that is longer is read from its end, so far. */
const MESSAGES_MAX = 1_000;

/** The log before the messages of an append. */
export interface LogBefore extends Pick<SessionView, "message"> {
  readonly lastSeq: number;
  /** Where the turn before ended. */
  readonly turnEndSeq: number;
}

/**
 * Reads the newest message of the user since the turn end before, and the newest text of the
 * assistant after it. Undefined when neither said anything.
 */
export function readTurn(
  codec: Pick<Codec, "readSpeech">,
  appended: readonly StoredMessage[],
  before: LogBefore,
): EpisodeInput | undefined {
  const said = { user: "", assistant: "" };
  const messageIds: string[] = [];
  let turnMs = 0;
  for (const message of newestFirst(appended, before)) {
    const isUser = message.role === ROLE.user;
    if (!isUser && (message.role !== ROLE.assistant || said.assistant !== "")) continue;
    // Tool results are no speech: a user message that only brings some says nothing.
    const { text, saidMs } = codec.readSpeech(message.bytes);
    if (text === "") continue;
    said[isUser ? "user" : "assistant"] = text;
    messageIds.unshift(message.messageId);
    turnMs = saidMs;
    if (isUser) break;
  }
  if (messageIds.length === 0) return undefined;
  return { userText: said.user, assistantText: said.assistant, turnMs, messageIds };
}

/** The messages of a turn, the newest first. Those that were deleted are passed over. */
function* newestFirst(
  appended: readonly StoredMessage[],
  { message, lastSeq, turnEndSeq }: LogBefore,
): Generator<StoredMessage> {
  yield* appended.toReversed();
  const first = Math.max(turnEndSeq + 1, lastSeq - MESSAGES_MAX + 1);
  for (let seq = lastSeq; seq >= first; seq--) {
    const stored = message(seq);
    if (stored !== undefined) yield stored;
  }
}
