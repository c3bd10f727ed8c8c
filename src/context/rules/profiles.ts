// The default profile of contexts, and the rules of sections.

import type { AskedSection, ContextProfile, ContextSectionKind, SectionRules } from "./types.ts";

/** The limit of sections that take all there is. */
const ALL = 1_000;

// By judgement, from what bench:context measured; see bench/README.md. What was said holds the most
// evidence for its tokens: every tenth of the budget that goes to anything else costs one or two of
// a hundred questions their evidence. Facts that rules find held less than they cost with twice
// these shares. No set asks about the conversation at hand, its summary or documents.
const SHARES: Readonly<Record<ContextSectionKind, number>> = {
  summary: 0.1,
  "long-term": 0.05,
  entities: 0.02,
  relations: 0.02,
  episodes: 0.02,
  "recalled-messages": 0.59,
  documents: 0.1,
  conversation: 0.1,
  "daily-log": 0.1,
};

/** A fact that answers is short, and worth more than many messages that might. */
const FIRST_SHARE_OF_FACTS = 0.5;

const LIMITS_OF: Readonly<Record<ContextSectionKind, number>> = {
  summary: 1,
  "long-term": 50,
  entities: 50,
  relations: 15,
  episodes: 10,
  "recalled-messages": 100,
  documents: 20,
  conversation: ALL,
  "daily-log": ALL,
};

const HEADINGS: Readonly<Record<ContextSectionKind, string>> = {
  summary: "Summary of the conversation so far:",
  "long-term": "What is known:",
  entities: "Who and what is known:",
  relations: "How they belong together:",
  episodes: "What happened lately:",
  "recalled-messages": "What was said earlier:",
  documents: "What documents say:",
  conversation: "The conversation:",
  "daily-log": "What was remembered lately:",
};

/** The profile of a request that names none. */
export const DEFAULT_PROFILE: ContextProfile = {
  name: "default",
  sections: [
    "summary",
    "long-term",
    "entities",
    "relations",
    "episodes",
    "recalled-messages",
    "documents",
    "conversation",
  ],
  threshold: 1,
  defaults: {},
  guarded: true,
  searches: true,
  summaryAmongMessages: false,
};

function defaultsOf({ defaults }: ContextProfile, kind: ContextSectionKind): SectionRules {
  return {
    kind,
    share: SHARES[kind],
    firstShare: kind === "long-term" ? FIRST_SHARE_OF_FACTS : 0,
    limit: LIMITS_OF[kind],
    heading: HEADINGS[kind],
    footer: "",
    groupOf: undefined,
    order: undefined,
    maxChars: 0,
    isApart: false,
    block: undefined,
    ...defaults[kind],
  };
}

/** Share of the budget that the messages of a prompt take before all else. */
const CLAIM_OF_MESSAGES = 0.75;

/** Takes the conversation out of the text: its messages are those of the prompt. */
export function withMessages(
  profile: ContextProfile,
  asked: readonly AskedSection[],
  fixedCount: number,
): readonly SectionRules[] {
  const isTalk = ({ kind }: { kind: ContextSectionKind }): boolean => kind === "conversation";
  const sections = sectionRules(profile, asked);
  const rules = sections.find(isTalk) ?? defaultsOf(profile, "conversation");
  const firstShare = asked.find(isTalk)?.share ?? CLAIM_OF_MESSAGES;
  const limit = rules.limit + fixedCount;
  return [
    { ...rules, heading: "", footer: "", isApart: true, share: 0, firstShare, limit },
    ...sections.filter((one) => !isTalk(one)),
  ];
}

/** Fills in what a request leaves to the profile. No sections mean those of the profile. */
export function sectionRules(
  profile: ContextProfile,
  asked: readonly AskedSection[],
): readonly SectionRules[] {
  if (asked.length === 0) return profile.sections.map((kind) => defaultsOf(profile, kind));
  return asked.map(({ kind, share, firstShare, limit, heading, maxChars }) => {
    const base = defaultsOf(profile, kind);
    const own = heading === undefined ? {} : { heading, footer: "", groupOf: undefined };
    return {
      ...base,
      share: share ?? base.share,
      firstShare: firstShare ?? base.firstShare,
      limit: limit === 0 ? base.limit : limit,
      maxChars,
      ...own,
    };
  });
}
