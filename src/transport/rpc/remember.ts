import { ConflictMode } from "../../gen/memorysidecar/v1/memory.ts";
import {
  type RememberRequest,
  RememberResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { toMemoryDraft } from "../convert/memory.ts";
import { fromConflict, fromDedupe, toRememberResponse } from "../convert/remember.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkRemember } from "../validate/memory-requests.ts";

/** Remember. */
export const remember: UnaryRpc<RememberRequest> = {
  validate: checkRemember,
  // A hook is waited for; all else is one decision.
  cancelable: ({ conflict }) => conflict?.mode === ConflictMode.ASK_HOOK,
  handle: ({ services }, call, request) =>
    services.memories.remember(call, {
      namespace: fromNamespace(request.namespace),
      drafts: request.memories.map(toMemoryDraft),
      dedupe: fromDedupe(request.dedupe),
      conflict: fromConflict(request.conflict),
      maxMemories: request.maxMemories,
      neutralizePromptMarkers: request.neutralizePromptMarkers,
      reason: request.reason,
      encode: (result) => encodeWire(RememberResponse, toRememberResponse(result)),
    }),
};
