// Memories in words.

import { LIMITS } from "../limits.ts";
import type { Entity, Episode, MemoryStructure } from "./memory.ts";

const SURE = 0.8;
const HALF_SURE = 0.5;

/** The start of a text: at most so many bytes, no character cut in two. */
function startOf(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const buffer = Buffer.from(text);
  let end = bytes;
  while (end > 0 && ((buffer[end] ?? 0) & 0xc0) === 0x80) end--;
  return buffer.toString("utf8", 0, end);
}

function describeEntity({ name, type, attributes }: Entity): string {
  const pairs = [...attributes].map(([key, value]) => `${key}: ${value}`);
  return `${name} [${type}]${pairs.length === 0 ? "" : ` (${pairs.join(", ")})`}`;
}

function describeEpisode({ userText, assistantText }: Episode): string {
  const sides = [
    userText === "" ? "" : `user: ${userText}`,
    assistantText === "" ? "" : `assistant: ${assistantText}`,
  ];
  return sides.filter((side) => side !== "").join(" | ");
}

function describeWhole(structure: MemoryStructure): string {
  if (structure.kind === "entity") return describeEntity(structure.entity);
  if (structure.kind === "episode") return describeEpisode(structure.episode);
  const { subject, predicate, object } = structure.relation;
  return `${subject} ${predicate} ${object}`;
}

/** A structure in words, cut to what the text of a memory may have. */
export function describeStructure(structure: MemoryStructure): string {
  return startOf(describeWhole(structure), LIMITS.memoryTextBytes);
}

/** How sure a memory is, in a word. */
export function confidenceLabel(confidence: number): "high" | "medium" | "low" {
  if (confidence >= SURE) return "high";
  return confidence >= HALF_SURE ? "medium" : "low";
}
