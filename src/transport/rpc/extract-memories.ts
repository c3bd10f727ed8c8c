import {
  type ExtractMemoriesRequest,
  ExtractMemoriesResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { encodeMemory } from "../convert/memory.ts";
import { fromExtraction, fromImportanceRules } from "../convert/memory-policy.ts";
import { fillPage } from "../convert/page.ts";
import { fromMemoryScope } from "../convert/scope.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";
import { checkExtractMemories } from "../validate/memory-query-requests.ts";

const MEMORIES_FIELD = 1;

/** ExtractMemories. The answer ends where a page does. */
export const extractMemories: UnaryRpc<ExtractMemoriesRequest> = {
  validate: checkExtractMemories,
  cancelable: true,
  handle: ({ services, etags }, call, { extraction, ...request }) =>
    services.memories.extractMemories(call, {
      namespace: fromNamespace(request.namespace),
      sessionId: request.sessionId,
      firstSeq: Number(request.firstSeq),
      lastSeq: Number(request.lastSeq),
      text: request.text,
      scope: fromMemoryScope(request.scope),
      extraction: extraction === undefined ? undefined : fromExtraction(extraction),
      preview: request.preview,
      importanceRules: fromImportanceRules(request.importanceRules),
      encode: ({ memories, scores, revision, ...counts }) => {
        const rest = encodeWire(ExtractMemoriesResponse, {
          ...{ memories: [], ...counts, scores: [...scores], revision: BigInt(revision) },
        });
        const shown = fillPage(memories, (memory) => encodeMemory(memory, etags));
        return spliceField(MEMORIES_FIELD, shown, rest);
      },
    }),
};
