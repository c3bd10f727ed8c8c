// The rules of the requests that ask what policies would do.

import type { PreviewPolicyRequest } from "../../gen/memorysidecar/v1/session_service.ts";
import { checkEnum, checkNamespace, checkSessionId } from "./fields.ts";
import { checkPolicies } from "./policy.ts";
import { checkSignals } from "./signals.ts";
import type { Violations } from "./violations.ts";

/** The highest number of each enum of these requests. */
export const PREVIEW_ENUM_MAX = { stageOn: 4, previewSource: 2 } as const;

export function checkPreviewPolicy(request: PreviewPolicyRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkSessionId(v, request.sessionId);
  checkPolicies(v, "policies", request.policies);
  for (const [index, occasion] of request.occasions.entries()) {
    if (v.full) break;
    const field = `occasions[${index}]`;
    if (occasion === 0) v.add(field, "must not be STAGE_ON_UNSPECIFIED");
    else checkEnum(v, field, occasion, PREVIEW_ENUM_MAX.stageOn);
  }
  checkEnum(v, "source", request.source, PREVIEW_ENUM_MAX.previewSource);
  checkSignals(v, request);
}
