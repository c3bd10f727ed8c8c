import { FoundRelation } from "../../gen/memorysidecar/v1/memory.ts";
import {
  type QueryRelationsRequest,
  QueryRelationsResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import type { RelationPlace } from "../../service/memory-api.ts";
import { toMemory } from "../convert/memory.ts";
import { fromMemoryFilter } from "../convert/memory-filter.ts";
import { fillPage, pageLimit } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import { numberPosition } from "../page-token.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";
import { checkQueryRelations } from "../validate/memory-query-requests.ts";

const PAGE_SIZE_DEFAULT = 100;
const RELATIONS_FIELD = 1;

/** Reads the position of a page token: the place of the last relation that was shown. */
function placeAt(position: string): RelationPlace {
  const [hop = "", memoryNo = ""] = position.split(" ");
  return { hop: numberPosition(hop), memoryNo: numberPosition(memoryNo) };
}

/** QueryRelations. */
export const queryRelations: UnaryRpc<QueryRelationsRequest> = {
  validate: checkQueryRelations,
  cancelable: true,
  handle: async ({ services, etags, pageTokens }, call, { maxHops, pageToken, ...request }) => {
    const { subject = "", predicate = "", objectValue: object = "", entity = "" } = request;
    const found = await services.memories.queryRelations(call, {
      namespace: fromNamespace(request.namespace),
      filter: fromMemoryFilter(request.filter),
      ...{ subject, predicate, object, entity, keywords: request.keywords },
      maxHops: maxHops === 0 ? 1 : maxHops,
      after: pageToken === "" ? undefined : placeAt(pageTokens.read(call.digest, pageToken)),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
    });
    const { relations, truncated } = found;
    const shown = fillPage(relations, ({ memory, hop }) =>
      encodeWire(FoundRelation, { memory: toMemory(memory, etags), hop }),
    );
    const last = relations[shown.length - 1];
    const hasMore = found.hasMore || shown.length < relations.length;
    const nextPageToken =
      hasMore && last !== undefined
        ? pageTokens.make(call.digest, `${last.hop} ${last.memory.memoryNo}`)
        : "";
    const rest = encodeWire(QueryRelationsResponse, { relations: [], nextPageToken, truncated });
    return spliceField(RELATIONS_FIELD, shown, rest);
  },
};
