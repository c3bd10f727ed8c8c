// Keeps the first and the newest messages and chooses the middle. Counts messages that the policy
// sees and that are not set aside.

import type { PolicyStage } from "../policy.ts";
import type { Look } from "./look.ts";

/** Marks with 1 the entries of the middle; undefined when they are too few. */
export function chooseMiddle(look: Look, stage: PolicyStage): Uint8Array | undefined {
  const { select, boundary } = stage;
  if (select.kind !== "pin-middle-recent") return undefined;
  const { entries } = look;
  if (entries.length < select.pinFirst + select.keepRecent + select.minRemoved) return undefined;
  const aside = look.aside();
  const free: number[] = [];
  for (let i = 0; i < entries.length; i++) if (aside[i] === 0) free.push(i);
  const isResult = (at: number): boolean => entries[free[at] ?? -1]?.isResult === true;
  let from = select.pinFirst;
  let to = free.length - select.keepRecent;
  const rule = boundary?.rule;
  if (rule === "absorb-and-grow") while (from < to && isResult(from)) from++;
  if (rule === "absorb-and-grow" || rule === "grow-recent") {
    while (from < to && isResult(to)) to--;
  }
  if (from >= to) return undefined;
  const drop = new Uint8Array(entries.length);
  const { unitOf, holds } = look.layout("message");
  for (const index of free.slice(from, to)) {
    if (holds[unitOf[index] ?? -1] === 0) drop[index] = 1;
  }
  const left = keepWholeGroups(drop, look.grouping().callOf);
  return left === 0 || left < select.minRemoved ? undefined : drop;
}

/** Takes the marks off groups that are not marked as a whole; returns how many marks are left. */
function keepWholeGroups(drop: Uint8Array, callOf: Int32Array): number {
  const kept = new Uint8Array(drop.length);
  for (let i = 0; i < drop.length; i++) {
    const call = callOf[i] ?? -1;
    if (call >= 0 && drop[i] === 0) kept[call] = 1;
  }
  let left = 0;
  for (let i = 0; i < drop.length; i++) {
    const call = callOf[i] ?? -1;
    if (call >= 0 && kept[call] === 1) drop[i] = 0;
    left += drop[i] ?? 0;
  }
  return left;
}
