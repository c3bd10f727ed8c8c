// TypeScript: the tour of the client. The stage "clients" runs its whole suite.

import { test } from "vitest";
import { takeTour } from "./tour.ts";

test("TypeScript has a client whose tour prints what those of all languages print", async () => {
  await takeTour({ program: process.execPath, args: ["clients/typescript/examples/tour.ts"] });
}, 60_000);
