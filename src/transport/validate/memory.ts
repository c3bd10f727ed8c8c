// The rules of memories that come in.

import { LIMITS } from "../../domain/limits.ts";
import { type Memory, MemoryKind } from "../../gen/memorysidecar/v1/memory.ts";
import { Trust } from "../../gen/memorysidecar/v1/message.ts";
import { fromTimestamp } from "../convert/time.ts";
import { checkText } from "./fields.ts";
import type { Violations } from "./violations.ts";

const STRUCTURES = {
  entity: { kind: MemoryKind.ENTITY, name: "MEMORY_KIND_ENTITY" },
  relation: { kind: MemoryKind.RELATION, name: "MEMORY_KIND_RELATION" },
  episode: { kind: MemoryKind.EPISODE, name: "MEMORY_KIND_EPISODE" },
} as const;

/** Checks a memory that is to be remembered. */
export function checkNewMemory(v: Violations, memory: Memory): void {
  checkKind(v, memory);
  checkChangedMemory(v, memory);
  checkOrder(v, memory.validFromTime, memory.validUntilTime);
}

function checkKind(v: Violations, { kind, structure, text }: Memory): void {
  const given = structure?.$case;
  for (const [name, of] of Object.entries(STRUCTURES)) {
    if (given === name && kind !== of.kind) v.add(name, `must be unset unless kind is ${of.name}`);
  }
  if (kind === MemoryKind.RELATION || kind === MemoryKind.EPISODE) {
    const name = kind === MemoryKind.RELATION ? "relation" : "episode";
    if (given !== name) v.add(name, `is required for ${STRUCTURES[name].name}`);
  } else if (given !== "entity" || kind !== MemoryKind.ENTITY) {
    if (text === "") v.add("text", "is required");
    else if (text.trim() === "") v.add("text", "must not be blank");
    if (kind === MemoryKind.ENTITY) checkText(v, "text", text, LIMITS.entityNameBytes);
  }
}

/** Checks that a memory is true for a millisecond at least: times are kept in whole ones. */
export function checkOrder(
  v: Violations,
  from: Memory["validFromTime"],
  to: Memory["validUntilTime"],
): void {
  if (from === undefined || to === undefined) return;
  if (fromTimestamp(to) <= fromTimestamp(from)) {
    v.add("valid_until_time", "must be after valid_from_time, by a millisecond at least");
  }
}

/** Checks a memory that is to be changed: what is fixed is not looked at. */
export function checkChangedMemory(v: Violations, { trust, structure }: Memory): void {
  if (trust === Trust.HIGH) {
    v.add("trust", "must be TRUST_MEDIUM or TRUST_LOW: TRUST_HIGH is for the operator");
  }
  if (structure?.$case !== "episode") return;
  const { userText, assistantText } = structure.value;
  if (userText === "" && assistantText === "") {
    v.add("episode.user_text", "is required, or assistant_text");
  }
}
