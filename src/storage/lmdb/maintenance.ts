// Upkeep: one bounded step at a time of erasing dead logs and states of memories that are gone,
// dropping old events, and dropping old replies.

import type { MaintenancePlan } from "../store.ts";
import { decodeEntry, decodeReply } from "./codec.ts";
import { type Core, decodeRecord, rangeIndex } from "./core.ts";
import { decodeDocument, decodeVector } from "./document-codec.ts";
import { unseal } from "./envelope.ts";
import type { EventLog } from "./events.ts";
import {
  afterPrefix,
  chunksPrefix,
  documentIdPrefix,
  documentPrefix,
  entryPrefix,
  idPrefix,
  keptKey,
  purgeKey,
  readU64,
  summaryPrefix,
  TABLE,
  usageHourPrefix,
  vectorPrefix,
  windowPrefix,
} from "./keys.ts";
import { eraseFormer } from "./memory-erase.ts";

const PURGE_STEP = 256;
const REPLY_STEP = 1_024;
const REPLY_STEP_BYTES = 4_194_304;
const USAGE_STEP = 1_024;
const READER_CHECK_MS = 60_000;
// Replies are looked through from end to end; a new round starts after this share of their age.
const REPLY_ROUND_SHARE = 16;

/** Reads the number of the body that a row names; 0 for none. */
type BodyOf = (payload: Uint8Array) => number;

/** The tables of a log whose rows name bodies that stand among the messages. */
export const PURGED_BODIES: readonly {
  readonly prefixOf: (logNo: number) => string;
  readonly bodyOf: BodyOf;
}[] = [
  { prefixOf: entryPrefix, bodyOf: (payload) => decodeEntry(payload).messageNo },
  { prefixOf: documentPrefix, bodyOf: (payload) => decodeDocument(payload).bodyNo },
  { prefixOf: vectorPrefix, bodyOf: (payload) => decodeVector(payload).bodyNo },
];

const PURGED_KEYS = [
  idPrefix,
  windowPrefix,
  keptKey,
  summaryPrefix,
  documentIdPrefix,
  chunksPrefix,
];

/** The upkeep of a store. */
export class Maintenance {
  private readonly core: Core;
  private readonly events: EventLog;
  private readonly copying: ReadonlySet<number>;
  // Logs of which nothing is left in the memtable, so that their keys can be removed directly.
  private readonly flushed = new Set<number>();
  private replyCursor: string | undefined;
  private replyRoundMs = Number.NEGATIVE_INFINITY;
  private readerCheckMs = Number.NEGATIVE_INFINITY;

  constructor(core: Core, events: EventLog, copying: ReadonlySet<number>) {
    this.core = core;
    this.events = events;
    this.copying = copying;
  }

  /** One step; true when there is more to do. */
  async step(plan: MaintenancePlan): Promise<boolean> {
    const { writer, env } = this.core;
    writer.assertOpen();
    if (Math.abs(plan.nowMs - this.readerCheckMs) >= READER_CHECK_MS) {
      this.readerCheckMs = plan.nowMs;
      env.root.readerCheck();
    }
    // Damage in one place does not keep the rest from being done: it is thrown at the end.
    const failures: unknown[] = [];
    let isMore = false;
    for (const part of [
      () => this.purgeStep(),
      () => eraseFormer(this.core),
      () => this.events.dropOld(plan),
      () => this.dropReplies(plan),
      () => dropUsage(this.core, plan),
    ]) {
      writer.assertOpen();
      try {
        isMore = (await part()) || isMore;
      } catch (error) {
        failures.push(error);
      }
    }
    await writer.whenDurable();
    if (failures.length > 0) {
      throw failures[0];
    }
    return isMore;
  }

  private async purgeStep(): Promise<boolean> {
    const logs = this.deadLogs();
    if (logs.length === 0) {
      return false;
    }
    const { memtable, writer } = this.core;
    const ready = logs.filter((logNo) => this.flushed.has(logNo));
    if (ready.length === 0) {
      // Nobody writes to a dead log any more, so once flushed it stays out of the memtable. What a
      // copy that has just failed wrote may still be on its way.
      await writer.whenDurable();
      await writer.whenFlushed();
      for (const logNo of logs) {
        this.flushed.add(logNo);
      }
      return true;
    }
    let left = PURGE_STEP;
    for (const logNo of ready) {
      const keys = this.purgeKeys(logNo, left);
      writer.removeFlushed(keys);
      left -= keys.length;
      if (left <= 0) {
        break;
      }
      // Only a step that finds nothing ends a purge: the journal record that is the newest until
      // the commit of the removals may hold keys of the log, and a crash would bring these back.
      if (keys.length === 0) {
        memtable.set(purgeKey(logNo), null);
        this.flushed.delete(logNo);
      }
    }
    writer.mark("purging");
    await writer.whenFormingDurable(undefined);
    return true;
  }

