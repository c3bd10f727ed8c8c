// Trims that are wrong on purpose, to show that the properties of windows can fail.

import type { PolicyStage, Selection } from "../../../src/window/policy/policy.ts";
import { type TrimRequest, trimWindow } from "../../../src/window/rules/trim.ts";
import { ROLE, type TrimOutcome } from "../../../src/window/rules/types.ts";
import type { TestEntry } from "./arbitraries.ts";
import type { TrimFunction } from "./properties.ts";

type Request = TrimRequest<TestEntry>;
type Outcome = TrimOutcome<TestEntry>;

/** A mistake, and the property that must see it beside the comparison with the model. */
export interface BrokenTrim {
  readonly mistake: string;
  readonly seenBy: string;
  readonly trim: TrimFunction;
}

/** Runs the rules over altered entries and gives back the unaltered ones. */
function over(alter: (entry: TestEntry) => TestEntry): TrimFunction {
  return (asked) => {
    const originals = new Map(asked.entries.map((entry) => [entry.seq, entry]));
    const original = <T extends { readonly seq: number }>(entry: T): T | TestEntry =>
      originals.get(entry.seq) ?? entry;
    const list = (entries: readonly TestEntry[]) => entries.map((entry) => original(entry));
    const trims = (all: Outcome["trims"]) =>
      all.map((trim) => ({ ...trim, removed: list(trim.removed) }));
    const { known: _, ...rest } = asked;
    const outcome = trimWindow({ ...rest, entries: asked.entries.map(alter) });
    return {
      ...outcome,
      ...{ kept: list(outcome.kept), stored: list(outcome.stored) },
      ...{ trims: trims(outcome.trims), storedTrims: trims(outcome.storedTrims) },
      shortened: outcome.shortened.map((one) => ({ ...one, entry: original(one.entry) })),
      runs: outcome.runs.map((run) => ({
        ...run,
        awaitsSummary: run.awaitsSummary.map(original),
      })),
    };
  };
}

/** Runs altered stages. */
function withStages(alter: (stage: PolicyStage) => PolicyStage): TrimFunction {
  return (asked) =>
    trimWindow({ ...asked, policy: { ...asked.policy, stages: asked.policy.stages.map(alter) } });
}

/** Runs stages with altered selections. */
const withSelects = (alter: (select: Selection) => Selection): TrimFunction =>
  withStages((stage) => ({ ...stage, select: alter(stage.select) }));

/** Alters an outcome. */
const then =
  (alter: (outcome: Outcome, asked: Request) => Outcome): TrimFunction =>
  (asked) =>
    alter(trimWindow(asked), asked);

const GROUPS = "never splits a call from its results";
const LIMITS = "keeps the limits, or says that it does not";
const PROTECTED = "keeps what is protected";
const ACCOUNTS = "accounts for every message";
const SIZES = "gives sizes that add up";

let before: Request["signals"] | undefined;

