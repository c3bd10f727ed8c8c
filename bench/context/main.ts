// `npm run bench:context -- FILE...`: for how many questions the evidence is inside the context
// that AssembleContext makes, by tokens: with the window only, with recall only, and with both.
// Options:
//
//   --tokens 1000,2000,4000    the budgets
//   --modes window,recall,both what to measure
//   --step 1                   asks every so many questions only
//   --memories rules           with memories that the rules of the server find in the messages
//   --shares SECTION=0.5,...   other shares of sections in both, `off` for none of it; may come
//                              several times, each is measured, beside those of the server
//
// `npm run bench:context -- --personas` instead: see worth.ts. Takes --tokens, by default 400,4000.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import {
  type ContextOptions,
  connect,
  type MemorySidecar,
} from "../../clients/typescript/src/index.ts";
import { startReal } from "../processes.ts";
import { readSet } from "../recall/read-set.ts";
import { type Asked, MODES, type Mode, StoredSet } from "./stored-set.ts";
import { EvidenceTable } from "./table.ts";
import { measureWorth } from "./worth.ts";

const SUFFIX = /\.json(\.gz)?$/;
const SECTIONS = [
  ...(["summary", "long-term", "entities", "relations", "episodes"] as const),
  ...(["recalled-messages", "documents", "conversation"] as const),
];

interface Plan {
  readonly contexts: readonly Asked[];
  readonly modes: readonly Mode[];
  readonly step: number;
  readonly remembers: boolean;
}

/** Measures every kind of context on every question of a set. */
async function measure(
  client: MemorySidecar,
  from: { readonly path: string; readonly place: number },
  plan: Plan,
): Promise<readonly EvidenceTable[]> {
  const set = readSet(basename(from.path).replace(SUFFIX, ""), readFileSync(from.path));
  const stored = new StoredSet(client, { set, prefix: `s${from.place}` }, plan.modes);
  await stored.store();
  if (plan.remembers) console.log(`${set.name}: ${await stored.remember()} memories`);
  await stored.index();
  const tables: EvidenceTable[] = [];
  for (const context of plan.contexts) {
    const table = new EvidenceTable(set.name, context);
    for await (const found of stored.ask(context, plan.step)) table.add(found);
    console.log(table.line());
    tables.push(table);
  }
  return tables;
}

function sectionsOf(shares: string): ContextOptions["sections"] {
  const given = new Map(
    shares.split(",").map((one) => {
      const [name = "", share = ""] = one.split("=");
      return [name, share] as const;
    }),
  );
  return SECTIONS.flatMap((kind) => {
    const share = given.get(kind);
    if (share === "off") return [];
    return [share === undefined ? { kind } : { kind, share: Number(share) }];
  });
}

function planOf(asked: {
  readonly tokens: string;
  readonly modes: string;
  readonly step: string;
  readonly memories: string | undefined;
  readonly shares: readonly string[];
}): Plan {
  const names = asked.modes.split(",");
  const modes = MODES.filter((mode) => names.includes(mode.split(" ")[0] ?? ""));
  const tokens = asked.tokens.split(",").map(Number);
  const contexts = modes.flatMap((mode) => {
    const shares = mode === "both" ? ["", ...asked.shares] : [""];
    return shares.flatMap((one) => {
      const sections = one === "" ? undefined : sectionsOf(one);
      return tokens.map((maxTokens): Asked => ({ mode, maxTokens, shares: one, sections }));
    });
  });
  const remembers = asked.memories === "rules";
  return { contexts, modes, step: Number(asked.step), remembers };
}

async function measureSets(
  client: MemorySidecar,
  paths: readonly string[],
  plan: Plan,
): Promise<void> {
  for (const head of EvidenceTable.head()) console.log(head);
  const sets: (readonly EvidenceTable[])[] = [];
  for (const [place, path] of paths.entries()) {
    if (existsSync(path)) sets.push(await measure(client, { path, place }, plan));
    else console.log(`${path}: not there, skipped`);
  }
  for (const index of plan.contexts.keys()) {
    const tables = sets.flatMap((set) => set[index] ?? []);
    if (tables.length > 1) console.log(EvidenceTable.meanLine(tables));
  }
  console.log(`load at the end: ${loadavg()[0]?.toFixed(1)}`);
}

/** Runs a measurement on its own server. */
async function run(measureOn: (client: MemorySidecar) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "memory-sidecar-context-"));
  const server = await startReal(directory, { core: undefined, flags: [] });
  const client = connect(`127.0.0.1:${server.port}`, { timeoutMs: 600_000 });
  try {
    await measureOn(client);
  } finally {
    client.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tokens: { type: "string" },
    modes: { type: "string", default: "window,recall,both" },
    step: { type: "string", default: "1" },
    memories: { type: "string" },
    shares: { type: "string", multiple: true, default: [] },
    personas: { type: "boolean", default: false },
  },
});
if (values.personas) {
  const budgets = (values.tokens ?? "400,4000").split(",").map(Number);
  await run((client) => measureWorth(client, budgets));
} else if (positionals.length === 0) {
  console.error("Give the files of the sets; their format is that of bench:recall.");
  process.exitCode = 2;
} else {
  const { tokens = "1000,2000,4000", memories } = values;
  const plan = planOf({ ...values, tokens, memories });
  await run((client) => measureSets(client, positionals, plan));
}
