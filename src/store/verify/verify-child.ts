// The child process of verify: reads everything, checks it, and prints a report as JSON.
// Usage: node verify-child.ts DIRECTORY FACTS_MODULE

import { join } from "node:path";
import { DATA_FILE, openEnvironment } from "../engine/environment.ts";
import { checkPages } from "../engine/page-check.ts";
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
  const report = new Verification(env, facts?.readFacts).run();
  await env.root.close();
  return lost === undefined ? report : { ...report, wasted: lost };
}

process.stdout.write(JSON.stringify(await run()));
