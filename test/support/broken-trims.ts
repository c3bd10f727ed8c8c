// Trims that are wrong on purpose, to show that the properties of windows can fail.

import { ROLE, type WindowEntry } from "../../src/domain/window/types.ts";
import type { TrimFunction } from "./window-properties.ts";
import { trimOn } from "./window-text.ts";

/** A mistake, and the property that must see it beside the comparison with the model. */
export interface BrokenTrim {
  readonly mistake: string;
  readonly seenBy: string;
  readonly trim: TrimFunction;
}

/** Runs the rules over altered entries and gives back the unaltered ones. */
function over(alter: (entry: WindowEntry) => WindowEntry): TrimFunction {
  return (entries, policy, stages) => {
    const originals = new Map(entries.map((entry) => [entry.seq, entry]));
    const original = (entry: WindowEntry): WindowEntry => originals.get(entry.seq) ?? entry;
    const outcome = trimOn(entries.map(alter), policy, stages);
    const trims = outcome.trims.map((trim) => ({ ...trim, removed: trim.removed.map(original) }));
    return { ...outcome, kept: outcome.kept.map(original), trims };
  };
}

export const BROKEN_TRIMS: readonly BrokenTrim[] = [
  {
    mistake: "does not know that results belong to calls",
    seenBy: "never splits a call from its results",
    trim: over((entry) =>
      entry.role === ROLE.tool
        ? { ...entry, role: ROLE.assistant, answers: [], isResult: false }
        : { ...entry, callIds: [] },
    ),
  },
  {
    mistake: "takes results without an id for strangers",
    seenBy: "never splits a call from its results",
    trim: over((entry) =>
      entry.role === ROLE.tool && entry.answers.length === 0
        ? { ...entry, answers: ["no such call"] }
        : entry,
    ),
  },
  {
    mistake: "protects nothing",
    seenBy: "keeps what is protected",
    trim: (entries, policy, stages) => {
      const none = {
        ...policy.protections,
        system: "none",
        pinFirst: 0,
        minMessages: 0,
        lastUser: false,
      } as const;
      return trimOn(entries, { ...policy, protections: none }, stages);
    },
  },
  {
    mistake: "leaves one message more than the limit",
    seenBy: "keeps the limits, or says that it does not",
    trim: (entries, policy, stages) => {
      const loosened = policy.stages.map((stage) => {
        const { select } = stage;
        if (select.kind !== "drop-oldest" || select.maxMessages === undefined) return stage;
        return { ...stage, select: { ...select, maxMessages: select.maxMessages + 1 } };
      });
      return trimOn(entries, { ...policy, stages: loosened }, stages);
    },
  },
  {
    mistake: "removes one unit more each time",
    seenBy: "removes nothing more from what it made",
    trim: (entries, policy, stages) => {
      const outcome = trimOn(entries, policy, stages);
      const [first] = outcome.kept;
      if (first === undefined || policy.stages.length === 0) return outcome;
      return { ...outcome, kept: outcome.kept.slice(1) };
    },
  },
  {
    mistake: "runs the stages on read when it appends",
    seenBy: "takes nothing out of the stored window by a stage on read",
    trim: (entries, policy, stages) => {
      const as = { on: "append", effect: "store" } as const;
      const stored = policy.stages.map((stage) => ({ ...stage, ...as }));
      return trimOn(entries, { ...policy, stages: stored }, stages);
    },
  },
  {
    mistake: "forgets to tell of removed orphans",
    seenBy: "accounts for every message and token",
    trim: (entries, policy, stages) => {
      const outcome = trimOn(entries, policy, stages);
      const trims = outcome.trims.filter((trim) => trim.reason !== "orphan-tool-result");
      return { ...outcome, trims };
    },
  },
];
