// What the steps of one recall share.

import { LIMITS } from "../../domain/limits.ts";
import type { IndexAnswer, IndexQuery, RecallIndex } from "../../recall/port.ts";
import type { Call } from "../call.ts";
import type { RecallInput } from "../recall-api.ts";
import type { RecallParts } from "./parts.ts";
import type { HitReader } from "./read-hits.ts";

/** A recall under way. */
export interface Recall {
  readonly parts: RecallParts;
  readonly call: Call;
  readonly input: RecallInput;
  readonly index: RecallIndex;
  readonly reader: HitReader;
  /** The query but for its place in the list. */
  readonly query: Omit<IndexQuery, "offset" | "limit">;
}

/** Asks the index for a part of the list. */
export function askIndex(
  { index, input, query }: Recall,
  place: { readonly offset: number; readonly limit: number },
): Promise<IndexAnswer> {
  return index.search(input.namespace, { ...query, ...place });
}

/** What an answer may take. */
export const PAGE_BYTES = LIMITS.pageBytes;
