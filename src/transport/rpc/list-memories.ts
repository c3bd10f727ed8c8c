import { MemoryOrder as Order } from "../../gen/memorysidecar/v1/memory.ts";
import {
  type ListMemoriesRequest,
  ListMemoriesResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import type { MemoryOrder } from "../../service/memory-api.ts";
import { encodeMemory } from "../convert/memory.ts";
import { fromMemoryFilter } from "../convert/memory-filter.ts";
import { fillPage, pageLimit } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { floorTimestamp } from "../convert/time.ts";
import { encodeWire } from "../fast-writer.ts";
import { numberPosition } from "../page-token.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";
import { checkListMemories } from "../validate/memory-requests.ts";

const PAGE_SIZE_DEFAULT = 100;
const MEMORIES_FIELD = 1;

const ORDERS: Readonly<Partial<Record<number, MemoryOrder>>> = {
  [Order.CREATE_TIME_DESC]: "newest",
  [Order.IMPORTANCE_DESC]: "importance",
  [Order.CONFIDENCE_DESC]: "confidence",
  [Order.LAST_SEEN_TIME_DESC]: "last-seen",
};

/**
 * ListMemories. The position of a page token is the number of the last memory for the orders of
 * time, else how many memories were shown.
 */
export const listMemories: UnaryRpc<ListMemoriesRequest> = {
  validate: checkListMemories,
  cancelable: true,
  handle: async ({ services, etags, pageTokens }, call, { pageToken, asOfTime, ...request }) => {
    const order = ORDERS[request.order] ?? "oldest";
    const after = pageToken === "" ? 0 : numberPosition(pageTokens.read(call.digest, pageToken));
    const { memories, next } = await services.memories.listMemories(call, {
      namespace: fromNamespace(request.namespace),
      filter: fromMemoryFilter(request.filter),
      asOfMs: asOfTime === undefined ? undefined : floorTimestamp(asOfTime),
      order,
      after,
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
    });
    const shown = fillPage(memories, (memory) => encodeMemory(memory, etags));
    const isOfTime = order === "oldest" || order === "newest";
    const cut = isOfTime ? memories[shown.length - 1]?.memoryNo : after + shown.length;
    const position = shown.length < memories.length ? cut : next;
    const nextPageToken =
      position === undefined ? "" : pageTokens.make(call.digest, String(position));
    const rest = encodeWire(ListMemoriesResponse, { memories: [], nextPageToken });
    return spliceField(MEMORIES_FIELD, shown, rest);
  },
};
