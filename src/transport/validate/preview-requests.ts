// The rules of the requests that ask what policies would do.

import type { PreviewPolicyRequest } from "../../gen/memorysidecar/v1/session_service.ts";
import { checkPolicyChoices } from "./policy.ts";
import type { Violations } from "./violations.ts";

export function checkPreviewPolicy(request: PreviewPolicyRequest, v: Violations): void {
  checkPolicyChoices(v, "policies", request.policies);
}
