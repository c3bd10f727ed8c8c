// The rules of the requests that record turns and find facts, one function each.

import type {
  ExtractMemoriesRequest,
  QueryRelationsRequest,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { checkMemoryFilter } from "./memory-filter.ts";
import { checkScoringRules } from "./memory-policy.ts";
import type { Violations } from "./violations.ts";

export function checkQueryRelations(request: QueryRelationsRequest, v: Violations): void {
  checkMemoryFilter(v, request.filter);
  if (request.filter !== undefined && request.filter.kinds.length > 0) {
    v.add("filter.kinds", "must be empty: only relations are looked at");
  }
  const { subject, objectValue, entity } = request;
  if (entity !== undefined && (subject !== undefined || objectValue !== undefined)) {
    v.add("entity", "must be unset together with subject or object_value");
  }
}

export function checkExtractMemories(request: ExtractMemoriesRequest, v: Violations): void {
  const { sessionId, text } = request;
  if (sessionId === "" && text === "") v.add("session_id", "is required, or text");
  else if (sessionId !== "" && text !== "") v.add("text", "must be empty with session_id");
  checkSeqs(v, request);
  // Memories of a session belong to its user and agent.
  if (sessionId !== "" && request.scope !== undefined) {
    v.add("scope", "must be unset with session_id");
  }
  checkScoringRules(v, request.importanceRules);
  if (!request.preview && request.importanceRules.length > 0) {
    v.add("importance_rules", "must be empty without preview");
  }
}

function checkSeqs(v: Violations, { sessionId, firstSeq, lastSeq }: ExtractMemoriesRequest): void {
  if (sessionId === "") {
    if (firstSeq !== 0n) v.add("first_seq", "must be 0 without session_id");
    if (lastSeq !== 0n) v.add("last_seq", "must be 0 without session_id");
  } else if (lastSeq !== 0n && lastSeq < firstSeq) {
    v.add("last_seq", "must not be below first_seq");
  }
}
