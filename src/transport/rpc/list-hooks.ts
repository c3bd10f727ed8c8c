import {
  type ListHooksRequest,
  ListHooksResponse,
} from "../../gen/memorysidecar/v1/admin_service.ts";
import { toHook } from "../convert/hook.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkListHooks } from "../validate/task-requests.ts";

/** ListHooks. */
export const listHooks: UnaryRpc<ListHooksRequest> = {
  validate: checkListHooks,
  handle: async ({ services }, call, { namespace }) => {
    const hooks = await services.hooks.listHooks(call, fromNamespace(namespace));
    return encodeWire(ListHooksResponse, { hooks: hooks.map(toHook) });
  },
};
