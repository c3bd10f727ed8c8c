// Reads a set of conversations from its file: the project's own format, LoCoMo (locomo10.json) or
// LongMemEval (haystack_sessions) in their published forms.

import { gunzipSync } from "node:zlib";
import type { ConversationSet, SetConversation } from "./conversation-set.ts";
import { readLocomo } from "./read-locomo.ts";
import { readLongMemEval } from "./read-longmemeval.ts";
import { readOwn } from "./read-own.ts";

const GZIP_MAGIC = [0x1f, 0x8b];

/**
 * Reads a set from the bytes of its file, plain or gzipped. The content determines the format.
 * Questions without evidence are left out and counted. Throws on an unknown format.
 */
export function readSet(name: string, bytes: Uint8Array): ConversationSet {
  const isPacked = GZIP_MAGIC.every((byte, place) => bytes[place] === byte);
  const text = Buffer.from(isPacked ? gunzipSync(bytes) : bytes).toString("utf8");
  const entries: unknown = JSON.parse(text);
  if (!Array.isArray(entries)) throw new Error(`${name} is not a list of conversations`);
  const first: unknown = entries[0];
  if (has(first, "turns")) return setOf(name, "own", readOwn(entries));
  if (has(first, "conversation")) return setOf(name, "locomo", readLocomo(entries));
  if (has(first, "haystack_sessions")) return setOf(name, "longmemeval", readLongMemEval(entries));
  throw new Error(`${name} is in no format that is known: see bench/README.md`);
}

function has(value: unknown, key: string): boolean {
  return typeof value === "object" && value !== null && key in value;
}

function setOf(
  name: string,
  format: ConversationSet["format"],
  all: readonly SetConversation[],
): ConversationSet {
  let leftOutCount = 0;
  const conversations = all.map((conversation) => {
    const questions = conversation.questions.filter(({ evidence }) => evidence.length > 0);
    leftOutCount += conversation.questions.length - questions.length;
    return { ...conversation, questions };
  });
  return { name, format, conversations, leftOutCount };
}
