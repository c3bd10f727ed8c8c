import { PreviewSource } from "../../gen/memorysidecar/v1/policy.ts";
import {
  type PreviewPolicyRequest,
  PreviewPolicyResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { fromPolicyChoice } from "../convert/policy.ts";
import { fromOccasions, toPreviews } from "../convert/preview.ts";
import { fromNamespace } from "../convert/session.ts";
import { fromSignals } from "../convert/signals.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkPreviewPolicy } from "../validate/preview-requests.ts";

/** PreviewPolicy. */
export const previewPolicy: UnaryRpc<PreviewPolicyRequest> = {
  validate: checkPreviewPolicy,
  cancelable: true,
  handle: async ({ services }, call, request) => {
    const { namespace, sessionId, policies, occasions, source } = request;
    const result = await services.sessions.previewPolicy(call, {
      namespace: fromNamespace(namespace),
      sessionId,
      policies: policies.flatMap((policy) => fromPolicyChoice(policy) ?? []),
      occasions: fromOccasions(occasions),
      source: source === PreviewSource.LOG ? "log" : "window",
      ...fromSignals(request),
    });
    return encodeWire(PreviewPolicyResponse, {
      previews: toPreviews(result.previews),
      lastSeq: BigInt(result.lastSeq),
      revision: BigInt(result.revision),
    });
  },
};
