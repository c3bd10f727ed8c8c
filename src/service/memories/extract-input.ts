// What an extractor gets to see of messages or of a text.

import { LIMITS } from "../../domain/limits.ts";
import type { ExtractInput, ExtractionLine } from "../../domain/memories/extracted.ts";
import type { MemoryScope } from "../../domain/memories/memory.ts";
import type { ExtractionPolicy } from "../../domain/memories/policy.ts";
import { transcriptOf } from "../../domain/summaries/transcript.ts";
import type { Role } from "../../domain/window/types.ts";
import type { StoredMessage } from "../../storage/store.ts";
import type { ServiceContext } from "../context.ts";

/** What is to be looked at. */
export interface ExtractBatch {
  readonly namespace: string;
  /** Empty for a text. */
  readonly sessionId: string;
  /** By rising seq; empty for a text. */
  readonly messages: readonly Pick<StoredMessage, "messageId" | "bytes">[];
  /** Empty unless it is a text. */
  readonly text: string;
  /** The scope that the memories will have: a hook is told what is known in it. */
  readonly scope: MemoryScope;
  readonly policy: ExtractionPolicy;
  readonly signal: AbortSignal;
}

const ROLES: { readonly [role in Role]: ExtractionLine["role"] } = {
  1: "user",
  2: "assistant",
  3: "system",
  4: "tool",
};

/** What one call is given at most, in messages and in their bytes. */
const BYTES_MAX = 1_048_576;

/** The inputs of the calls that look at everything; none when there is nothing to read. */
export function extractInputs(
  context: Pick<ServiceContext, "codec" | "world">,
  batch: Pick<ExtractBatch, "messages" | "text" | "policy">,
  known: readonly string[],
): readonly ExtractInput[] {
  const { targets, instructions } = batch.policy;
  const shared = { targets, instructions, known };
  if (batch.text !== "") {
    const { text } = batch;
    const line = { role: "user", text, name: "", messageId: "" } as const;
    const lines = [{ ...line, saidMs: context.world.nowMs() }];
    return [{ ...shared, messages: [], lines, text, transcript: transcriptOf(lines, "capitals") }];
  }
  return piecesOf(batch.messages)
    .map((messages) => ({ messages, lines: linesOf(context, messages) }))
    .filter(({ lines }) => lines.length > 0)
    .map(({ messages, lines }) => ({
      ...shared,
      messages: messages.map(({ bytes }) => bytes),
      ...{ lines, text: "", transcript: transcriptOf(lines, "capitals") },
    }));
}

type Messages = ExtractBatch["messages"];

/** Messages in runs that one call is given. */
function piecesOf(messages: Messages): readonly Messages[] {
  const pieces: Messages[number][][] = [];
  let left = 0;
  for (const message of messages) {
    const piece = pieces.at(-1);
    const isFull = piece === undefined || piece.length >= LIMITS.extractMessages;
    if (isFull || message.bytes.length > left) {
      pieces.push([message]);
      left = BYTES_MAX - message.bytes.length;
      continue;
    }
    piece.push(message);
    left -= message.bytes.length;
  }
  return pieces;
}

function linesOf({ codec }: Pick<ServiceContext, "codec">, messages: Messages): ExtractionLine[] {
  return messages.flatMap(({ messageId, bytes }) => {
    const { text, saidMs } = codec.readSpeech(bytes);
    if (text.trim() === "") return [];
    const role = ROLES[codec.readFacts(bytes).role];
    return [{ role, text, name: codec.readDetail(bytes).name, messageId, saidMs }];
  });
}
