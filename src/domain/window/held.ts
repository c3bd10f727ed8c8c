// Says what kept a stage from removing more, when a limit of it does not hold.

import type { PolicyStage } from "../policy.ts";
import { oldestMs, passedLimit } from "./limit.ts";
import { costAt, type Look } from "./look.ts";
import { holdReasons, UNSEEN } from "./protect.ts";
import type { HoldReason } from "./types.ts";

/** What is known after a stage that is over a limit. */
export interface HeldQuestion {
  /** The window as the stage got it. */
  readonly look: Look;
  /** The window as the stage left it, or would leave it. */
  readonly after: Look;
  readonly stage: PolicyStage;
  /** By entry of `look`: not 0 when it goes. */
  readonly drop: Uint8Array;
  /** Where the stage stopped, as bits of HOLD. */
  readonly stoppedBy: number;
  readonly newestMs: () => number;
}

/** Lists what kept a stage that is over a limit from removing more. */
export function heldBy(question: HeldQuestion): HoldReason[] {
  const { look, stage, drop, stoppedBy } = question;
  if (stoppedBy !== 0 && leavesFreeUnit(look, stage, drop)) return holdReasons(stoppedBy);
  return holdReasons(stoppedBy | blockingBits(question));
}

/** Whether a unit that nothing protects is still there. */
function leavesFreeUnit(look: Look, stage: PolicyStage, drop: Uint8Array): boolean {
  const { unitOf, holds } = look.layout(stage.unit);
  return unitOf.some((unit, index) => unit >= 0 && drop[index] === 0 && holds[unit] === 0);
}

/** The reasons of everything that is left and counts toward the limit that is passed. */
function blockingBits({ look, after, stage, drop, newestMs }: HeldQuestion): number {
  const passed = passedLimit(stage.select, after.counted());
  const { unitOf, holds, sizes } = look.layout(stage.unit);
  const aside = look.aside();
  const since = oldestMs(stage, newestMs) ?? Number.NEGATIVE_INFINITY;
  let bits = 0;
  for (let i = 0; i < drop.length; i++) {
    if (drop[i] !== 0 || aside[i] === UNSEEN) continue;
    const unit = unitOf[i] ?? -1;
    const isAged = unit >= 0 && (sizes().newestMs[unit] ?? 0) < since;
    // What costs nothing is in nobody's way when only tokens are too many.
    const blocks = passed === "message-limit" || (passed !== undefined && costAt(look, i) > 0);
    if (blocks || isAged) bits |= unit >= 0 ? (holds[unit] ?? 0) : (aside[i] ?? 0);
  }
  return bits;
}
