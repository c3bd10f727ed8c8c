// The child process of verify: reads everything, checks it, and prints a report as JSON.
// Usage: node verify-child.ts DIRECTORY FACTS_MODULE

import type { ReadFacts } from "../store.ts";
import { openEnvironment } from "./environment.ts";
import { Verification } from "./verification.ts";

const [, , directory = "", factsModule = ""] = process.argv;
const facts =
  factsModule === "" ? undefined : ((await import(factsModule)) as { readFacts: ReadFacts });
const env = openEnvironment({ directory, readOnly: true });
const report = new Verification(env, facts?.readFacts).run();
process.stdout.write(JSON.stringify(report));
await env.root.close();
