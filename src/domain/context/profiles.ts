// What the profiles of a context are made of: their sections, shares, limits and headings.

import type { ContextSectionKind } from "./types.ts";

/** The profiles, by the names of the contract. */
export const CONTEXT_PROFILES = ["default", "selectools", "lauren", "definable"] as const;
export type ContextProfile = (typeof CONTEXT_PROFILES)[number];

/** The profile of a name; empty means the default. Undefined for a name that is none. */
export function contextProfile(name: string): ContextProfile | undefined {
  return name === "" ? "default" : CONTEXT_PROFILES.find((profile) => profile === name);
}

/** What a profile says of a section. */
export interface SectionDefaults {
  readonly share: number;
  /** What may go to its items that fit the query before the shares are given out. */
  readonly firstShare: number;
  readonly limit: number;
  /** May be empty. */
  readonly heading: string;
  /** The line under it; empty for none. Only with the heading of the profile. */
  readonly footer: string;
  /** 0 means no limit. */
  readonly maxChars: number;
}

/** How a section is packed, everything filled in. */
export interface SectionRules extends SectionDefaults {
  readonly kind: ContextSectionKind;
  /** The heading is not that of the profile: what it groups stands without heads of groups. */
  readonly hasOwnHeading: boolean;
}

/** What a request says of a section. */
export interface AskedSection {
  readonly kind: ContextSectionKind;
  readonly share: number | undefined;
  readonly firstShare: number | undefined;
  /** 0 means that of the profile. */
  readonly limit: number;
  readonly heading: string | undefined;
  /** 0 means no limit. */
  readonly maxChars: number;
}

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

const SELECTOOLS_HEADINGS: Readonly<Record<ContextSectionKind, string>> = {
  summary: "[Earlier conversation summary]",
  // It has heads of its own.
  "long-term": "",
  entities: "[Known Entities]",
  relations: "[Known Relationships]",
  episodes: "[Recent Episodes]",
  "recalled-messages": "[Recalled Messages]",
  documents: "[Documents]",
  conversation: "[Conversation]",
  "daily-log": "",
};

const SELECTOOLS_KNOWLEDGE_CHARS = 5_000;
const LAUREN_FACTS = 5;

/** The sections of a profile, in order. */
export const PROFILE_SECTIONS: Readonly<Record<ContextProfile, readonly ContextSectionKind[]>> = {
  default: [
    "summary",
    "long-term",
    "entities",
    "relations",
    "episodes",
    "recalled-messages",
    "documents",
    "conversation",
  ],
  selectools: ["long-term", "entities", "episodes", "conversation"],
  lauren: ["long-term"],
  definable: ["conversation"],
};

/** Which part of the tokens a profile uses. */
export const PROFILE_THRESHOLDS: Readonly<Record<ContextProfile, number>> = {
  ...{ default: 1, selectools: 0.7, lauren: 1, definable: 1 },
};

function defaultsOf(profile: ContextProfile, kind: ContextSectionKind): SectionDefaults {
  const base = {
    ...{ share: SHARES[kind], limit: LIMITS_OF[kind], heading: HEADINGS[kind] },
    ...{ firstShare: kind === "long-term" ? FIRST_SHARE_OF_FACTS : 0, footer: "", maxChars: 0 },
  };
  if (profile === "selectools") {
    const heading = SELECTOOLS_HEADINGS[kind];
    const maxChars = kind === "long-term" ? SELECTOOLS_KNOWLEDGE_CHARS : 0;
    return { ...base, heading, maxChars, limit: kind === "conversation" ? 10_000 : base.limit };
  }
  if (profile === "lauren" && kind === "long-term") {
    return { ...base, limit: LAUREN_FACTS, heading: "## What I remember about you:" };
  }
  if (profile === "definable" && kind === "conversation") {
    const frame = { heading: "<conversation_history>", footer: "</conversation_history>" };
    return { ...base, ...frame };
  }
  return base;
}

/** Fills in what a request leaves to the profile. No sections mean those of the profile. */
export function sectionRules(
  profile: ContextProfile,
  asked: readonly AskedSection[],
): readonly SectionRules[] {
  if (asked.length === 0) {
    return PROFILE_SECTIONS[profile].map((kind) => ({
      ...defaultsOf(profile, kind),
      kind,
      hasOwnHeading: false,
    }));
  }
  return asked.map(({ kind, share, firstShare, limit, heading, maxChars }) => {
    const base = defaultsOf(profile, kind);
    return {
      kind,
      share: share ?? base.share,
      firstShare: firstShare ?? base.firstShare,
      limit: limit === 0 ? base.limit : limit,
      heading: heading ?? base.heading,
      footer: heading === undefined ? base.footer : "",
      maxChars,
      hasOwnHeading: heading !== undefined,
    };
  });
}