  private deadLogs(): number[] {
    const range = { start: TABLE.purge, end: afterPrefix(TABLE.purge) };
    const logs: number[] = [];
    for (const { key } of rangeIndex(this.core, "committed", range)) {
      const logNo = readU64(key, 1);
      if (!this.copying.has(logNo) && this.core.memtable.get(key, "pending") !== null) {
        logs.push(logNo);
      }
      if (logs.length >= PURGE_STEP) {
        break;
      }
    }
    return logs;
  }

  /** Some keys of a dead log, at most `limit`. Erases the bodies that they name. */
  private purgeKeys(logNo: number, limit: number): string[] {
    const keys: string[] = [];
    for (const { prefixOf, bodyOf } of PURGED_BODIES) {
      if (keys.length < limit) {
        keys.push(...this.purgeBodies(prefixOf(logNo), bodyOf, limit - keys.length));
      }
    }
    for (const prefix of PURGED_KEYS.map((of) => of(logNo))) {
      if (keys.length < limit) {
        keys.push(...this.keysUnder(prefix, limit - keys.length));
      }
    }
    return keys;
  }

  private purgeBodies(prefix: string, bodyOf: BodyOf, limit: number): string[] {
    const { env, writer } = this.core;
    const keys: string[] = [];
    const range = { start: prefix, end: afterPrefix(prefix), limit };
    for (const { key, value } of env.index.getRange(range)) {
      keys.push(key);
      try {
        const bodyNo = bodyOf(unseal(key, value, "row"));
        if (bodyNo !== 0) {
          writer.eraseMessage(bodyNo);
        }
      } catch {
        // A damaged row does not stop the erasing; verify reports its message as unreferenced.
      }
    }
    return keys;
  }

  private keysUnder(prefix: string, limit: number): string[] {
    const range = { start: prefix, end: afterPrefix(prefix), limit };
    return [...this.core.env.index.getKeys(range)];
  }

  private dropReplies(plan: MaintenancePlan): boolean {
    const round = plan.replyAgeMsMax / REPLY_ROUND_SHARE;
    if (this.replyCursor === undefined) {
      if (Math.abs(plan.nowMs - this.replyRoundMs) < round) {
        return false;
      }
      this.replyRoundMs = plan.nowMs;
      this.replyCursor = TABLE.reply;
    }
    const { memtable } = this.core;
    const range = { start: this.replyCursor, end: afterPrefix(TABLE.reply) };
    let looks = 0;
    let bytes = 0;
    this.replyCursor = undefined;
    for (const { key, payload } of rangeIndex(this.core, "committed", range)) {
      if (looks++ >= REPLY_STEP || bytes >= REPLY_STEP_BYTES) {
        this.replyCursor = key;
        break;
      }
      bytes += payload.length;
      const reply = decodeRecord("reply", payload, decodeReply);
      // A reply that is being written right now is younger than what is durable here.
      const isOld = reply.createMs < plan.nowMs - plan.replyAgeMsMax;
      if (isOld && memtable.pendingIn(key) === undefined) {
        memtable.set(key, null);
      }
    }
    return this.replyCursor !== undefined;
  }
}

/** Drops what hooks took in old hours; true when there is more. */
function dropUsage(core: Core, { usageHourMin }: MaintenancePlan): boolean {
  const { memtable } = core;
  const range = { start: usageHourPrefix(0), end: usageHourPrefix(Math.max(0, usageHourMin)) };
  let looks = 0;
  for (const { key } of rangeIndex(core, "committed", range)) {
    if (looks++ >= USAGE_STEP) {
      return true;
    }
    if (memtable.pendingIn(key) === undefined) {
      memtable.set(key, null);
    }
  }
  return false;
}
