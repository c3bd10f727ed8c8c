// Upkeep: one bounded step at a time of erasing dead logs and states of memories that are gone,
// dropping old events, and dropping old replies.

import { unseal } from "../engine/envelope.ts";
import { afterPrefix, readU64, u64 } from "../engine/keys.ts";
import { rangeIndex } from "../engine/reads.ts";
import type { AnyTable } from "../engine/table.ts";
import type { MaintenancePlan } from "../store.ts";
import { LOG_TABLES } from "../tables/all.ts";
import type { Core } from "../tables/core.ts";
import { REPLY } from "../tables/event-tables.ts";
import type { EventLog } from "../tables/events.ts";
import { eraseFormer } from "../tables/memories.ts";
import { PURGE } from "../tables/session-tables.ts";
import { USAGE } from "../tables/task-tables.ts";

const PURGE_STEP = 256;
const REPLY_STEP = 1_024;
const REPLY_STEP_BYTES = 4_194_304;
const USAGE_STEP = 1_024;
const READER_CHECK_MS = 60_000;
// Replies are looked through from end to end; a new round starts after this share of their age.
const REPLY_ROUND_SHARE = 16;

/** The upkeep of a store. */
export class Maintenance {
  readonly #core: Core;
  readonly #events: EventLog;
  readonly #copying: ReadonlySet<number>;
  // Logs of which nothing is left in the memtable, so that their keys can be removed directly.
  readonly #flushed = new Set<number>();
  #replyCursor: string | undefined;
  #replyRoundMs = Number.NEGATIVE_INFINITY;
  #readerCheckMs = Number.NEGATIVE_INFINITY;

  constructor(core: Core, events: EventLog, copying: ReadonlySet<number>) {
    this.#core = core;
    this.#events = events;
    this.#copying = copying;
  }

  /** One step; true when there is more to do. */
  async step(plan: MaintenancePlan): Promise<boolean> {
    const { writer, env } = this.#core;
    writer.assertOpen();
    if (Math.abs(plan.nowMs - this.#readerCheckMs) >= READER_CHECK_MS) {
      this.#readerCheckMs = plan.nowMs;
      env.root.readerCheck();
    }
    // Damage in one place does not keep the rest from being done: it is thrown at the end.
    const failures: unknown[] = [];
    let isMore = false;
    for (const part of [
      () => this.#purgeStep(),
      () => eraseFormer(this.#core),
      () => this.#events.dropOld(plan),
      () => this.#dropReplies(plan),
      () => dropUsage(this.#core, plan),
    ]) {
      writer.assertOpen();
      try {
        isMore = (await part()) || isMore;
      } catch (error) {
        failures.push(error);
      }
    }
    await writer.whenDurable();
    if (failures.length > 0) throw failures[0];
    return isMore;
  }

  async #purgeStep(): Promise<boolean> {
    const logs = this.#deadLogs();
    if (logs.length === 0) return false;
    const { memtable, writer } = this.#core;
    const ready = logs.filter((logNo) => this.#flushed.has(logNo));
    if (ready.length === 0) {
      // Nobody writes to a dead log any more, so once flushed it stays out of the memtable. What a
      // copy that has just failed wrote may still be on its way.
      await writer.whenDurable();
      if (!(await writer.whenFlushed())) return false;
      for (const logNo of logs) {
        this.#flushed.add(logNo);
      }
      return true;
    }
    let left = PURGE_STEP;
    for (const logNo of ready) {
      const keys = this.#purgeKeys(logNo, left);
      writer.removeFlushed(keys);
      left -= keys.length;
      if (left <= 0) break;
      // Only a step that finds nothing ends a purge: the journal record that is the newest until
      // the commit of the removals may hold keys of the log, and a crash would bring these back.
      if (keys.length === 0) {
        memtable.set(PURGE.key(logNo), null);
        this.#flushed.delete(logNo);
      }
    }
    await writer.whenFormingDurable(undefined);
    return true;
  }

  #deadLogs(): number[] {
    const range = { start: PURGE.id, end: afterPrefix(PURGE.id) };
    const logs: number[] = [];
    for (const { key } of rangeIndex(this.#core, "committed", range)) {
      const logNo = readU64(key, 1);
      if (!this.#copying.has(logNo) && this.#core.memtable.get(key, "pending") !== null) {
        logs.push(logNo);
      }
      if (logs.length >= PURGE_STEP) break;
    }
    return logs;
  }

  /** Some keys of a dead log, at most `limit`. Erases the bodies that they name. */
  #purgeKeys(logNo: number, limit: number): string[] {
    const keys: string[] = [];
    for (const table of LOG_TABLES) {
      if (keys.length >= limit) break;
      const prefix = table.id + u64(logNo);
      const range = { start: prefix, end: afterPrefix(prefix), limit: limit - keys.length };
      keys.push(
        ...(table.bodyNo === undefined
          ? this.#core.env.index.getKeys(range)
          : this.#purgeBodies(range, table.bodyNo, table.companion)),
      );
    }
    return keys;
  }

  #purgeBodies(
    range: { readonly start: string; readonly end: string; readonly limit: number },
    bodyNoOf: (payload: Uint8Array) => number,
    companionOf: AnyTable["companion"],
  ): string[] {
    const { env, writer } = this.#core;
    const keys: string[] = [];
    for (const { key, value } of env.index.getRange(range)) {
      keys.push(key);
      try {
        const payload = unseal(key, value, "row");
        const bodyNo = bodyNoOf(payload);
        if (bodyNo !== 0) writer.eraseMessage(bodyNo);
        const companion = companionOf?.(key, payload);
        if (companion !== undefined) keys.push(companion);
      } catch {
        // A damaged row does not stop the erasing; verify reports its message as unreferenced.
      }
    }
    return keys;
  }

  #dropReplies(plan: MaintenancePlan): boolean {
    const round = plan.replyAgeMsMax / REPLY_ROUND_SHARE;
    if (this.#replyCursor === undefined) {
      if (Math.abs(plan.nowMs - this.#replyRoundMs) < round) return false;
      this.#replyRoundMs = plan.nowMs;
      this.#replyCursor = REPLY.id;
    }
    const { memtable } = this.#core;
    const range = { start: this.#replyCursor, end: afterPrefix(REPLY.id) };
    let looks = 0;
    let bytes = 0;
    this.#replyCursor = undefined;
    for (const { key, payload } of rangeIndex(this.#core, "committed", range)) {
      if (looks++ >= REPLY_STEP || bytes >= REPLY_STEP_BYTES) {
        this.#replyCursor = key;
        break;
      }
      bytes += payload.length;
      const reply = REPLY.of(payload);
      // A reply that is being written right now is younger than what is durable here.
      const isOld = reply.createMs < plan.nowMs - plan.replyAgeMsMax;
      if (isOld && memtable.pendingIn(key) === undefined) memtable.set(key, null);
    }
    return this.#replyCursor !== undefined;
  }
}

/** Drops what hooks took in old hours; true when there is more. */
function dropUsage(core: Core, { usageHourMin }: MaintenancePlan): boolean {
  const { memtable } = core;
  const range = { start: USAGE.prefix(0), end: USAGE.prefix(Math.max(0, usageHourMin)) };
  let looks = 0;
  for (const { key } of rangeIndex(core, "committed", range)) {
    if (looks++ >= USAGE_STEP) return true;
    if (memtable.pendingIn(key) === undefined) memtable.set(key, null);
  }
  return false;
}
