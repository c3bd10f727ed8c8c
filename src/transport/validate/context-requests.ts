// The rules of AssembleContext.

import { CONTEXT_PROFILES, contextProfile } from "../../domain/context/profiles.ts";
import type { AssembleContextRequest } from "../../gen/memorysidecar/v1/recall_service.ts";
import { checkCounting } from "./policy.ts";
import { checkWeights } from "./recall-requests.ts";
import type { Violations } from "./violations.ts";

export function checkAssembleContext(request: AssembleContextRequest, v: Violations): void {
  checkCounting(v, request);
  checkSections(v, request);
  if (contextProfile(request.profile) === undefined) {
    v.add("profile", `must be empty or one of ${CONTEXT_PROFILES.join(", ")}`);
  }
  checkWeights(v, request.weights);
}

function checkSections(v: Violations, { sections, profile }: AssembleContextRequest): void {
  const kinds = new Set<number>();
  for (const [index, section] of sections.entries()) {
    if (v.full) return;
    v.enterItem("sections", index);
    if (kinds.has(section.kind)) v.add("kind", "is that of an earlier section");
    kinds.add(section.kind);
    // It leaves sections out one after the other until the rest fits.
    const { share, firstShare } = section;
    for (const [field, value] of Object.entries({ share, first_share: firstShare })) {
      if (profile !== "selectools" || value === undefined) continue;
      v.add(field, "must be unset with the profile selectools");
    }
    v.leaveItem();
  }
}
