// Turns rounds into the table of targets. Ratios are taken within each round, and the figure is the
// median over rounds, so a slow moment of the machine affects both sides.

import { FLAT_CALLS } from "./lists.ts";
import { median, round3 } from "./stats.ts";
import type { Found, Rounds } from "./workloads.ts";

/** One target and its result. */
export interface Verdict {
  readonly group: string;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly target: string;
  readonly pass: boolean;
}

type Field = "perSecond" | "p50Ms" | "p99Ms" | "cpuUs";

function ratio(rounds: Rounds, field: Field, pair: readonly [string, string]): number {
  const top = rounds.get(pair[0]) ?? [];
  const bottom = rounds.get(pair[1]) ?? [];
  return median(top.map((one, i) => one[field] / (bottom[i]?.[field] ?? Number.NaN)));
}

interface Check {
  readonly what: string;
  readonly value: number;
  readonly unit?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

function verdict(group: string, check: Check): Verdict {
  const { what, value, unit = "x", atLeast, atMost } = check;
  const low = atLeast ?? Number.NEGATIVE_INFINITY;
  const high = atMost ?? Number.POSITIVE_INFINITY;
  const target = atLeast === undefined ? `<= ${atMost}` : `>= ${atLeast}`;
  return { group, what, value: round3(value), unit, target, pass: value >= low && value <= high };
}

function basic({ rounds, figures }: Found): Check[] {
  const commit = figures.get("commit p50 ms") ?? Number.NaN;
  const echoOne = (rounds.get("echo 1") ?? []).map((one) => one.p50Ms);
  const appendOne = (rounds.get("append 1") ?? []).map((one) => one.p50Ms);
  const one = median(appendOne.map((p50, i) => p50 / ((echoOne[i] ?? Number.NaN) + commit)));
  const rate = (pair: readonly [string, string]): number => ratio(rounds, "perSecond", pair);
  const window = (n: number): number => rate([`window of ${n}`, `echo as window of ${n}`]);
  return [
    { what: "append, 32 in flight, to echo", value: rate(["append 32", "echo 32"]), atLeast: 0.6 },
    {
      what: "append, 256 in flight, to echo",
      value: rate(["append 256", "echo 256"]),
      atLeast: 0.8,
    },
    { what: "append, one caller, p50 to echo p50 + commit p50", value: one, atMost: 1.5 },
    {
      what: "messages/s of appends of 10 to single appends",
      value: 10 * rate(["append of 10, 32", "append 32"]),
      atLeast: 4,
    },
    { what: "GetWindow of 20 to echo of that size", value: window(20), atLeast: 0.9 },
    { what: "GetWindow of 100 to echo of that size", value: window(100), atLeast: 0.9 },
  ];
}

function turns({ rounds }: Found): Check[] {
  const [one, other] = ["append with window", "append alone"];
  return [
    {
      what: "append with window to append, p50 of one caller",
      value: ratio(rounds, "p50Ms", [`${one}, 1`, `${other}, 1`]),
      atMost: 1.3,
    },
    {
      what: "append with window to append, time a call at 32",
      value: ratio(rounds, "perSecond", [`${other}, 32`, `${one}, 32`]),
      atMost: 1.3,
    },
  ];
}

function longSession({ rounds, figures }: Found): Check[] {
  const checks: Check[] = [];
  for (const call of ["append", "window"]) {
    const p50: readonly [string, string] = [`${call} long, 1`, `${call} short, 1`];
    checks.push({
      what: `${call}, long session to short, p50 of one caller`,
      value: ratio(rounds, "p50Ms", p50),
      atMost: 1.1,
    });
    const rate: readonly [string, string] = [`${call} short, 32`, `${call} long, 32`];
    checks.push({
      what: `${call}, long session to short, time a call at 32`,
      value: ratio(rounds, "perSecond", rate),
      atMost: 1.1,
    });
  }
  return [...checks, ...start(figures)];
}

function start(figures: ReadonlyMap<string, number>): Check[] {
  return [
    {
      what: "cold start until serving",
      value: figures.get("cold start ms") ?? Number.NaN,
      unit: "ms",
      atMost: 2_000,
    },
    {
      what: "memory after the start",
      value: figures.get("cold start rss MiB") ?? Number.NaN,
      unit: "MiB",
      atMost: 400,
    },
  ];
}

function manySessions({ rounds, figures }: Found): Check[] {
  const cost = (name: string): number =>
    ratio(rounds, "perSecond", [`${name.replace("large", "fresh")}`, name]);
  const one = ratio(rounds, "p50Ms", ["append large, 1", "append fresh, 1"]);
  return [
    { what: "append, large store to fresh, p50 of one caller", value: one, atMost: 1.5 },
    {
      what: "append, large store to fresh, time a call at 32",
      value: cost("append large, 32"),
      atMost: 1.5,
    },
    {
      what: "window, large store to fresh, time a call at 32",
      value: cost("window large, 32"),
      atMost: 1.5,
    },
    ...start(figures),
    {
      what: "memory under load, without file pages",
      value: figures.get("of it not file pages MiB") ?? Number.NaN,
      unit: "MiB",
      atMost: 400,
    },
  ];
}

function fanOut({ rounds }: Found): Check[] {
  const to = (name: string): number => ratio(rounds, "perSecond", [name, "append, no watcher"]);
  return [
    { what: "append, watchers of everything", value: to("append, each watches all"), atLeast: 0.7 },
    {
      what: "append, watchers of one session each",
      value: to("append, each watches a session"),
      atLeast: 0.7,
    },
  ];
}

function stalled({ figures }: Found): Check[] {
  const kib = figures.get("stalling alone KiB live") ?? Number.NaN;
  return [{ what: "live memory of stalling, a watcher", value: kib, unit: "KiB", atMost: 64 }];
}

function policies({ rounds, figures }: Found): Check[] {
  const cost = (inFlight: number): number =>
    ratio(rounds, "perSecond", [
      `append one stages, ${inFlight}`,
      `append five stages, ${inFlight}`,
    ]);
  return [
    { what: "append, five stages to one, time a call at 1", value: cost(1), atMost: 1.3 },
    { what: "append, five stages to one, time a call at 32", value: cost(32), atMost: 1.3 },
    ...["append", "window"].map((call) => ({
      what: `${call}, five stages, long session to short, p50`,
      value: ratio(rounds, "p50Ms", [`${call} long, 1`, `${call} short, 1`]),
      atMost: 1.1,
    })),
    ...["five stages", "five busy stages"].map((what) => ({
      what: `${what} over a window of 200 messages`,
      value: figures.get(`${what} over 200 messages ms`) ?? Number.NaN,
      unit: "ms",
      atMost: 0.2,
    })),
  ];
}

function hooks({ rounds }: Found): Check[] {
  const calm = "append, no hook";
  const working = "append, working hook";
  const bad = [...rounds.keys()].filter((name) => name !== calm && name !== working);
  return [
    {
      what: `${working}, to no hook, p50`,
      value: ratio(rounds, "p50Ms", [working, calm]),
      // The same core does the hook's work: a call and a summary for every ten appends.
      atMost: 2,
    },
    ...bad.map((name) => ({
      what: `${name}, to a working one, p99`,
      value: ratio(rounds, "p99Ms", [name, working]),
      atMost: 1.5,
    })),
  ];
}

function memories({ rounds, figures }: Found): Check[] {
  const context = (what: string): number => figures.get(`context ${what} ms`) ?? Number.NaN;
  const one = ratio(rounds, "p50Ms", ["remember, 1", "append, 1"]);
  const many = ratio(rounds, "perSecond", ["append, 32", "remember, 32"]);
  return [
    { what: "remember to append, p50 of one caller", value: one, atMost: 1.5 },
    { what: "remember to append, time a call at 32", value: many, atMost: 1.5 },
    { what: "context of many memories, p50", value: context("p50"), unit: "ms", atMost: 15 },
  ];
}

function records({ rounds }: Found): Check[] {
  const calls = ["get", "list", "put", "put if"];
  const growth = calls.flatMap((call): Check[] => [
    {
      what: `${call}, store of many records to few, p50 of one caller`,
      value: ratio(rounds, "p50Ms", [`${call} many, 1`, `${call} few, 1`]),
      atMost: 1.2,
    },
    {
      what: `${call}, store of many records to few, time a call at 32`,
      value: ratio(rounds, "perSecond", [`${call} few, 32`, `${call} many, 32`]),
      atMost: 1.2,
    },
    {
      what: `${call}, store of many records to few, CPU of a call at 32`,
      value: ratio(rounds, "cpuUs", [`${call} many, 32`, `${call} few, 32`]),
      atMost: 1.2,
    },
  ]);
  const rates = (["put", "get"] as const).flatMap((call): Check[] => {
    const other = { put: "append", get: "GetMessage" }[call];
    return [1, 32].map((inFlight) => ({
      what: `${call} to ${other}, calls a second at ${inFlight}`,
      value: ratio(rounds, "perSecond", [`${call} few, ${inFlight}`, `${other}, ${inFlight}`]),
      atLeast: 1,
    }));
  });
  return [...growth, ...rates];
}

function lists({ rounds }: Found): Check[] {
  return FLAT_CALLS.flatMap((call): Check[] => {
    const pair: readonly [string, string] = [`${call}, many`, `${call}, few`];
    return [
      { what: `${call}, many to few, p50`, value: ratio(rounds, "p50Ms", pair), atMost: 1.5 },
      { what: `${call}, many to few, CPU`, value: ratio(rounds, "cpuUs", pair), atMost: 1.5 },
    ];
  });
}

function recall({ rounds, figures }: Found): Check[] {
  const alone = (rounds.get("append, alone") ?? []).map(({ p99Ms }) => p99Ms);
  const beside = [...rounds].find(([name]) => name.startsWith("append, beside"))?.[1] ?? [];
  const later = median(beside.map(({ p99Ms }, at) => p99Ms - (alone[at] ?? Number.NaN)));
  const p = (what: string): number => figures.get(`recall large, ${what} ms`) ?? Number.NaN;
  return [
    { what: "recall of the large namespace, p50", value: p("all, p50"), unit: "ms", atMost: 5 },
    { what: "recall of the large namespace, p95", value: p("all, p95"), unit: "ms", atMost: 20 },
    {
      what: "recall, a filter of a hundredth to none, p50",
      value: p("hundredth, p50") / p("all, p50"),
      atMost: 1.5,
    },
    { what: "append beside 8 recalls, p99 later by", value: later, unit: "ms", atMost: 5 },
    {
      what: "memory of a message in the index",
      value: figures.get("large bytes a message") ?? Number.NaN,
      unit: "bytes",
      atMost: 1_000,
    },
  ];
}

const CHECKS: Readonly<Record<string, (found: Found) => Check[]>> = {
  basic,
  turns,
  "long-session": longSession,
  "many-sessions": manySessions,
  policies,
  hooks,
  "fan-out": fanOut,
  stalled,
  recall,
  memories,
  records,
  lists,
};

/** Compares the figures of a group with its targets. */
export function judge(group: string, found: Found): Verdict[] {
  return (CHECKS[group]?.(found) ?? []).map((check) => verdict(group, check));
}

/** Measurements of a group as lines of text: medians over the rounds. */
export function measurements(found: Found): string[] {
  const lines = [`${"measurement".padEnd(34)}     calls/s    p50 ms    p99 ms   CPU us/call`];
  for (const [name, results] of found.rounds) {
    const of = (field: "perSecond" | "p50Ms" | "p99Ms" | "cpuUs"): number =>
      median(results.map((result) => result[field]));
    const cells = [
      Math.round(of("perSecond")).toString().padStart(12),
      of("p50Ms").toFixed(3).padStart(10),
      of("p99Ms").toFixed(2).padStart(10),
      of("cpuUs").toFixed(1).padStart(14),
    ];
    lines.push(name.padEnd(34) + cells.join(""));
  }
  for (const [name, value] of found.figures) {
    lines.push(name.padEnd(34) + String(round3(value)).padStart(12));
  }
  return lines;
}

/** The table of targets as lines of text. */
export function table(verdicts: readonly Verdict[]): string[] {
  return verdicts.map(({ what, value, unit, target, pass }) => {
    const figure = `${value} ${unit}`.padStart(12);
    return `${pass ? "pass" : "MISS"}  ${what.padEnd(52)}${figure}   target ${target}`;
  });
}
