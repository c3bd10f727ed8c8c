// `npm run bench:context -- FILE...`: for how many questions the evidence is inside the context
// that AssembleContext makes, by tokens: with the window only, with recall only, and with both.
// Options:
//
//   --tokens 1000,2000,4000    the budgets
//   --modes window,recall,both what to measure
//   --step 1                   asks every so many questions only
//   --share SECTION=0.5        another share of a section, with both; may come several times

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { type ContextOptions, connect } from "../../clients/typescript/src/index.ts";
import { startReal } from "../processes.ts";
import { readSet } from "../recall/read-set.ts";
import { MODES, type Mode, StoredSet } from "./stored-set.ts";

const SUFFIX = /\.json(\.gz)?$/;
const SECTIONS = [
  ...(["summary", "long-term", "entities", "relations", "episodes"] as const),
  ...(["recalled-messages", "documents", "conversation"] as const),
];

interface Plan {
  readonly tokens: readonly number[];
  readonly modes: readonly Mode[];
  readonly step: number;
  readonly sections: ContextOptions["sections"];
}

function line(cells: readonly (string | number)[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}

function percent(part: number, of: number): string {
  return ((100 * part) / Math.max(1, of)).toFixed(1);
}

async function measure(path: string, plan: Plan): Promise<void> {
  const set = readSet(basename(path).replace(SUFFIX, ""), readFileSync(path));
  const directory = mkdtempSync(join(tmpdir(), "memory-sidecar-context-"));
  const server = await startReal(directory, { core: undefined, flags: [] });
  const client = connect(`127.0.0.1:${server.port}`, { timeoutMs: 600_000 });
  try {
    const stored = new StoredSet(client, set);
    await stored.store();
    for (const mode of plan.modes) {
      for (const maxTokens of plan.tokens) {
        const sections = mode === "both" ? plan.sections : undefined;
        const options = { maxTokens, ...(sections === undefined ? {} : { sections }) };
        let [count, whole, share] = [0, 0, 0];
        const times: number[] = [];
        for await (const found of stored.ask(mode, options, plan.step)) {
          times.push(found.ms);
          if (!found.question.isMain) continue;
          count += 1;
          whole += found.share === 1 ? 1 : 0;
          share += found.share;
        }
        times.sort((a, b) => a - b);
        const p50 = (times[Math.floor(times.length / 2)] ?? 0).toFixed(1);
        line([set.name, count, mode, maxTokens, percent(whole, count), percent(share, count), p50]);
      }
    }
  } finally {
    client.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function sectionsOf(shares: readonly string[]): Plan["sections"] {
  if (shares.length === 0) return undefined;
  const given = new Map(
    shares.map((one) => {
      const [name = "", share = ""] = one.split("=");
      return [name, Number(share)] as const;
    }),
  );
  return SECTIONS.map((kind) => {
    const share = given.get(kind);
    return share === undefined ? { kind } : { kind, share };
  });
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tokens: { type: "string", default: "1000,2000,4000" },
    modes: { type: "string", default: "window,recall,both" },
    step: { type: "string", default: "1" },
    share: { type: "string", multiple: true, default: [] },
  },
});
if (positionals.length === 0) {
  console.error("Give the files of the sets; their format is that of bench:recall.");
  process.exitCode = 2;
} else {
  const asked = values.modes.split(",");
  const plan: Plan = {
    tokens: values.tokens.split(",").map(Number),
    modes: MODES.filter((mode) => asked.includes(mode.split(" ")[0] ?? "")),
    step: Number(values.step),
    sections: sectionsOf(values.share),
  };
  line(["set", "questions", "context", "tokens", "all evidence, %", "mean share, %", "p50 ms"]);
  line(Array.from({ length: 7 }, () => "---"));
  for (const path of positionals) {
    if (existsSync(path)) await measure(path, plan);
    else console.log(`${path}: not there, skipped`);
  }
}
