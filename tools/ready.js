// Makes the generated TypeScript when it is missing or out of date. `npm ci` and every script of
// package.json that needs it run this first; so does vitest.
//
// JavaScript, so that any Node can say what is missing before `npm ci` has brought Node 24.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

if (!existsSync(`${root}node_modules/ts-proto`)) {
  // An installation without development packages runs dist/ and needs no generated code.
  if (process.env["npm_lifecycle_event"] !== "prepare") {
    console.error("The packages of this repository are not installed. Run `npm ci` first.");
    process.exitCode = 1;
  }
} else if (!process.features.typescript) {
  console.error(
    `This needs Node 24 and runs on ${process.version}. Put node_modules/.bin first in the path.`,
  );
  process.exitCode = 1;
} else {
  const { refreshTypeScript } = await import("./generate.ts");
  refreshTypeScript(root);
}
