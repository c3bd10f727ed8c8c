// The rules of AssembleContext.

import { CONTEXT_PROFILES, contextProfile } from "../../domain/context/profiles.ts";
import { TokenRule } from "../../gen/memorysidecar/v1/policy.ts";
import type { ContextSection } from "../../gen/memorysidecar/v1/recall.ts";
import type { AssembleContextRequest } from "../../gen/memorysidecar/v1/recall_service.ts";
import { checkTokenRule } from "./policy.ts";
import { checkWeights } from "./recall-requests.ts";
import type { Violations } from "./violations.ts";

export function checkAssembleContext(request: AssembleContextRequest, v: Violations): void {
  if (request.tokenRule === TokenRule.GIVEN) v.add("token_rule", "must not be TOKEN_RULE_GIVEN");
  checkTokenRule(v, request);
  checkSections(v, request.sections);
  if (contextProfile(request.profile) === undefined) {
    v.add("profile", `must be empty or one of ${CONTEXT_PROFILES.join(", ")}`);
  }
  checkWeights(v, request.weights);
}

function checkSections(v: Violations, sections: readonly ContextSection[]): void {
  const kinds = new Set<number>();
  for (const [index, section] of sections.entries()) {
    if (v.full) return;
    v.enterItem("sections", index);
    if (kinds.has(section.kind)) v.add("kind", "is that of an earlier section");
    kinds.add(section.kind);
    v.leaveItem();
  }
}
