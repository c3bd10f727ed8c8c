// Bounds of the work of a policy. Its stages run inside every change of a session, while nothing
// else does: what each of them may hold by itself would be too much of them all.

import { LIMITS } from "../../kit/limits.ts";
import { compileCondition } from "../conditions/condition.ts";
import type { Policy } from "./policy.ts";

/** A policy's excess of work. */
export interface WorkFault {
  readonly description: string;
  readonly limit: number;
}

/** Says whether a sound policy is too much work for the largest window. */
export function workFaults({ stages }: Policy): readonly WorkFault[] {
  let lookahead = 0;
  let steps = 0;
  for (const { select, countIf } of stages) {
    if (select.kind === "drop-duplicates") lookahead += select.lookahead;
    const conditions = select.kind === "filter" ? select.conditions : [];
    for (const condition of [...conditions, ...countIf]) steps += compileCondition(condition).steps;
  }
  const faults: WorkFault[] = [];
  if (lookahead > LIMITS.duplicateLookahead) {
    const limit = LIMITS.duplicateLookahead;
    const description = `have lookaheads of ${lookahead} together; at most ${limit} are allowed`;
    faults.push({ description, limit });
  }
  if (steps > LIMITS.conditionSteps) {
    const limit = LIMITS.conditionSteps;
    const description = `have conditions of ${steps} steps together; at most ${limit} are allowed`;
    faults.push({ description, limit });
  }
  return faults;
}
