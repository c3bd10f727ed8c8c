// Every table of the index.

import { type AnyTable, Table } from "../engine/table.ts";
import * as documents from "./document-tables.ts";
import * as erasures from "./erasure-tables.ts";
import * as events from "./event-tables.ts";
import * as memories from "./memory-tables.ts";
import * as records from "./records.ts";
import * as logs from "./session-tables.ts";
import { SESSION } from "./session-tables.ts";
import * as tasks from "./task-tables.ts";

/** By the first byte of their keys. */
const BY_ID: (AnyTable | undefined)[] = [];

for (const of of [
  SESSION,
  ...[documents, erasures, events, logs, memories, records, tasks].flatMap(Object.values),
]) {
  if (of instanceof Table) BY_ID[of.id.charCodeAt(0)] = of;
}

/** The tables by rising first byte. */
export const TABLES: readonly AnyTable[] = BY_ID.filter((table) => table !== undefined);

/** The table of a key; undefined when there is none. */
export function tableOf(key: string): AnyTable | undefined {
  return BY_ID[key.charCodeAt(0)];
}

/** The bucket in which the memtable keeps a key in order. */
export function bucketOf(key: string): string | undefined {
  return BY_ID[key.charCodeAt(0)]?.bucket?.(key);
}

/** The tables whose rows go with a log, those first whose rows name bodies among the messages. */
export const LOG_TABLES: readonly AnyTable[] = [
  ...TABLES.filter(({ under, bodyNo }) => under === "log" && bodyNo !== undefined),
  ...TABLES.filter(({ under, bodyNo }) => under === "log" && bodyNo === undefined),
];
