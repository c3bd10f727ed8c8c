import {
  type ReinforceMemoriesRequest,
  ReinforceMemoriesResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { encodeMemory } from "../convert/memory.ts";
import { fillPage } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";
import { checkReinforceMemories } from "../validate/memory-requests.ts";

const AMOUNT_DEFAULT = 0.1;
const MEMORIES_FIELD = 1;

/** ReinforceMemories. The answer ends where a page does. */
export const reinforceMemories: UnaryRpc<ReinforceMemoriesRequest> = {
  validate: checkReinforceMemories,
  handle: ({ services, etags }, call, { namespace, memoryIds, amount, allowMissing }) =>
    services.memories.reinforceMemories(call, {
      namespace: fromNamespace(namespace),
      memoryIds,
      amount: amount ?? AMOUNT_DEFAULT,
      allowMissing,
      encode: ({ memories, revision }) => {
        const answer = { memories: [], revision: BigInt(revision) };
        const rest = encodeWire(ReinforceMemoriesResponse, answer);
        return spliceField(
          MEMORIES_FIELD,
          fillPage(memories, (memory) => encodeMemory(memory, etags)),
          rest,
        );
      },
    }),
};
