// Former states of memories that are gone. A plan may remove a thousand memories with a thousand
// states each; what is more than one transaction should take is left to upkeep. Nothing leads to a
// state but its memory, and no number is given twice, so nobody sees what waits.

import { decodeNumber, encodeNumber } from "./codec.ts";
import { type Core, decodeRecord, rangeIndex, readIndex } from "./core.ts";
import { afterPrefix, readU64, TABLE } from "./keys.ts";
import { decodeMemory } from "./memory-codec.ts";
import { lastNumber, memoryGoneKey, memoryPastKey } from "./memory-keys.ts";

/** How many former states one change erases; more of them wait for upkeep. */
export const ERASED_AT_ONCE = 1_024;

const STEP = 256;

/** Leaves the former states of a memory that goes to upkeep; they are dense from 1 on. */
export function eraseLater(core: Core, logNo: number, memoryNo: number, states: number): void {
  const key = memoryGoneKey(logNo, memoryNo);
  core.memtable.set(key, states === 0 ? null : encodeNumber(key, states));
}

/** What waits of one memory, and the states that this step takes of it. */
interface Piece {
  readonly logNo: number;
  readonly memoryNo: number;
  /** How many states are left after this step. */
  readonly left: number;
  /** Rows, with the numbers of their bodies. */
  readonly rows: readonly { readonly key: string; readonly bodyNo: number | undefined }[];
}

/** Erases some of the states that wait; true when there may be more. */
export function eraseFormer(core: Core): boolean {
  const { memtable, writer } = core;
  // Read before anything is changed.
  const pieces = nextPieces(core);
  writer.whole(() => {
    for (const { left, logNo, memoryNo, rows } of pieces) {
      for (const { bodyNo, key } of rows) {
        memtable.set(key, null);
        if (bodyNo !== undefined) {
          writer.eraseMessage(bodyNo);
        }
      }
      eraseLater(core, logNo, memoryNo, left);
    }
  });
  if (pieces.length > 0) {
    writer.mark("purging");
  }
  return pieces.length > 0;
}

// The newest states first: those that are left stay dense.
function nextPieces(core: Core): readonly Piece[] {
  const range = { start: TABLE.memoryGone, end: afterPrefix(TABLE.memoryGone), page: 64 };
  const pieces: Piece[] = [];
  let room = STEP;
  for (const { key, payload } of rangeIndex(core, "pending", range)) {
    const states = decodeRecord("erased memory", payload, decodeNumber);
    const left = Math.max(0, states - room);
    const place = { logNo: readU64(key, 1), memoryNo: lastNumber(key) };
    const rows: Piece["rows"][number][] = [];
    for (let no = states; no > left; no--) {
      const past = memoryPastKey(place.logNo, place.memoryNo, no);
      rows.push({ key: past, bodyNo: bodyNoOf(core, past) });
    }
    pieces.push({ ...place, left, rows });
    room -= rows.length;
    if (room <= 0) {
      break;
    }
  }
  return pieces;
}

// A damaged row does not stop the erasing; verify reports its body as unreferenced.
function bodyNoOf(core: Core, key: string): number | undefined {
  try {
    return readIndex(core, key, "pending", decodeMemory)?.bodyNo;
  } catch {
    return undefined;
  }
}
