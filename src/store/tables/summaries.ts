// The history of summaries. It stands beside the log, under the number of it, and goes with it.

import type { SummaryRecord } from "../../summary/rules/summary.ts";
import { numbersUnder } from "../engine/keys.ts";
import type { Visibility } from "../engine/memtable.ts";
import { rangeIndex } from "../engine/reads.ts";
import type { SummaryPage, SummaryPlan, SummaryQuery } from "../store.ts";
import { summaryPlanFault } from "../task-faults.ts";
import type { Core } from "./core.ts";
import { unsound } from "./plan-check.ts";
import { SUMMARY } from "./task-tables.ts";

// A run of a page, beside its text.
const RUN_BYTES = 22;

/** Reads a summary; undefined when there is none of this version. */
export function readSummary(
  core: Core,
  logNo: number,
  version: number,
  visibility: Visibility,
): SummaryRecord | undefined {
  return Number.isSafeInteger(version) && version > 0
    ? SUMMARY.get(core, SUMMARY.key(logNo, version), visibility)
    : undefined;
}

/** A page of the summaries of a log. */
export function listSummaries(core: Core, logNo: number, query: SummaryQuery): SummaryPage {
  const { after, limit, maxBytes } = query;
  const reverse = query.order === "desc";
  const bounds = after === undefined ? {} : reverse ? { below: after } : { after };
  const range = { ...numbersUnder(SUMMARY.prefix(logNo), bounds), reverse, page: PAGE };
  const summaries: SummaryRecord[] = [];
  let bytes = 0;
  for (const row of rangeIndex(core, "committed", range)) {
    const summary = SUMMARY.of(row.payload);
    bytes += summaryBytes(summary);
    if (summaries.length >= limit || (summaries.length > 0 && bytes > maxBytes)) {
      return { summaries, next: summaries.at(-1)?.version };
    }
    summaries.push(summary);
  }
  return { summaries, next: undefined };
}

// Texts are large: few are read ahead.
const PAGE = 32;

function summaryBytes({ text, ranges, added }: SummaryRecord): number {
  return Buffer.byteLength(text) + (ranges.length + added.length) * RUN_BYTES;
}

/** Checks what a plan does to summaries. Throws an Error that names the fault. */
export function checkSummaries(
  core: Core,
  plan: SummaryPlan | undefined,
  base: { readonly newest: number; readonly logNo: number | undefined },
): void {
  if (plan === undefined) return;
  const { newest, logNo } = base;
  const has = (version: number): boolean =>
    logNo !== undefined && readSummary(core, logNo, version, "pending") !== undefined;
  const fault = summaryPlanFault(plan, { newest, has });
  if (fault !== undefined) throw unsound(fault);
}

/** Applies what a plan does to the summaries of a log. */
export function saveSummaries(core: Core, logNo: number, plan: SummaryPlan | undefined): void {
  for (const version of plan?.remove ?? []) {
    core.memtable.set(SUMMARY.key(logNo, version), null);
  }
  const put = plan?.put ?? [];
  for (const summary of plan?.replace === undefined ? put : [plan.replace, ...put]) {
    SUMMARY.put(core, SUMMARY.key(logNo, summary.version), summary);
  }
}
