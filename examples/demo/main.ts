// npm run demo: a real server, a recorded conversation, a kill -9 in the middle.
//
//   npm run demo                        the conversation in examples/conversation.json
//   npm run demo -- FILE --limit 3      another conversation, or a set of conversations
//   npm run demo -- --fast              without pauses

import { join } from "node:path";
import { parseArgs } from "node:util";
import { readConversation } from "./conversation.ts";
import { playConversation } from "./play.ts";
import { replaySet } from "./replay.ts";
import { openScreen } from "./screen.ts";
import { isGzip, readSet } from "./sets.ts";

const DEFAULT_FILE = join(import.meta.dirname, "../conversation.json");
const USAGE = "usage: npm run demo -- [FILE] [--limit N] [--fast]";

interface Arguments {
  readonly file: string;
  readonly limit: number;
  readonly isFast: boolean;
}

function readArguments(argv: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { fast: { type: "boolean", default: false }, limit: { type: "string" } },
  });
  const limit = values.limit === undefined ? Number.POSITIVE_INFINITY : Number(values.limit);
  const isWhole = limit === Number.POSITIVE_INFINITY || Number.isInteger(limit);
  if (positionals.length > 1 || !isWhole || limit < 1) throw new Error(USAGE);
  return { file: positionals[0] ?? DEFAULT_FILE, limit, isFast: values.fast };
}

async function main(): Promise<number> {
  let args: Arguments;
  try {
    args = readArguments(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
  const screen = openScreen(process.stdout, args.isFast);
  const isGood = isGzip(args.file)
    ? await replaySet(screen, readSet(args.file).slice(0, args.limit))
    : await playConversation(screen, readConversation(args.file));
  return isGood ? 0 : 1;
}

// Leaving through exit() stops the server and removes the store.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => process.exit(130));
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`The demo failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
