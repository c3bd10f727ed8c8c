// One version of the server against another, by turns in one run: what a change of the code costs.
//
//   node bench/versus.ts OTHER [STARTS]
//
// OTHER is a second checkout, ready to run; this one against itself shows how far to trust a ratio.

import { resolve } from "node:path";
import { byTurns, printRatios } from "./by-turns.ts";

const [other = "", starts = "8"] = process.argv.slice(2);
const ours = resolve(import.meta.dirname, "..");
const effort = { starts: Number(starts), rounds: 3, warmMs: 200, measureMs: 500, pin: true };
printRatios(await byTurns(ours, new Map([["", resolve(other)]]), effort));
