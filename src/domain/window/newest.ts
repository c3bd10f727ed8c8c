// Keeps the newest units: a number of them, or as many as fit a budget.

import type { PolicyStage } from "../policy.ts";
import { packBudget } from "./limit.ts";
import type { Layout, Look } from "./look.ts";
import type { UnitChoice } from "./oldest.ts";

/** Chooses all units but the newest `unitCount` and the protected ones. */
export function chooseBeforeLast(layout: Layout, unitCount: number): UnitChoice {
  const drop = new Uint8Array(layout.count);
  for (let unit = 0; unit < layout.count - unitCount; unit++) {
    if (layout.holds[unit] === 0) drop[unit] = 1;
  }
  return { drop, reason: "keep-last", stoppedBy: 0 };
}

/** Chooses what does not fit the budget of a pack-newest stage; undefined when everything does. */
export function chooseUnpacked(look: Look, stage: PolicyStage): UnitChoice | undefined {
  const { select } = stage;
  if (select.kind !== "pack-newest") return undefined;
  const budget = packBudget(select);
  const { tokenCount } = look.counted();
  if (tokenCount <= budget) return undefined;
  const layout = look.layout(stage.unit);
  const { tokens } = layout.sizes();
  // What no unit may take: the cost of messages in no unit and of protected units.
  let used = tokenCount;
  for (let unit = 0; unit < layout.count; unit++) {
    if (layout.holds[unit] === 0) used -= tokens[unit] ?? 0;
  }
  const drop = new Uint8Array(layout.count);
  let stopped = false;
  for (let unit = layout.count - 1; unit >= 0; unit--) {
    if (layout.holds[unit] !== 0) continue;
    const cost = tokens[unit] ?? 0;
    if (!stopped && used + cost <= budget) {
      used += cost;
      continue;
    }
    drop[unit] = 1;
    stopped = !select.skipUnfit;
  }
  return { drop, reason: "budget", stoppedBy: 0 };
}
