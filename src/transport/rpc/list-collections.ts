import {
  type ListCollectionsRequest,
  ListCollectionsResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { toCollection } from "../convert/document.ts";
import { pageLimit } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

const PAGE_SIZE_DEFAULT = 100;

/** ListCollections. */
export const listCollections: UnaryRpc<ListCollectionsRequest> = {
  handle: async ({ services, pageTokens }, call, { namespace, pageSize, pageToken }) => {
    const { collections, next } = await services.recall.listCollections(call, {
      namespace: fromNamespace(namespace),
      after: pageToken === "" ? "" : pageTokens.read(call.digest, pageToken),
      limit: pageLimit(pageSize, PAGE_SIZE_DEFAULT),
    });
    return encodeWire(ListCollectionsResponse, {
      collections: collections.map(toCollection),
      nextPageToken: next === undefined ? "" : pageTokens.make(call.digest, next),
    });
  },
};
