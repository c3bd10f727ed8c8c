// Tasks of formats 1 and 2 move to the keys of this format when a store is opened.
//
// Up to format 2 a task stood under its number alone, which was unique in the store. The move is
// made of ordinary changes, a few tasks in each commit: what is not moved when the process is
// killed is moved at the next start, and the task tables show nothing between.

import { encodeText } from "./codec.ts";
import { type Core, rangeIndex } from "./core.ts";
import { afterPrefix, oldDueAtKey, TABLE, taskKey } from "./keys.ts";
import { decodeTask, encodeTask, type TaskRow } from "./task-codec.ts";
import { dueKeys } from "./tasks.ts";

const STEP = 64;

/** Moves all tasks that stand under the keys of older formats. */
export async function moveOldTasks(core: Core): Promise<void> {
  for (let from: string | undefined = TABLE.oldTask; from !== undefined; ) {
    from = moveSome(core, from);
    await core.writer.whenDurable();
  }
}

/** Moves a few tasks; gives where the next ones begin, undefined at the end. */
function moveSome(core: Core, from: string): string | undefined {
  const range = { start: from, end: afterPrefix(TABLE.oldTask), page: STEP };
  let looked = 0;
  for (const { key, payload } of rangeIndex(core, "committed", range)) {
    if (looked >= STEP) {
      return key;
    }
    looked++;
    let row: TaskRow;
    try {
      row = decodeTask(payload);
    } catch {
      // Damage in one task does not keep the store from opening; verify reports it.
      continue;
    }
    moveTask(core, key, row);
  }
  return undefined;
}

function moveTask({ memtable }: Core, oldKey: string, row: TaskRow): void {
  const { hook, dueMs, namespace, taskNo } = row.task;
  const key = taskKey(namespace, taskNo);
  memtable.set(key, encodeTask(key, row));
  memtable.set(oldKey, null);
  const [, dueAt] = dueKeys(row.task);
  if (dueAt !== undefined) {
    memtable.set(dueAt, encodeText(dueAt, namespace));
    memtable.set(oldDueAtKey(hook, dueMs, taskNo), null);
  }
}
