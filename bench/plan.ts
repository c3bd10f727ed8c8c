// Sizes of the bench: the full run, the quick one, and overrides from the command line.

import { parseArgs } from "node:util";

/** The sizes of a run. */
export interface Plan {
  readonly quick: boolean;
  readonly rounds: number;
  readonly warmMs: number;
  readonly measureMs: number;
  /** Messages of the long session. */
  readonly longMessages: number;
  /** Sessions of the large store, of ten messages each. */
  readonly manySessions: number;
  readonly watchers: number;
  readonly stalled: number;
  /** Messages in the large namespace for recall. */
  readonly recallMessages: number;
  /** Memories of the user in the context measurement. */
  readonly memories: number;
  /** Records of the large store. */
  readonly records: number;
  /** Sessions, and documents, of the large store of lists. */
  readonly lists: number;
  /** Part of a group's name; empty runs all groups. */
  readonly only: string;
  readonly out: string;
  /** Date of the run, for the record; the bench reads no clock for it. */
  readonly date: string;
  readonly pin: boolean;
}

const FULL = {
  ...{ rounds: 3, ms: 2_000, warm: 400, messages: 1_000_000, watchers: 100, stalled: 200 },
  recall: 100_000,
  memories: 100_000,
  records: 1_000_000,
  lists: 100_000,
};
const QUICK = {
  ...{ rounds: 3, ms: 500, warm: 200, messages: 50_000, watchers: 100, stalled: 200 },
  recall: 10_000,
  memories: 5_000,
  records: 50_000,
  lists: 10_000,
};

/** Usage text. */
export const USAGE = `node bench/main.ts [options]
  --quick          small stores and short rounds
  --only NAME      only the groups whose name contains NAME
  --out FILE       where the JSON goes (default bench/results/latest.json)
  --date TEXT      a date to put into the JSON
  --rounds N       rounds of every measurement (3)
  --ms N           milliseconds of one measurement (2000, quick 500)
  --messages N     messages in the large stores (1000000, quick 50000)
  --watchers N     watchers of the fan-out (100)
  --stalled N      watchers that never read (200)
  --recall N       messages in the large namespace that is recalled (100000, quick 10000)
  --memories N     memories of the user whose context is made (100000, quick 5000)
  --records N      records of the large store of records (1000000, quick 50000)
  --lists N        sessions and documents of the large store of lists (100000, quick 10000)
  --no-pin         let the system choose the cores`;

function positive(name: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`--${name} must be a positive integer`);
  return value;
}

/** Parses the command line. Throws on an unknown flag or a bad number. */
export function readPlan(args: readonly string[]): Plan {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      "no-pin": { type: "boolean", default: false },
      only: text,
      out: text,
      date: text,
      rounds: text,
      ms: text,
      messages: text,
      watchers: text,
      stalled: text,
      recall: text,
      memories: text,
      records: text,
      lists: text,
    },
  });
  const base = values.quick ? QUICK : FULL;
  const messages = positive("messages", values.messages, base.messages);
  const measureMs = positive("ms", values.ms, base.ms);
  return {
    quick: values.quick,
    rounds: positive("rounds", values.rounds, base.rounds),
    warmMs: Math.min(base.warm, measureMs),
    measureMs,
    longMessages: messages,
    manySessions: Math.max(1, Math.floor(messages / 10)),
    watchers: positive("watchers", values.watchers, base.watchers),
    stalled: positive("stalled", values.stalled, base.stalled),
    recallMessages: positive("recall", values.recall, base.recall),
    memories: positive("memories", values.memories, base.memories),
    records: positive("records", values.records, base.records),
    lists: positive("lists", values.lists, base.lists),
    only: values.only ?? "",
    out: values.out ?? `${import.meta.dirname}/results/latest.json`,
    date: values.date ?? "",
    pin: !values["no-pin"],
  };
}
