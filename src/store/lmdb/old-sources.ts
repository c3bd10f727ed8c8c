// Memories of formats 2 and 3 are listed under the messages that they name when a store is opened.
//
// In ordinary changes, some memories in each commit, and then that all are listed: what is not
// listed when the process is killed is listed at the next start.

import { afterPrefix } from "../engine/keys.ts";
import { rangeIndex } from "../engine/reads.ts";
import { NOTHING } from "../engine/table.ts";
import type { Core } from "../tables/core.ts";
import { bodyOf, readMemoryRow } from "../tables/memories.ts";
import { sourceKeysOf } from "../tables/memory-index.ts";
import { MEMORIES } from "../tables/memory-tables.ts";

const STEP = 1_024;

/** Lists all memories that older versions wrote. */
export async function listOldSources(core: Core): Promise<void> {
  const range = { start: MEMORIES.id, end: afterPrefix(MEMORIES.id) };
  const unlisted = [...rangeIndex(core, "committed", range)]
    .filter(({ payload }) => MEMORIES.decode(payload).sourcesListed === 0)
    .map(({ key }) => key);
  for (const key of unlisted) {
    const row = MEMORIES.get(core, key, "pending");
    if (row === undefined) continue;
    for (let first = 1; first < row.nextMemoryNo; first += STEP) {
      listSome(core, row.logNo, first, Math.min(first + STEP, row.nextMemoryNo));
      await core.writer.whenDurable();
    }
    MEMORIES.put(core, key, { ...row, sourcesListed: 1 });
    await core.writer.whenDurable();
  }
}

function listSome(core: Core, logNo: number, first: number, end: number): void {
  const log = { core, visibility: "pending", logNo } as const;
  for (let memoryNo = first; memoryNo < end; memoryNo++) {
    try {
      const row = readMemoryRow(log, memoryNo);
      const source = row && bodyOf(log, memoryNo, row).source;
      for (const key of source === undefined ? [] : sourceKeysOf({ logNo, memoryNo }, source)) {
        core.memtable.set(key, NOTHING.encode(key, true));
      }
    } catch {
      // Damage in one memory does not keep the store from opening; verify reports it.
    }
  }
}
