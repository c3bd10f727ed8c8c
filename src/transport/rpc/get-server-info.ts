import {
  type GetServerInfoRequest,
  GetServerInfoResponse,
} from "../../gen/memorysidecar/v1/admin_service.ts";
import { CAPABILITIES, publicLimits } from "../convert/server-info.ts";
import { toTimestamp } from "../convert/time.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** GetServerInfo. */
export const getServerInfo: UnaryRpc<GetServerInfoRequest> = {
  handle: async ({ services, server }) => {
    const store = services.admin.storeInfo();
    return encodeWire(GetServerInfoResponse, {
      version: server.version,
      storeId: store.storeId,
      storeFormat: store.storeFormat,
      capabilities: [...CAPABILITIES],
      limits: publicLimits(),
      startTime: toTimestamp(server.startMs),
    });
  },
};
