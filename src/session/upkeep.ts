// Background work that keeps the store small: sessions past their time, old events, old answers,
// and logs that were deleted. In small steps with pauses, so that it never holds up a call for
// long.

import { eraseExpired } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { removeExpiredMemories, ScheduledDecay } from "../memory/upkeep.ts";
import { removeExpiredDocuments } from "../recall/documents/change-documents.ts";
import { removeExpiredRecords } from "../records/change-records.ts";
import { removeExpiredUploads } from "../records/upload-part.ts";
import type { MaintenancePlan } from "../store/store.ts";
import type { SessionRef } from "./rules/session.ts";

/** Time that upkeep rests if there is nothing to do. */
const REST_MS = 1_000;
/** Pause between two steps of upkeep. */
const PAUSE_MS = 5;
/** Sessions erased in one step. */
const EXPIRED_PER_STEP = 50;

const HOUR_MS = 3_600_000;
/** Usage of hooks is kept for the hour under way and so many before: calls may end late. */
const USAGE_HOURS = 2;

/** Runs upkeep until stopped. */
export class Upkeep {
  readonly #context: ServiceContext;
  readonly #decay: ScheduledDecay;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(context: ServiceContext, onError: (error: unknown) => void) {
    this.#context = context;
    this.#decay = new ScheduledDecay(context);
    this.#onError = onError;
    this.#schedule(REST_MS);
  }

  /** Stops after the step under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#run();
    }, delayMs);
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    try {
      const more = await upkeepStep(this.#context, this.#decay);
      this.#schedule(more ? PAUSE_MS : REST_MS);
    } catch (error) {
      this.#onError(error);
      this.#schedule(REST_MS);
    }
  }
}

/**
 * Does one bounded step; true when there is more to do. What fails, for example at a damaged
 * session, does not keep the rest from being done: the first failure is thrown at the end.
 */
export async function upkeepStep(
  context: ServiceContext,
  decay: ScheduledDecay = new ScheduledDecay(context),
): Promise<boolean> {
  const nowMs = context.world.nowMs();
  const failures: unknown[] = [];
  const fail = (error: unknown): void => {
    failures.push(error);
  };
  let expired: readonly SessionRef[] = [];
  try {
    expired = await context.store.expiredSessions(nowMs, EXPIRED_PER_STEP);
  } catch (error) {
    fail(error);
  }
  for (const ref of expired) await eraseExpired(context, ref).catch(fail);
  const plan: MaintenancePlan = {
    nowMs,
    eventAgeMsMax: context.settings.eventAgeMsMax,
    eventCountMax: context.settings.eventCountMax,
    replyAgeMsMax: context.settings.idempotencyWindowMs,
    usageHourMin: Math.floor(nowMs / HOUR_MS) - USAGE_HOURS,
  };
  let more = await context.store.maintain(plan);
  for (const step of [
    () => removeExpiredMemories(context, fail),
    () => removeExpiredRecords(context, fail),
    () => removeExpiredDocuments(context, fail),
    () => removeExpiredUploads(context, fail),
    () => decay.step(),
  ]) {
    try {
      if (await step()) more = true;
    } catch (error) {
      fail(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return more || expired.length === EXPIRED_PER_STEP;
}
