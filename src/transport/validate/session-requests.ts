// The rules of the requests about sessions and their windows, one function each.

import { LIMITS } from "../../domain/limits.ts";
import {
  type Session,
  type SessionFilter,
  SessionOrder,
} from "../../gen/memorysidecar/v1/session.ts";
import type {
  CreateSessionRequest,
  DeleteSessionRequest,
  ForkSessionRequest,
  GetSessionRequest,
  GetWindowRequest,
  ListSessionsRequest,
  ResetSessionRequest,
  UpdateSessionRequest,
} from "../../gen/memorysidecar/v1/session_service.ts";
import {
  checkEnum,
  checkId,
  checkLabels,
  checkNamespace,
  checkPage,
  checkRange,
  checkRequestId,
  checkRequiredId,
  checkSeq,
  checkSessionId,
  checkStruct,
  checkText,
  checkTimestamp,
  checkTtl,
} from "./fields.ts";
import { checkMask, SESSION_MASK } from "./mask.ts";
import { checkMemoryPolicy } from "./memory-policy.ts";
import { checkPolicyChoice } from "./policy.ts";
import type { Violations } from "./violations.ts";

const NEWEST = { min: 1, max: LIMITS.windowMessages };

/** What of a session a caller may set; the rest is ignored. */
export function checkSessionInput(v: Violations, session: Session): void {
  checkText(v, "user_id", session.userId, LIMITS.userIdBytes);
  checkText(v, "agent_id", session.agentId, LIMITS.agentIdBytes);
  checkLabels(v, session.labels);
  checkStruct(v, "metadata", session.metadata, LIMITS.metadataBytes);
  checkPolicyChoice(v, session.policy);
  checkTtl(v, "ttl", session.ttl);
  checkMemoryPolicy(v, session.memoryPolicy);
  if (session.summary !== undefined) {
    v.enter("summary");
    checkText(v, "text", session.summary.text, LIMITS.summaryBytes);
    v.leave();
  }
}

export function checkCreateSession(request: CreateSessionRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  if (request.session !== undefined) {
    v.enter("session");
    checkId(v, "session_id", request.session.sessionId, LIMITS.sessionIdBytes);
    checkSessionInput(v, request.session);
    v.leave();
  }
  checkRequestId(v, request.requestId);
}

export function checkGetSession(request: GetSessionRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkSessionId(v, request.sessionId);
}

export function checkListSessions(request: ListSessionsRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  if (request.filter !== undefined) {
    v.enter("filter");
    checkSessionFilter(v, request.filter);
    v.leave();
  }
  checkEnum(v, "order", request.order, SessionOrder);
  checkPage(v, request);
}

export function checkSessionFilter(v: Violations, filter: SessionFilter): void {
  checkText(v, "user_id", filter.userId, LIMITS.userIdBytes);
  checkText(v, "agent_id", filter.agentId, LIMITS.agentIdBytes);
  checkLabels(v, filter.labels);
  checkTimestamp(v, "create_time_from", filter.createTimeFrom);
  checkTimestamp(v, "create_time_before", filter.createTimeBefore);
  checkTimestamp(v, "update_time_from", filter.updateTimeFrom);
  checkTimestamp(v, "update_time_before", filter.updateTimeBefore);
}

export function checkUpdateSession(request: UpdateSessionRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  if (request.session === undefined) v.add("session", "is required");
  else {
    v.enter("session");
    checkSessionId(v, request.session.sessionId);
    checkSessionInput(v, request.session);
    v.leave();
  }
  checkMask(v, request.updateMask, SESSION_MASK);
  checkRequestId(v, request.requestId);
}

export function checkDeleteSession(request: DeleteSessionRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkSessionId(v, request.sessionId);
  checkRequestId(v, request.requestId);
}

export function checkForkSession(request: ForkSessionRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkRequiredId(v, "source_session_id", request.sourceSessionId, LIMITS.sessionIdBytes);
  if (request.atSeq !== undefined) checkSeq(v, "at_seq", request.atSeq);
  checkId(v, "session_id", request.sessionId, LIMITS.sessionIdBytes);
  checkRequestId(v, request.requestId);
}

export function checkResetSession(request: ResetSessionRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkSessionId(v, request.sessionId);
  checkRequestId(v, request.requestId);
}

export function checkGetWindow(request: GetWindowRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkSessionId(v, request.sessionId);
  checkPolicyChoice(v, request.policy);
  if (request.asOfSeq !== undefined) checkSeq(v, "as_of_seq", request.asOfSeq);
  if (request.newest !== undefined) checkRange(v, "newest", request.newest, NEWEST);
}

/** Gives the session of a checked update. */
export function requiredSession(request: UpdateSessionRequest): Session {
  if (request.session === undefined) throw new Error("the request was not checked");
  return request.session;
}
