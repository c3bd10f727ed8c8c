// The child process of verify: reads everything, checks it, and prints a report as JSON.
// Usage: node verify-child.ts DIRECTORY FACTS_MODULE

import { join } from "node:path";
import { DATA_FILE, type Environment, openEnvironment } from "../engine/environment.ts";
import { checkPages } from "../engine/page-check.ts";
import { readRedoLog, recordsToRedo } from "../engine/redo-log.ts";
import { historyIdOf, readIdentity } from "../lmdb/recovery.ts";
import type { ReadFacts } from "../store.ts";
import { Verification } from "./verification.ts";
import { damaged, type VerifyReport } from "./verify.ts";

const [, , directory = "", factsModule = ""] = process.argv;
const facts =
  factsModule === "" ? undefined : ((await import(factsModule)) as { readFacts: ReadFacts });

async function run(): Promise<VerifyReport> {
  const { problems, lost } = checkPages(join(directory, DATA_FILE));
  if (problems.length > 0) return damaged(problems);
  const env = openEnvironment({ directory, readOnly: true });
  const found = new Verification(env, facts?.readFacts).run();
  const report = withRedo(found, env);
  await env.root.close();
  return lost === undefined ? report : { ...report, wasted: lost };
}

/** The report with the groups of the redo log, or with the reason why no start carries them out. */
function withRedo(report: VerifyReport, env: Environment): VerifyReport {
  if (report.storeId === "") return report;
  try {
    const { length } = recordsToRedo(readRedoLog(directory), env, historyIdOf(readIdentity(env)));
    return length === 0 ? report : { ...report, groupsToRedo: length };
  } catch (error) {
    const kind = "the redo log cannot be carried out";
    const problem = { kind, count: 1, examples: [(error as Error).message] };
    return { ...report, clean: false, problems: [...report.problems, problem] };
  }
}

process.stdout.write(JSON.stringify(await run()));
