// The rules of AssembleContext.

import { CONTEXT_PROFILES, contextProfile } from "../../domain/context/profiles.ts";
import { CONTEXT_SECTION_KINDS } from "../../domain/context/types.ts";
import { LIMITS } from "../../domain/limits.ts";
import { TokenRule } from "../../gen/memorysidecar/v1/policy.ts";
import {
  ContextFence,
  type ContextSection,
  ContextSectionKind,
} from "../../gen/memorysidecar/v1/recall.ts";
import type { AssembleContextRequest } from "../../gen/memorysidecar/v1/recall_service.ts";
import {
  checkCount,
  checkEnum,
  checkId,
  checkNamespace,
  checkRange,
  checkText,
  checkTimestamp,
} from "./fields.ts";
import { checkTokenRule } from "./policy.ts";
import { checkWeights } from "./recall-requests.ts";
import { checkOptionalScope } from "./scope.ts";
import type { Violations } from "./violations.ts";

const SHARE = { min: 0, max: 1 };
const TOKENS = { min: 0, max: LIMITS.contextTokens };
const ITEMS = { min: 0, max: LIMITS.contextItems };
const CHARS = { min: LIMITS.contextSectionCharsMin, max: LIMITS.contextSectionChars };

export function checkAssembleContext(request: AssembleContextRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkId(v, "session_id", request.sessionId, LIMITS.sessionIdBytes);
  checkOptionalScope(v, request.scope);
  checkText(v, "query", request.query, LIMITS.recallQueryBytes);
  checkRange(v, "max_tokens", request.maxTokens, TOKENS);
  checkTokenRule(v, request);
  if (request.tokenRule === TokenRule.GIVEN) v.add("token_rule", "must not be TOKEN_RULE_GIVEN");
  checkText(v, "model", request.model, LIMITS.modelBytes);
  checkSections(v, request.sections);
  if (contextProfile(request.profile) === undefined) {
    v.add("profile", `must be empty or one of ${CONTEXT_PROFILES.join(", ")}`);
  }
  checkEnum(v, "fence", request.fence, ContextFence);
  const { compactionThreshold: threshold, minRelevance } = request;
  if (threshold !== undefined && !(threshold > 0 && threshold <= 1)) {
    v.add("compaction_threshold", "must be above 0 and at most 1", threshold > 0 ? 1 : 0);
  }
  if (minRelevance !== undefined) checkRange(v, "min_relevance", minRelevance, SHARE);
  checkWeights(v, request.weights);
  checkTimestamp(v, "reference_time", request.referenceTime);
}

function checkSections(v: Violations, sections: readonly ContextSection[]): void {
  checkCount(v, "sections", sections.length, CONTEXT_SECTION_KINDS.length);
  const kinds = new Set<number>();
  for (const [index, section] of sections.entries()) {
    if (v.full) return;
    v.enterItem("sections", index);
    checkSection(v, section);
    if (kinds.has(section.kind)) v.add("kind", "is that of an earlier section");
    kinds.add(section.kind);
    v.leaveItem();
  }
}

function checkSection(v: Violations, section: ContextSection): void {
  const { kind, share, limit, heading, maxChars } = section;
  if (kind === 0) v.add("kind", "is required");
  else checkEnum(v, "kind", kind, ContextSectionKind);
  if (share !== undefined) checkRange(v, "share", share, SHARE);
  checkRange(v, "limit", limit, ITEMS);
  if (heading !== undefined) checkText(v, "heading", heading, LIMITS.contextHeadingBytes);
  if (maxChars !== 0) checkRange(v, "max_chars", maxChars, CHARS);
}
