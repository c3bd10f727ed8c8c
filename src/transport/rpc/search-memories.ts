import { LIMITS } from "../../domain/limits.ts";
import type { SearchMemoriesRequest } from "../../gen/memorysidecar/v1/memory_service.ts";
import { MemoryMatch, MemoryScoring as Scoring } from "../../gen/memorysidecar/v1/recall.ts";
import type { MemoryScoring } from "../../service/memory-api.ts";
import { toMemory } from "../convert/memory.ts";
import { fromMemoryFilter } from "../convert/memory-filter.ts";
import { fillPage } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { fromTimestamp } from "../convert/time.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";
import { checkSearchMemories } from "../validate/memory-query-requests.ts";

const MATCHES_FIELD = 1;

const SCORINGS: Readonly<Partial<Record<number, MemoryScoring>>> = {
  [Scoring.OVERLAP]: "overlap",
  [Scoring.WORD_COUNT]: "word-count",
  [Scoring.SUBSTRING]: "substring",
};

/** SearchMemories. What would take the answer beyond a page is left out, but never the best. */
export const searchMemories: UnaryRpc<SearchMemoriesRequest> = {
  validate: checkSearchMemories,
  cancelable: true,
  handle: async ({ services }, call, { referenceTime, ...request }) => {
    const matches = await services.memories.searchMemories(call, {
      namespace: fromNamespace(request.namespace),
      query: request.query,
      filter: fromMemoryFilter(request.filter),
      scoring: SCORINGS[request.scoring] ?? "recall",
      limit: request.limit ?? LIMITS.searchMemoriesDefault,
      minScore: request.minScore,
      referenceMs: referenceTime === undefined ? undefined : fromTimestamp(referenceTime),
      episodeDays: request.episodeDays,
    });
    const shown = fillPage(matches, ({ memory, score }) =>
      encodeWire(MemoryMatch, { memory: toMemory(memory), score }),
    );
    return spliceField(MATCHES_FIELD, shown, new Uint8Array(0));
  },
};
