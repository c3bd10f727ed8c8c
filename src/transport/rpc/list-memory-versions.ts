import {
  type ListMemoryVersionsRequest,
  ListMemoryVersionsResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { encodeMemory } from "../convert/memory.ts";
import { fillPage, pageLimit } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import { numberPosition } from "../page-token.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";

const PAGE_SIZE_DEFAULT = 100;
const REVISIONS_FIELD = 1;

/** ListMemoryVersions. The position of a page token is the number of the last state. */
export const listMemoryVersions: UnaryRpc<ListMemoryVersionsRequest> = {
  handle: async ({ services, etags, pageTokens }, call, { pageToken, ...request }) => {
    const { revisions, next } = await services.memories.listMemoryVersions(call, {
      namespace: fromNamespace(request.namespace),
      memoryId: request.memoryId,
      before: pageToken === "" ? 0 : numberPosition(pageTokens.read(call.digest, pageToken)),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
    });
    const shown = fillPage(revisions, (memory) => encodeMemory(memory, etags));
    const isCut = shown.length < revisions.length;
    const position = isCut ? revisions[shown.length - 1]?.version : next;
    const nextPageToken =
      position === undefined ? "" : pageTokens.make(call.digest, String(position));
    const rest = encodeWire(ListMemoryVersionsResponse, { versions: [], nextPageToken });
    return spliceField(REVISIONS_FIELD, shown, rest);
  },
};
