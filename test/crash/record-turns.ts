// Records that change together with appends: the log of the session tells what they must be.

import { recordId } from "../../src/records/rules/record.ts";
import type { Store } from "../../src/store/store.ts";
import type { RecordChanges } from "../support/store/action-types.ts";
import { textOf } from "../support/store/plans.ts";

/** The session, and the first segment of the paths of its records. */
export const TURNS = "turns";

/** The records that are left by the changes of the log, by id: their texts. */
export async function recordsToldBy(store: Store): Promise<ReadonlyMap<string, string>> {
  const told = new Map<string, string>();
  let firstSeq: number | undefined = 1;
  while (firstSeq !== undefined) {
    const query = { firstSeq, lastSeq: 1e9, order: "asc", limit: 500 } as const;
    const page = await store.listMessages({ namespace: "default", sessionId: TURNS }, query);
    for (const { bytes } of page?.messages ?? []) {
      const { put, remove } = JSON.parse(textOf(bytes)) as RecordChanges;
      for (const name of remove) told.delete(recordId(name));
      for (const draft of put) told.set(recordId(draft), draft.text);
    }
    firstSeq = page?.next;
  }
  return told;
}
