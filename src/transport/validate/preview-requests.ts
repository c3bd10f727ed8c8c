// The rules of the requests that ask what policies would do.

import { PreviewSource, StageOn } from "../../gen/memorysidecar/v1/policy.ts";
import type { PreviewPolicyRequest } from "../../gen/memorysidecar/v1/session_service.ts";
import { checkEnum, checkNamespace, checkSessionId } from "./fields.ts";
import { checkPolicyChoices } from "./policy.ts";
import { checkSignals } from "./signals.ts";
import type { Violations } from "./violations.ts";

export function checkPreviewPolicy(request: PreviewPolicyRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkSessionId(v, request.sessionId);
  checkPolicyChoices(v, "policies", request.policies);
  for (const [index, occasion] of request.occasions.entries()) {
    if (v.full) break;
    const field = `occasions[${index}]`;
    if (occasion === 0) v.add(field, "must not be STAGE_ON_UNSPECIFIED");
    else checkEnum(v, field, occasion, StageOn);
  }
  checkEnum(v, "source", request.source, PreviewSource);
  checkSignals(v, request);
}
