// Keys by which texts and names are compared: equal ones have equal keys.

import { sha256Hex } from "../../kit/text.ts";
import type { Memory, MemoryContent } from "./memory.ts";

const KEY_DIGITS = 32;
const ENDINGS = new Set(".!?,;:\"'”’»");

/** ASCII, which has no other forms: most texts are read once then, not four times. */
const PLAIN = /^[\0-\x7f]*$/u;

/** Folds case, and forms of letters that look the same. */
function folded(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text.normalize("NFKC").toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
}

/** White space that is not one plain space between words. */
const UNEVEN = /[^\S ]| {2}/u;

function joined(text: string): string {
  if (!UNEVEN.test(text)) return text.trim();
  return text.replace(/\s+/gu, " ").trim();
}

/**
 * A text without regard to case, to white space and to punctuation and closing quotes at its end. A
 * text of nothing else keeps them.
 */
export function normalText(text: string): string {
  const whole = joined(folded(text));
  let end = whole.length;
  // A loop, as a pattern that ends with `$` would try every run of such characters.
  while (end > 0 && (ENDINGS.has(whole[end - 1] ?? "") || whole[end - 1] === " ")) end--;
  return end === 0 ? whole : whole.slice(0, end);
}

/** A name without regard to case and to white space at its ends and between its words. */
export function nameKeyOf(name: string): string {
  return joined(folded(name));
}

/** The compared parts of a memory. */
function comparedOf({ text, structure, validFromMs }: MemoryContent, kind: string): unknown[] {
  if (structure?.kind === "relation") {
    const { subject, predicate, object } = structure.relation;
    return [normalText(subject), normalText(predicate), normalText(object)];
  }
  if (structure?.kind === "entity") return [nameKeyOf(structure.entity.name)];
  if (kind === "entity") return [nameKeyOf(text)];
  if (kind === "episode") return [normalText(text), validFromMs ?? null];
  return [normalText(text)];
}

/** Cached keys: a decision and the store compute that of the same content. */
const known = new WeakMap<MemoryContent, { readonly kind: string; readonly key: string }>();

/**
 * The key of the content of a memory, 32 hexadecimal digits: of its text, of a relation its three
 * parts, of an entity its name, of an episode its text and its time.
 */
export function textKeyOf({ kind, content }: Pick<Memory, "kind" | "content">): string {
  const found = known.get(content);
  if (found?.kind === kind) return found.key;
  const key = sha256Hex(JSON.stringify(comparedOf(content, kind))).slice(0, KEY_DIGITS);
  known.set(content, { kind, key });
  return key;
}

/** The key by which a scope recognizes a text that it promoted before. */
export function promotionKeyOf(text: string): string {
  return sha256Hex(text.trim().toLowerCase());
}

/** The digits of a text's key in the mark of its promotion, and those of each part behind it. */
const PROMOTION = { keyDigits: 64, partDigits: 16 } as const;

/** The part that all marks of the promotions of a session, or to a memory, share. */
export function promotionPart(kind: "session" | "memory", id: string): string {
  return sha256Hex(`${kind} ${id}`).slice(0, PROMOTION.partDigits);
}

/** The mark of a promotion that a scope keeps: the keys of its text, session and memory. */
export function promotionMark(
  promotionKey: string,
  { sessionId, memoryId }: { readonly sessionId: string; readonly memoryId: string },
): string {
  return promotionKey + promotionPart("session", sessionId) + promotionPart("memory", memoryId);
}

/** The key of the text that a mark begins with. */
export function keyOfPromotion(mark: string): string {
  return mark.slice(0, PROMOTION.keyDigits);
}

/** Whether the mark of a promotion has one of some parts. */
export function hasPromotionPart(mark: string, parts: ReadonlySet<string>): boolean {
  const { keyDigits, partDigits } = PROMOTION;
  for (let at = keyDigits; at < mark.length; at += partDigits) {
    if (parts.has(mark.slice(at, at + partDigits))) return true;
  }
  return false;
}
