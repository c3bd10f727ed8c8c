import {
  type ListHooksRequest,
  ListHooksResponse,
} from "../../gen/memorysidecar/v1/admin_service.ts";
import { toHook } from "../convert/hook.ts";
import { pageLimit } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

const PAGE_SIZE_DEFAULT = 100;

/** ListHooks. The position of a page token is the last name of the page before. */
export const listHooks: UnaryRpc<ListHooksRequest> = {
  handle: async ({ services, pageTokens }, call, { namespace, pageSize, pageToken }) => {
    const { hooks, next } = await services.hooks.listHooks(call, {
      namespace: fromNamespace(namespace),
      after: pageToken === "" ? "" : pageTokens.read(call.digest, pageToken),
      limit: pageLimit(pageSize, PAGE_SIZE_DEFAULT),
    });
    return encodeWire(ListHooksResponse, {
      hooks: hooks.map(toHook),
      nextPageToken: next === undefined ? "" : pageTokens.make(call.digest, next),
    });
  },
};
