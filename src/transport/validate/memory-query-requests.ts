// The rules of the requests that record turns and find facts, one function each.

import { LIMITS } from "../../domain/limits.ts";
import type {
  ConsolidateSessionRequest,
  ExtractMemoriesRequest,
  QueryRelationsRequest,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import {
  checkId,
  checkNamespace,
  checkPage,
  checkRange,
  checkRequestId,
  checkSeq,
  checkSessionId,
  checkText,
} from "./fields.ts";
import { checkTexts } from "./memory.ts";
import { checkMemoryFilter } from "./memory-filter.ts";
import { checkExtraction, checkScoringRules } from "./memory-policy.ts";
import { checkScope } from "./scope.ts";
import type { Violations } from "./violations.ts";

const HOPS = { min: 0, max: LIMITS.relationHops };
const KEYWORDS = { count: LIMITS.relationKeywords, bytes: LIMITS.relationKeywordBytes };

export function checkQueryRelations(request: QueryRelationsRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkMemoryFilter(v, request.filter);
  if (request.filter !== undefined && request.filter.kinds.length > 0) {
    v.add("filter.kinds", "must be empty: only relations are looked at");
  }
  const { subject, predicate, objectValue, entity } = request;
  checkText(v, "subject", subject, LIMITS.relationSubjectBytes);
  checkText(v, "predicate", predicate, LIMITS.relationPredicateBytes);
  checkText(v, "object_value", objectValue, LIMITS.relationObjectBytes);
  checkText(v, "entity", entity, LIMITS.entityNameBytes);
  if (entity !== "" && (subject !== "" || objectValue !== "")) {
    v.add("entity", "must be empty together with subject or object_value");
  }
  checkRange(v, "max_hops", request.maxHops, HOPS);
  checkTexts(v, "keywords", request.keywords, KEYWORDS);
  checkPage(v, request);
}

export function checkConsolidateSession(request: ConsolidateSessionRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkSessionId(v, request.sessionId);
  checkRequestId(v, request.requestId);
}

export function checkExtractMemories(request: ExtractMemoriesRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  const { sessionId, text } = request;
  checkId(v, "session_id", sessionId, LIMITS.sessionIdBytes);
  if (sessionId === "" && text === "") v.add("session_id", "is required, or text");
  else if (sessionId !== "" && text !== "") v.add("text", "must be empty with session_id");
  checkSeqs(v, request);
  checkText(v, "text", text, LIMITS.extractTextBytes);
  checkOwner(v, request);
  checkExtraction(v, request.extraction);
  checkScoringRules(v, request.importanceRules);
  if (!request.preview && request.importanceRules.length > 0) {
    v.add("importance_rules", "must be empty without preview");
  }
  checkRequestId(v, request.requestId);
}

function checkSeqs(v: Violations, { sessionId, firstSeq, lastSeq }: ExtractMemoriesRequest): void {
  checkSeq(v, "first_seq", firstSeq);
  checkSeq(v, "last_seq", lastSeq);
  if (sessionId === "") {
    if (firstSeq !== 0n) v.add("first_seq", "must be 0 without session_id");
    if (lastSeq !== 0n) v.add("last_seq", "must be 0 without session_id");
  } else if (lastSeq !== 0n && lastSeq < firstSeq) {
    v.add("last_seq", "must not be below first_seq");
  }
}

/** Memories of a session belong to its user and agent. */
function checkOwner(v: Violations, { sessionId, scope }: ExtractMemoriesRequest): void {
  if (scope === undefined) return;
  v.enter("scope");
  checkScope(v, scope);
  v.leave();
  if (sessionId !== "") v.add("scope", "must be unset with session_id");
}
