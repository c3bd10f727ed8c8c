// Makes the cut of a stage safe: what the boundary of a stage adds to its choice or takes back.

import { once } from "../../kit/once.ts";
import type { BoundaryRule, PolicyStage } from "../policy/policy.ts";
import { makesCalls } from "./groups.ts";
import type { Look } from "./look.ts";
import { UNSEEN } from "./protect.ts";
import type { WindowEntry } from "./types.ts";

/** In the marks of a choice: the select of the stage chose the entry. */
export const CHOSEN = 1;
/** In the marks of a choice: the boundary rule of the stage chose the entry. */
export const POPPED = 2;

/** Applies the boundary of a stage to the marks of its choice, by entry. */
export function applyBoundary(look: Look, stage: PolicyStage, drop: Uint8Array): void {
  const { boundary, select } = stage;
  if (boundary === undefined) return;
  const { rule } = boundary;
  if (rule === "grow-recent") {
    if (select.kind !== "pin-middle-recent") growRecent(look, drop);
  } else if (rule !== "absorb-and-grow") {
    const asked = boundary.always || select.kind === "boundary-only";
    if (asked || drop.includes(CHOSEN)) popHead(look, rule, drop);
  }
}

/** Gives the indexes of the entries that must go or stay together with one, in their order. */
function groupsOf(look: Look): (index: number) => readonly number[] {
  const { callOf } = look.grouping();
  const members = once(() => {
    const lists = new Map<number, number[]>();
    callOf.forEach((call, index) => {
      const list = lists.get(call);
      if (list === undefined) lists.set(call, [index]);
      else list.push(index);
    });
    return lists;
  });
  return (index) => {
    const call = callOf[index] ?? -1;
    return call < 0 ? [index] : (members().get(call) ?? [index]);
  };
}

/** While what is kept begins with a tool result, keeps one message more, with its group. */
function growRecent(look: Look, drop: Uint8Array): void {
  const aside = look.aside();
  const groupOf = groupsOf(look);
  let head = drop.findIndex((mark, index) => mark === 0 && aside[index] === 0);
  while (head > 0 && look.entries[head]?.isResult === true) {
    const older = drop.lastIndexOf(CHOSEN, head);
    if (older === -1) return;
    const members = groupOf(older);
    for (const index of members) drop[index] = 0;
    head = members[0] ?? older;
  }
}

function isUnsafe(rule: BoundaryRule, entry: WindowEntry, call: number): boolean {
  if (rule === "pop-tool-head") return entry.isResult || makesCalls(entry);
  // Nothing stands before the head, so a result there has lost its call.
  return entry.isResult && call < 0;
}

/** Takes unsafe messages off the head, each with its group, as long as others are left. */
function popHead(look: Look, rule: BoundaryRule, drop: Uint8Array): void {
  const { entries } = look;
  const aside = look.aside();
  const { callOf } = look.grouping();
  const { unitOf, holds } = look.layout("message");
  const groupOf = groupsOf(look);
  let left = 0;
  for (let i = 0; i < drop.length; i++) if (drop[i] === 0 && aside[i] !== UNSEEN) left++;
  for (let i = 0; i < drop.length; i++) {
    if (drop[i] !== 0 || aside[i] === UNSEEN) continue;
    const entry = entries[i];
    if (entry === undefined || aside[i] !== 0 || holds[unitOf[i] ?? -1] !== 0) return;
    if (!isUnsafe(rule, entry, callOf[i] ?? -1)) return;
    const members = groupOf(i).filter((index) => drop[index] === 0);
    if (left <= members.length) return;
    for (const index of members) drop[index] = POPPED;
    left -= members.length;
  }
}
