// What a turn said, read from the messages that an append brings and from those before them.

import { ROLE } from "../../domain/window/types.ts";
import type { SessionDecision, SessionView, StoredMessage } from "../../storage/store.ts";
import type { Codec } from "../api.ts";
import type { EpisodeInput } from "./episode.ts";

/** A turn that is longer is read from its end, so far. */
const MESSAGES_MAX = 1_000;

/** Messages that are asked for first; most turns have few. Each time after it is twice as many. */
const FIRST_PIECE = 4;

/** The log before the messages of an append. */
export interface LogBefore extends Pick<SessionView, "messagesAt"> {
  readonly lastSeq: number;
  /** Where the turn before ended. */
  readonly turnEndSeq: number;
}

/** What a turn said, or the messages that must be loaded to tell. */
export type TurnRead =
  | { readonly kind: "read"; readonly episode: EpisodeInput | undefined }
  | Extract<SessionDecision<never>, { readonly kind: "need-messages" }>;

/**
 * Reads the newest message of the user since the turn end before, and the newest text of the
 * assistant after it. There is no episode when neither said anything.
 */
export function readTurn(
  codec: Pick<Codec, "readSpeech">,
  appended: readonly StoredMessage[],
  before: LogBefore,
): TurnRead {
  const said = { user: "", assistant: "" };
  const messageIds: string[] = [];
  let turnMs = 0;
  // Takes messages in, the newest first; true once the user's is among them.
  const take = (messages: readonly StoredMessage[]): boolean =>
    messages.some((message) => {
      const isUser = message.role === ROLE.user;
      if (!isUser && (message.role !== ROLE.assistant || said.assistant !== "")) return false;
      // Tool results are no speech: a user message that only brings some says nothing.
      const { text, saidMs } = codec.readSpeech(message.bytes);
      if (text === "") return false;
      said[isUser ? "user" : "assistant"] = text;
      messageIds.unshift(message.messageId);
      turnMs = saidMs;
      return isUser;
    });
  let isWhole = take(appended.toReversed());
  for (const seqs of piecesBefore(before)) {
    if (isWhole) break;
    const messages = before.messagesAt(seqs);
    if (messages === undefined) return { kind: "need-messages", seqs };
    isWhole = take(messages);
  }
  if (messageIds.length === 0) return { kind: "read", episode: undefined };
  const { user: userText, assistant: assistantText } = said;
  return { kind: "read", episode: { userText, assistantText, turnMs, messageIds } };
}

/** The seqs of a turn before an append, the newest first, piece by piece. */
function* piecesBefore({ lastSeq, turnEndSeq }: LogBefore): Generator<readonly number[]> {
  const first = Math.max(turnEndSeq + 1, lastSeq - MESSAGES_MAX + 1);
  let end = lastSeq;
  for (let size = FIRST_PIECE; end >= first; size *= 2) {
    const newest = end;
    const length = Math.min(size, newest - first + 1);
    yield Array.from({ length }, (_, index) => newest - index);
    end -= length;
  }
}
