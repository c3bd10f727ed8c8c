import { LIMITS } from "../../domain/limits.ts";
import { FoundRelation } from "../../gen/memorysidecar/v1/memory.ts";
import {
  type QueryRelationsRequest,
  QueryRelationsResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { toMemory } from "../convert/memory.ts";
import { fromMemoryFilter } from "../convert/memory-filter.ts";
import { fillPage } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";
import { checkQueryRelations } from "../validate/memory-query-requests.ts";

const RELATIONS_FIELD = 1;

/** QueryRelations. What would take the answer beyond a page is left out. */
export const queryRelations: UnaryRpc<QueryRelationsRequest> = {
  validate: checkQueryRelations,
  cancelable: true,
  handle: async ({ services }, call, { maxHops, limit, ...request }) => {
    const { subject, predicate, objectValue: object, entity, keywords } = request;
    const found = await services.memories.queryRelations(call, {
      namespace: fromNamespace(request.namespace),
      filter: fromMemoryFilter(request.filter),
      ...{ subject, predicate, object, entity, keywords },
      maxHops: maxHops === 0 ? 1 : maxHops,
      limit: limit === 0 ? LIMITS.relationsDefault : limit,
    });
    const shown = fillPage(found.relations, ({ memory, hop }) =>
      encodeWire(FoundRelation, { memory: toMemory(memory), hop }),
    );
    const truncated = found.truncated || shown.length < found.relations.length;
    const rest = encodeWire(QueryRelationsResponse, { relations: [], truncated });
    return spliceField(RELATIONS_FIELD, shown, rest);
  },
};
