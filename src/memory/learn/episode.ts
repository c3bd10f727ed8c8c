// Turns as episodes, and how long they are kept.

import type { Codec } from "../../core/codec.ts";
import type { EpisodeInput } from "../../core/participants.ts";
import { EVENT_TYPE, type EventDetail } from "../../events/rules/event.ts";
import { LIMITS } from "../../kit/limits.ts";
import { cutText } from "../../kit/text.ts";
import { ownerOf, type Session } from "../../session/rules/session.ts";
import type { SessionView, StoredMessage } from "../../store/store.ts";
import { TRUST } from "../../summary/rules/summary.ts";
import type { EpisodePolicy } from "../../window/policy/memory-policy.ts";
import { ROLE } from "../../window/rules/types.ts";
import type { MemoryLookup } from "../rules/lookup.ts";
import {
  describeStructure,
  type Memory,
  type MemoryScope,
  type MemoryStructure,
  retentionCutMs,
} from "../rules/memory.ts";
import { learnt, type NewMemory } from "../rules/rules.ts";

/** Episodes that one turn removes at most. */
const OVERDUE_MAX = 1_000;

/** The episode of a turn; undefined when its day is over already. */
export function episodeOf(
  session: Pick<Session, "sessionId" | "fields">,
  { userText, assistantText, turnMs, messageIds }: EpisodeInput,
  by: EpisodePolicy & { readonly scope: MemoryScope; readonly nowMs: number },
): NewMemory | undefined {
  const { retentionDays, scope, nowMs } = by;
  if (turnMs < retentionCutMs(nowMs, retentionDays)) return undefined;
  const structure: MemoryStructure = {
    kind: "episode",
    episode: {
      userText: cutText(userText, LIMITS.episodeTextBytes),
      assistantText: cutText(assistantText, LIMITS.episodeTextBytes),
    },
  };
  const of = { sessionId: session.sessionId, owner: ownerOf(session), messageIds };
  const source = { origin: "turn", ...of, hook: "", model: "" } as const;
  return learnt(
    { kind: "episode", scope, trust: TRUST.medium, source },
    { text: describeStructure(structure), structure, validFromMs: turnMs },
  );
}

/** Episodes of a scope whose days are over, the oldest first. Persistent ones stay. */
export function overdueEpisodes(
  memories: MemoryLookup,
  scope: MemoryScope,
  { retentionDays, nowMs }: EpisodePolicy & { readonly nowMs: number },
): readonly Memory[] {
  const cutMs = retentionCutMs(nowMs, retentionDays);
  const oldest = memories.evictable(scope, "episodes", OVERDUE_MAX);
  return oldest.filter(({ content, createMs }) => (content.validFromMs ?? createMs) < cutMs);
}

/** The events of overdue episodes. */
export function retentionDetail(overdue: readonly Memory[]): readonly EventDetail[] {
  if (overdue.length === 0) return [];
  const memoryIds = overdue.map(({ memoryId }) => memoryId);
  return [{ type: EVENT_TYPE.memoriesDeleted, memoryIds, reason: "retention" }];
}

// Reads a turn from the messages of an append and from those before them.

/** A turn that is longer is read from its end, so far. */
const MESSAGES_MAX = 1_000;

/** Messages that are read first; most turns have few. Each time after it is twice as many. */
const FIRST_PIECE = 4;

/** The log before the messages of an append. */
interface LogBefore extends Pick<SessionView, "messagesAt"> {
  readonly lastSeq: number;
  /** End of the previous turn. */
  readonly turnEndSeq: number;
}

/**
 * Reads the newest message of the user since the turn end before, and the newest text of the
 * assistant after it. There is no episode when neither said anything.
 */
export function readTurn(
  codec: Pick<Codec, "readSpeech">,
  appended: readonly StoredMessage[],
  before: LogBefore,
): EpisodeInput | undefined {
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
    isWhole = take(before.messagesAt(seqs));
  }
  if (messageIds.length === 0) return undefined;
  const { user: userText, assistant: assistantText } = said;
  return { userText, assistantText, turnMs, messageIds };
}

/** The sequence numbers of a turn before an append, the newest first, piece by piece. */
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
