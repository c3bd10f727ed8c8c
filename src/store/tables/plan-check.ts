// Checks a plan as a whole before any of it is applied: half a plan must never reach the pending
// state, so whatever could stop it half-way is looked for here.

import { QUARTERS } from "../../kit/token-quarters.ts";
import type { SessionFields, SessionHead, WindowInsert } from "../../session/rules/session.ts";
import type { NewEvent, SessionPlan } from "../store.ts";
import { areRanges } from "../task-faults.ts";
import type { SessionState } from "./cache.ts";
import { REVISION_EVENTS_MAX } from "./event-tables.ts";

/** A fault of whoever made the plan. */
export function unsound(what: string): Error {
  return new Error(`A plan for a session is not sound: ${what}.`);
}

/** Checks a plan against the session before the change. Throws an Error that names the fault. */
export function checkPlan(old: SessionState | null, plan: SessionPlan): void {
  checkEvents(plan.events);
  checkNumber("time of a reply", plan.reply?.createMs ?? 0);
  if (plan.remove === true) {
    if (old === null) throw unsound("it removes a session that does not exist");
    if ((plan.tasks?.put ?? []).length > 0 || (plan.summaries?.put ?? []).length > 0) {
      throw unsound("it adds to a session that it removes");
    }
    if (plan.memoryJobs?.put.some(({ job }) => job !== undefined) === true) {
      throw unsound("it adds jobs to a session that it removes");
    }
    return;
  }
  const { head } = plan;
  if (head === undefined || (old === null && plan.fields === undefined)) {
    throw unsound("it lacks the head or the fields");
  }
  checkNumbers(plan, head);
  const versions = old?.session.fields.summaryVersion ?? 0;
  if ((plan.fields?.summaryVersion ?? versions) < versions) {
    throw unsound("the version of the newest summary goes back");
  }
  let next = old === null || plan.resetLog === true ? head.firstSeq : old.session.head.lastSeq + 1;
  let previous = 0;
  for (const { seq } of plan.append ?? []) {
    if (seq <= previous || (seq !== next && !(plan.resetLog === true && seq < head.firstSeq))) {
      throw unsound(`seq ${seq} is appended where ${next} was due`);
    }
    next = seq === next ? next + 1 : next;
    previous = seq;
  }
  checkErased(plan);
  if (head.lastSeq !== next - 1) {
    throw unsound(`the head ends at seq ${head.lastSeq}, the log at ${next - 1}`);
  }
  if (plan.window !== undefined && plan.window.length !== head.window.messageCount) {
    throw unsound("the window and its totals differ");
  }
}

// Messages of its own that a plan erases must be among them; others are looked up in the log.
function checkErased(plan: SessionPlan): void {
  const { append = [], erase = [] } = plan;
  const first = append[0]?.seq ?? Number.POSITIVE_INFINITY;
  if (plan.resetLog === true && erase.some(({ seq }) => seq < first)) {
    throw unsound("it erases messages of a log that it erases as a whole");
  }
  for (const { seq, messageId } of erase) {
    if (seq >= first && append[seq - first]?.messageId !== messageId) {
      throw unsound(`it erases seq ${seq}, which it does not append under this id`);
    }
  }
}

/** Checks what a plan says happened. Throws an Error that names the fault. */
export function checkEvents(events: readonly NewEvent[]): void {
  if (events.length === 0 || events.length > REVISION_EVENTS_MAX) {
    throw unsound(`it has ${events.length} events`);
  }
  for (const { type, createMs } of events) {
    checkNumber("type of an event", type);
    checkNumber("time of an event", createMs);
  }
}

// A number that a record cannot hold must be found before the first record is written.
function checkNumber(what: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw unsound(`the ${what} is ${value}`);
  }
}

function checkNumbers(plan: SessionPlan, head: SessionHead): void {
  checkHead(head);
  if (plan.fields !== undefined) checkFields(plan.fields);
  for (const message of plan.append ?? []) {
    checkTokens("token count of a message", message.tokenCount);
  }
  for (const message of plan.replace ?? []) {
    checkTokens("token count of a message", message.tokenCount);
  }
}

// Tokens come in quarters. The sum of many is exact as long as its quarters are.
function checkTokens(what: string, value: number): void {
  if (!Number.isSafeInteger(value * QUARTERS) || value < 0) {
    throw unsound(`the ${what} is ${value}`);
  }
}

/** Checks that a head can be stored. Throws an Error that names the fault. */
export function checkHead(head: SessionHead): void {
  checkNumber("newest seq", head.lastSeq);
  checkNumber("first seq", head.firstSeq);
  checkNumber("number of messages in the log", head.log.messageCount);
  checkTokens("token count of the log", head.log.tokenCount);
  checkNumber("number of messages in the window", head.window.messageCount);
  checkTokens("token count of the window", head.window.tokenCount);
  checkNumber("size of the window", head.window.byteCount);
  checkNumber("time of the change", head.updateMs);
  checkNumber("revision", head.revision);
  if (!areRanges(head.windowRanges)) throw unsound("the ranges of the window are out of order");
}

/** Checks that fields can be stored. Throws an Error that names the fault. */
export function checkFields(fields: SessionFields): void {
  checkNumber("ttl", fields.ttlMs);
  checkNumber("time of creation", fields.createMs);
  checkNumber("etag", fields.etagRevision);
  checkNumber("version of the summary", fields.summaryVersion);
  checkNumber("token count of the summary", fields.summary?.tokenCount ?? 0);
  checkNumber("time of the summary", fields.summary?.createMs ?? 0);
  checkNumber("own version of the summary", fields.summary?.version ?? 0);
  if (!areRanges(fields.summary?.ranges ?? [])) {
    throw unsound("the ranges of the summary are out of order");
  }
  checkNumber("seq of the fork", fields.forkedFrom?.seq ?? 0);
  const fault = insertsFault(fields.inserts);
  if (fault !== undefined) throw unsound(fault);
  for (const insert of fields.inserts) {
    checkTokens("token count of an insert", insert.tokenCount);
    checkNumber("time of an insert", insert.createMs);
    checkNumber("version of an insert", insert.version);
    checkNumber("level of an insert", insert.level);
    if (!Number.isSafeInteger(insert.firstMs)) {
      throw unsound(`the first time of an insert is ${insert.firstMs}`);
    }
  }
}

/** Says what is wrong with the order of inserts; undefined when they are as they should be. */
export function insertsFault(inserts: readonly WindowInsert[]): string | undefined {
  const ids = new Set<string>();
  let last = 0;
  for (const { position, messageId, ranges } of inserts) {
    if (!(position > last) || !Number.isFinite(position) || Number.isInteger(position)) {
      return `an insert stands at position ${position}`;
    }
    if (ids.has(messageId)) return "two inserts have one id";
    if (!areRanges(ranges)) return "the ranges of an insert are out of order";
    ids.add(messageId);
    last = position;
  }
  return undefined;
}
