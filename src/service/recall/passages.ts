// The passages of a record. Those of a long one are found in the thread of the index: a megabyte of
// text takes a tenth of a second, in which no write could be answered.

import type { RecallKind } from "../../domain/recall/filter.ts";
import { passageTexts } from "../../recall/passage-texts.ts";
import { readRecord } from "../../recall/read-record.ts";
import type { RecallParts } from "./parts.ts";

/** Records of more bytes are long. */
const LONG_BYTES = 16_384;

/** The texts of the passages of a record, in order, at least one. */
export async function passagesOf(
  { codec, keeper }: RecallParts,
  kind: RecallKind,
  bytes: Uint8Array,
): Promise<readonly string[]> {
  if (bytes.length > LONG_BYTES) return await keeper.index.passages(kind, bytes);
  return passageTexts(readRecord(codec, kind, bytes)).map(({ vector }) => vector);
}
