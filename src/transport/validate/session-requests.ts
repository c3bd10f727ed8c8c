// The rules of the requests about sessions and their windows, one function each.

import type { Session } from "../../gen/memorysidecar/v1/session.ts";
import type {
  CreateSessionRequest,
  GetWindowRequest,
  UpdateSessionRequest,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { checkMask, SESSION_MASK } from "./mask.ts";
import { checkMemoryPolicy } from "./memory-policy.ts";
import { checkPolicyChoice } from "./policy.ts";
import type { Violations } from "./violations.ts";

/** What of a session a caller may set; the rest is ignored. */
export function checkSessionInput(v: Violations, session: Session): void {
  checkPolicyChoice(v, session.policy);
  checkMemoryPolicy(v, session.memoryPolicy);
}

export function checkCreateSession(request: CreateSessionRequest, v: Violations): void {
  if (request.session !== undefined) {
    v.enter("session");
    checkSessionInput(v, request.session);
    v.leave();
  }
}

export function checkUpdateSession(request: UpdateSessionRequest, v: Violations): void {
  if (request.session !== undefined) {
    v.enter("session");
    if (request.session.sessionId === "") v.add("session_id", "is required");
    checkSessionInput(v, request.session);
    v.leave();
  }
  checkMask(v, request.updateMask, SESSION_MASK);
}

export function checkGetWindow(request: GetWindowRequest, v: Violations): void {
  checkPolicyChoice(v, request.policy);
}

/** Gives the session of a checked update. */
export function requiredSession(request: UpdateSessionRequest): Session {
  if (request.session === undefined) throw new Error("the request was not checked");
  return request.session;
}
