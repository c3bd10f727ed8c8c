// Removes the oldest units until limits hold: the stages that drop the oldest, and the ceiling.

import type { PolicyStage } from "../policy.ts";
import { oldestMs, passedLimit } from "./limit.ts";
import type { Layout, Look } from "./look.ts";
import { HOLD } from "./protect.ts";
import type { TrimReason, WindowTotals } from "./types.ts";
import { beginsTurn } from "./units.ts";

/** The units that a stage removes. */
export interface UnitChoice {
  /** By unit number: 1 when the unit goes. */
  readonly drop: Uint8Array;
  readonly reason: TrimReason;
  /** Why it stopped before it was done, as bits of HOLD; 0 when it went through all units. */
  readonly stoppedBy: number;
}

/** How the oldest units go. */
interface Rule {
  /** Whether the limits of size hold for what is left. */
  readonly holds: (left: WindowTotals) => boolean;
  /** Units whose newest message is older go whatever the size. */
  readonly since: number;
  readonly stopAtProtected: boolean;
  readonly stopAtFree: boolean;
  /** What holds every unit, as bits of HOLD. */
  readonly holdsAll: number;
}

interface Dropped {
  readonly drop: Uint8Array;
  readonly stoppedBy: number;
}

function dropOldest(layout: Layout, totals: WindowTotals, rule: Rule): Dropped {
  const sizes = layout.sizes();
  const drop = new Uint8Array(layout.count);
  const left = { ...totals };
  const stop = (stoppedBy: number): Dropped => ({ drop, stoppedBy });
  for (let unit = 0; unit < layout.count; unit++) {
    const fits = rule.holds(left);
    if (fits && rule.since === Number.NEGATIVE_INFINITY) break;
    if (rule.stopAtFree && sizes.tokens[unit] === 0) return stop(HOLD.free);
    const held = (layout.holds[unit] ?? 0) | rule.holdsAll;
    if (held !== 0 && rule.stopAtProtected) return stop(held);
    const isYoung = fits && (sizes.newestMs[unit] ?? 0) >= rule.since;
    if (held !== 0 || isYoung) continue;
    drop[unit] = 1;
    left.messageCount -= sizes.messages[unit] ?? 0;
    left.tokenCount -= sizes.tokens[unit] ?? 0;
    left.byteCount -= sizes.bytes[unit] ?? 0;
  }
  return stop(0);
}

/** Chooses the oldest units until a test of the totals holds, passing over protected ones. */
export function oldestUnits(
  layout: Layout,
  totals: WindowTotals,
  holds: (left: WindowTotals) => boolean,
): Uint8Array {
  const since = Number.NEGATIVE_INFINITY;
  const stops = { stopAtProtected: false, stopAtFree: false };
  return dropOldest(layout, totals, { holds, since, ...stops, holdsAll: 0 }).drop;
}

/** Whether the newest user message is to stay and there is none: nothing can go without it. */
function lacksUser({ entries, policy }: Look): boolean {
  return policy.protections.lastUser && !entries.some(beginsTurn);
}

/** Chooses for a stage that drops the oldest; undefined when its limits hold already. */
export function chooseOldest(
  look: Look,
  stage: PolicyStage,
  newestMs: () => number,
): UnitChoice | undefined {
  const { select } = stage;
  if (select.kind !== "drop-oldest") return undefined;
  const passed = passedLimit(select, look.counted());
  const since = oldestMs(stage, newestMs);
  if (passed === undefined && since === undefined) return undefined;
  const { stopAtProtected, stopAtFree } = select;
  const dropped = dropOldest(look.layout(stage.unit), look.counted(), {
    holds: (left) => passedLimit(select, left) === undefined,
    since: since ?? Number.NEGATIVE_INFINITY,
    stopAtProtected,
    stopAtFree,
    holdsAll: stopAtProtected && lacksUser(look) ? HOLD.lastUser : 0,
  });
  return { ...dropped, reason: passed ?? "age-limit" };
}