export const BROKEN_TRIMS: readonly BrokenTrim[] = [
  {
    mistake: "does not know that results belong to calls",
    seenBy: GROUPS,
    trim: over((entry) => ({ ...entry, callIds: [], answers: [], isResult: false })),
  },
  {
    mistake: "takes results without an id for strangers",
    seenBy: GROUPS,
    trim: over((entry) =>
      entry.isResult && entry.answers.length === 0 ? { ...entry, answers: ["no such"] } : entry,
    ),
  },
  {
    mistake: "does not see results among the parts of a user message",
    seenBy: GROUPS,
    trim: over((entry) =>
      entry.role === ROLE.user ? { ...entry, answers: [], isResult: false } : entry,
    ),
  },
  {
    mistake: "lets results without their call in",
    seenBy: GROUPS,
    trim: (asked) => trimWindow({ ...asked, policy: { ...asked.policy, toolPairing: "grouped" } }),
  },
  {
    mistake: "looks at the ids of results that are to go with the call before them",
    seenBy: GROUPS,
    trim: (asked) => {
      const { toolPairing } = asked.policy;
      const mistaken = toolPairing === "adjacent" ? "grouped" : toolPairing;
      return trimWindow({ ...asked, policy: { ...asked.policy, toolPairing: mistaken } });
    },
  },
  {
    mistake: "protects nothing",
    seenBy: PROTECTED,
    trim: (asked) => {
      const none = { system: "none", pinFirst: 0, pinIds: [], minMessages: 0 } as const;
      const protections = { ...none, lastUser: false };
      return trimWindow({ ...asked, policy: { ...asked.policy, protections } });
    },
  },
  {
    mistake: "forgets the pinned ids",
    seenBy: PROTECTED,
    trim: (asked) => {
      const protections = { ...asked.policy.protections, pinIds: [] };
      return trimWindow({ ...asked, policy: { ...asked.policy, protections } });
    },
  },
  {
    mistake: "counts system messages that the policy does not see",
    seenBy: "does not see system messages that are excluded",
    trim: (asked) => {
      const { protections } = asked.policy;
      const system = protections.system === "excluded" ? "all" : protections.system;
      return trimWindow({
        ...asked,
        policy: { ...asked.policy, protections: { ...protections, system } },
      });
    },
  },
  {
    mistake: "leaves one message more than the limit",
    seenBy: LIMITS,
    trim: withSelects((select) =>
      select.kind === "drop-oldest" && select.maxMessages !== undefined
        ? { ...select, maxMessages: select.maxMessages + 1 }
        : select,
    ),
  },
  {
    mistake: "fills the headroom of a budget",
    seenBy: LIMITS,
    trim: withSelects((select) =>
      select.kind === "pack-newest" ? { ...select, headroom: 0 } : select,
    ),
  },
  {
    mistake: "does not hold the ceiling",
    seenBy: LIMITS,
    trim: (asked) => {
      const stages = asked.policy.stages.filter(
        ({ effect, select }) => effect === "store" || select.kind === "shorten",
      );
      const policy = asked.ceiling ? { ...asked.policy, stages } : asked.policy;
      return trimWindow({ ...asked, policy, ceiling: false });
    },
  },
  {
    mistake: "does not say what held a stage",
    seenBy: "says what held a stage that is over a limit",
    trim: then((outcome) => ({
      ...outcome,
      runs: outcome.runs.map((run) => ({ ...run, heldBy: [], overLimit: true })),
    })),
  },
  {
    mistake: "is content before it is done",
    seenBy: "is over a limit only with everything removable removed",
    trim: withSelects((select) =>
      select.kind === "drop-oldest"
        ? { ...select, stopAtFree: true, stopAtProtected: true }
        : select,
    ),
  },
  {
    mistake: "removes one message more each time",
    seenBy: "removes nothing more from what it made",
    trim: then((outcome, { policy }) => {
      const [first] = outcome.kept;
      if (first === undefined || policy.stages.length === 0) return outcome;
      return { ...outcome, kept: outcome.kept.slice(1) };
    }),
  },
  {
    mistake: "stores what a view makes",
    seenBy: "takes nothing out of the stored window for a view",
    trim: withStages((stage) => ({ ...stage, effect: "store" })),
  },
  {
    mistake: "forgets to tell of removed orphans",
    seenBy: ACCOUNTS,
    trim: then((outcome) => ({
      ...outcome,
      trims: outcome.trims.filter(({ reason }) => reason !== "orphan-tool-result"),
    })),
  },
  {
    mistake: "removes what waits for a summary",
    seenBy: ACCOUNTS,
    trim: withStages((stage) =>
      stage.removedTo === "summarize" ? { ...stage, removedTo: "log" } : stage,
    ),
  },
  {
    mistake: "lets wait for a summary what leaves at once",
    seenBy: ACCOUNTS,
    trim: withStages((stage) =>
      stage.summarize === undefined
        ? stage
        : { ...stage, summarize: { ...stage.summarize, leave: "with-summary" } },
    ),
  },
  {
    mistake: "keeps in the log what a stage discards",
    seenBy: ACCOUNTS,
    trim: withStages((stage) =>
      stage.removedTo === "discard" ? { ...stage, removedTo: "log" } : stage,
    ),
  },
  {
    mistake: "puts system messages first",
    seenBy: ACCOUNTS,
    trim: then((outcome) => {
      const isSystem = ({ role }: TestEntry): boolean => role === ROLE.system;
      const others = outcome.kept.filter((entry) => !isSystem(entry));
      return { ...outcome, kept: [...outcome.kept.filter(isSystem), ...others] };
    }),
  },
  {
    mistake: "runs the stages of a turn's end only when it looks ahead",
    seenBy: "previews what a change then stores",
    trim: (asked) => {
      if (!asked.ceiling || asked.occasions === "all") return trimWindow(asked);
      const occasions = new Set([...asked.occasions].filter((on) => on !== "turn-end"));
      return trimWindow({ ...asked, occasions });
    },
  },
  {
    mistake: "cuts what it does not tell of",
    seenBy: "changes nothing but what it says was shortened",
    trim: then((outcome) => ({ ...outcome, shortened: [] })),
  },
  {
    mistake: "gives the size before the trim as that after it",
    seenBy: SIZES,
    trim: then((outcome) => ({
      ...outcome,
      storedTrims: outcome.storedTrims.map((trim) => ({ ...trim, after: trim.before })),
    })),
  },
  {
    mistake: "ignores which messages count",
    seenBy: "counts what meets the conditions and nothing else",
    trim: withStages((stage) => ({ ...stage, countIf: [] })),
  },
  {
    mistake: "goes by what it was told the time before",
    seenBy: "gives the same for the same and writes to nothing",
    trim: (asked) => {
      const outcome = trimWindow({ ...asked, signals: before ?? asked.signals });
      before = asked.signals;
      return outcome;
    },
  },
  {
    mistake: "trusts windows that nobody trimmed",
    seenBy: "keeps its promises over a conversation appended bit by bit",
    trim: (asked) =>
      trimWindow({ ...asked, known: { ...asked.known, pairedTo: asked.entries.length } }),
  },
];
