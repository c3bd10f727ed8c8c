import { hash } from "node:crypto";
import {
  type DecayMemoriesRequest,
  DecayMemoriesResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { fromMemoryFilter } from "../convert/memory-filter.ts";
import { fromNamespace } from "../convert/session.ts";
import { fromOptionalSpan } from "../convert/time.ts";
import { encodeWire } from "../fast-writer.ts";
import { numberPosition } from "../page-token.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkDecayMemories } from "../validate/memory-requests.ts";

const FACTOR_DEFAULT = 0.8;

/** Each page is a change of its own: a request id must not stand for two of them. */
function digestOfPage(digest: Uint8Array, pageToken: string): Uint8Array {
  if (pageToken === "" || digest.length === 0) return digest;
  const page = Buffer.concat([digest, Buffer.from(pageToken)]);
  return hash("sha256", page, "buffer").subarray(0, digest.length);
}

/** DecayMemories. The position of a page token is the number of the last memory. */
export const decayMemories: UnaryRpc<DecayMemoriesRequest> = {
  validate: checkDecayMemories,
  handle: async ({ services, pageTokens }, call, { pageToken, ...request }) => {
    const after = pageToken === "" ? 0 : numberPosition(pageTokens.read(call.digest, pageToken));
    const own = { ...call, digest: digestOfPage(call.digest, pageToken) };
    return services.memories.decayMemories(own, {
      namespace: fromNamespace(request.namespace),
      filter: fromMemoryFilter(request.filter),
      factor: request.factor ?? FACTOR_DEFAULT,
      deleteBelow: request.deleteBelow,
      unseenForMs: fromOptionalSpan(request.unseenFor, 0),
      after,
      encode: ({ decayedCount, deletedIds, next, revision }) =>
        encodeWire(DecayMemoriesResponse, {
          decayedCount,
          deletedMemoryIds: [...deletedIds],
          nextPageToken: next === undefined ? "" : pageTokens.make(call.digest, String(next)),
          revision: BigInt(revision),
        }),
    });
  },
};
