// The enums of long-term memory, between the domain and the wire.

import { MEMORY_KINDS, type MemoryKind, type MemoryOrigin } from "../../domain/memories/memory.ts";
import * as wire from "../../gen/memorysidecar/v1/memory.ts";

// The kinds are in the order of their public numbers, which begin with 1.
const FIRST_KIND = 1;

const ORIGINS = {
  caller: wire.MemoryOrigin.CALLER,
  promotion: wire.MemoryOrigin.PROMOTION,
  extraction: wire.MemoryOrigin.EXTRACTION,
  turn: wire.MemoryOrigin.TURN,
} as const satisfies Readonly<Record<MemoryOrigin, wire.MemoryOrigin>>;

const ORIGIN_NAMES = Object.keys(ORIGINS) as readonly MemoryOrigin[];

/** The public number of a kind. */
export function toMemoryKind(kind: MemoryKind): wire.MemoryKind {
  return (MEMORY_KINDS.indexOf(kind) + FIRST_KIND) as wire.MemoryKind;
}

/** The kind that a number stands for: none is a fact. */
export function fromMemoryKind(kind: wire.MemoryKind): MemoryKind {
  return MEMORY_KINDS[kind - FIRST_KIND] ?? "fact";
}

/** The public number of how a memory came. */
export function toMemoryOrigin(origin: MemoryOrigin): wire.MemoryOrigin {
  return ORIGINS[origin];
}

/** How memories came by a number; undefined for none, which is any. */
export function fromMemoryOrigin(origin: wire.MemoryOrigin): MemoryOrigin | undefined {
  return ORIGIN_NAMES.find((name) => ORIGINS[name] === origin);
}
