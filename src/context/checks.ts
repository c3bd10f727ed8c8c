// The rules of AssembleContext.

import { CONTEXT_PROFILES, contextProfile } from "../compat/profiles.ts";
import { MessageForm } from "../gen/memorysidecar/v1/message.ts";
import { FusionMethod, RecallMode } from "../gen/memorysidecar/v1/recall.ts";
import type { AssembleContextRequest } from "../gen/memorysidecar/v1/recall_service.ts";
import type { Violations } from "../grpc/violations.ts";
import { checkWeights } from "../recall/checks.ts";
import { checkCounting } from "../window/policy-checks.ts";
import { checkBlocks } from "./block-checks.ts";
import { sectionRules } from "./rules/profiles.ts";
import type { ContextSectionKind } from "./rules/types.ts";
import { fromAssembleContext } from "./wire.ts";

export function checkAssembleContext(request: AssembleContextRequest, v: Violations): void {
  checkCounting(v, request);
  checkSections(v, request);
  if (contextProfile(request.profile) === undefined) {
    v.add(
      "profile",
      `must be empty or one of ${CONTEXT_PROFILES.map(({ name }) => name).join(", ")}`,
    );
  }
  if (request.form !== MessageForm.UNSPECIFIED) checkForm(request, v);
  const [mode, fusion] = [RecallMode.HYBRID, FusionMethod.SCORES];
  checkWeights(v, request.weights, { mode, fusion });
  if (v.isEmpty) checkRecalled(v, request);
  if (v.isEmpty) checkBlocks(request, v);
}

/** Checks what contradicts messages beside the text. */
function checkForm(request: AssembleContextRequest, v: Violations): void {
  if (request.excludeConversation) {
    v.add("exclude_conversation", "must be false with form: the messages are the conversation");
  }
  const profile = contextProfile(request.profile);
  if (profile?.pack !== undefined || profile?.summaryAmongMessages === true) {
    const description = "writes the conversation in its own way: leave it out, or leave out form";
    v.add("profile", description);
  }
  const { sections } = fromAssembleContext(request);
  for (const [index, { kind, heading, maxChars }] of sections.entries()) {
    if (kind !== "conversation") continue;
    const description = "has no effect on messages: leave it out";
    if (heading !== undefined) v.add(`sections[${index}].heading`, description);
    if (maxChars !== 0) v.add(`sections[${index}].max_chars`, description);
  }
}

/** The sections of what recall finds: only they have items that fit the query more or less. */
const RECALLED: readonly ContextSectionKind[] = ["recalled-messages", "documents"];
const FITTING: readonly ContextSectionKind[] = ["long-term", ...RECALLED];

/** Checks that what is asked of recall is asked with a section that recalls. */
function checkRecalled(v: Violations, request: AssembleContextRequest): void {
  const { profile, sections } = fromAssembleContext(request);
  const kinds = sectionRules(profile, sections).map(({ kind }) => kind);
  for (const [index, { kind, firstShare = 0 }] of sections.entries()) {
    if (firstShare === 0 || FITTING.includes(kind)) continue;
    const description = "has no effect on this section, in which nothing is by relevance";
    v.add(`sections[${index}].first_share`, `${description}: leave it out`);
  }
  const without = (names: string) => `has no effect on a context without ${names}: leave it out`;
  if (!kinds.some((kind) => FITTING.includes(kind))) {
    const all = without("long-term memory, recalled messages and documents");
    if (request.minRelevance !== undefined) v.add("min_relevance", all);
    if (request.weights !== undefined) v.add("weights", all);
  }
  if (!kinds.includes("documents") && request.collectionIds.length > 0) {
    v.add("collection_ids", without("documents"));
  }
  if (!kinds.some((kind) => RECALLED.includes(kind)) && request.minBestRelevance !== undefined) {
    v.add("min_best_relevance", without("recalled messages and documents"));
  }
}

function checkSections(v: Violations, { sections, profile }: AssembleContextRequest): void {
  const hasShares = contextProfile(profile)?.pack === undefined;
  const kinds = new Set<number>();
  for (const [index, section] of sections.entries()) {
    if (v.full) return;
    v.enterItem("sections", index);
    if (kinds.has(section.kind)) v.add("kind", "is that of an earlier section");
    kinds.add(section.kind);
    const { share, firstShare } = section;
    for (const [field, value] of Object.entries({ share, first_share: firstShare })) {
      if (hasShares || value === undefined) continue;
      v.add(field, `must be unset with the profile ${profile}`);
    }
    v.leaveItem();
  }
}
