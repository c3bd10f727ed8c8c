// Conversation sets for the judge, and the chunks to summarize.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { ExtractLine } from "../../src/summary/builtin/lines.ts";

/** One message of a conversation. */
export interface Turn {
  readonly sess: string | number;
  /** `user` and `assistant` are roles; others are the names of people or sources. */
  readonly speaker: string;
  readonly text: string;
}

/** A question asked later. */
export interface Question {
  readonly q: string;
  /** Indexes of the turns that hold the evidence. */
  readonly ev: readonly number[];
}

/** A conversation with questions about it. */
export interface Conversation {
  readonly turns: readonly Turn[];
  readonly qa: readonly Question[];
}

/** Consecutive turns that one summary covers. */
export interface Chunk {
  /** Index of its first turn. */
  readonly first: number;
  readonly lines: readonly ExtractLine[];
  readonly bytes: number;
}

/** Reads a set: a gzipped JSON list of conversations. Throws on any other form. */
export function readSet(path: string): Conversation[] {
  const parsed: unknown = JSON.parse(gunzipSync(readFileSync(path)).toString("utf8"));
  if (!Array.isArray(parsed) || !parsed.every(isConversation)) {
    throw new Error(`${path} is no list of conversations with turns and qa.`);
  }
  return parsed;
}

function isConversation(value: unknown): value is Conversation {
  if (typeof value !== "object" || value === null) return false;
  return "turns" in value && Array.isArray(value.turns) && "qa" in value && Array.isArray(value.qa);
}

/**
 * Places to cut a conversation: at sessions, or before a turn that would exceed this many tokens.
 */
export type Cutting = "sessions" | number;

/** Cuts a conversation into chunks. */
export function chunksOf({ turns }: Conversation, cutting: Cutting): Chunk[] {
  const chunks: Chunk[] = [];
  let lines: ExtractLine[] = [];
  let bytes = 0;
  let first = 0;
  turns.forEach((turn, place) => {
    const size = Buffer.byteLength(turn.text);
    const apart =
      cutting === "sessions"
        ? turn.sess !== turns[place - 1]?.sess
        : bytes + size > cutting * TOKEN_BYTES;
    if (apart && lines.length > 0) {
      chunks.push({ first, lines, bytes });
      lines = [];
      bytes = 0;
      first = place;
    }
    lines.push(lineOf(turn, place));
    bytes += size;
  });
  if (lines.length > 0) chunks.push({ first, lines, bytes });
  return chunks;
}

const TOKEN_BYTES = 4;

function lineOf({ speaker, text }: Turn, place: number): ExtractLine {
  const isRole = speaker === "user" || speaker === "assistant";
  return {
    role: speaker === "assistant" ? "assistant" : "user",
    name: isRole ? "" : speaker,
    text,
    messageId: `turn-${place}`,
    seq: place + 1,
  };
}
