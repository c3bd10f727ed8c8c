// What an extractor gets to see of messages or of a text.

import { LIMITS } from "../../domain/limits.ts";
import type { ExtractInput, ExtractionLine } from "../../domain/memories/extracted.ts";
import { transcriptOf } from "../../domain/summaries/transcript.ts";
import type { Role } from "../../domain/window/types.ts";
import type { ServiceContext } from "../context.ts";
import type { ExtractBatch } from "./extract.ts";

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
