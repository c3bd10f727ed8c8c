// Extraction through the hook, as adapters use it: the output of a case's model goes to the server
// verbatim, and the adapter returns what the server stores of it.

import { isMemorySidecarError } from "../../clients/typescript/src/errors.ts";
import {
  ExtractionPolicy,
  type ExtractionTarget,
  type Memory,
} from "../../clients/typescript/src/gen/memorysidecar/v1/memory.ts";
import type { ExtractMemoriesRequest } from "../../clients/typescript/src/gen/memorysidecar/v1/memory_service.ts";
import { type ChatLine, FINDER } from "./chat.ts";
import { type Json, listOf } from "./json.ts";
import type { Rpc } from "./rpc.ts";

/** The model of a case, with what it was asked, call by call. */
export interface Finder {
  readonly asked: (readonly ChatLine[])[];
}

/** Lets the answers of a case be the model's, one for each call; without one left it fails. */
export function openFinder(rpc: Rpc, answers: Json | undefined): Finder {
  const asked: (readonly ChatLine[])[] = [];
  const list = listOf(answers, "the answers of a model");
  rpc.chat((lines) => {
    const answer = list[asked.length];
    asked.push(lines);
    if (answer === undefined) return undefined;
    return typeof answer === "string" ? answer : JSON.stringify(answer);
  });
  return { asked };
}

/** Instructions for the hook to find things of one kind. */
export function findBy(target: ExtractionTarget): ExtractionPolicy {
  return ExtractionPolicy.fromPartial({ hook: FINDER, targets: [target] });
}

/**
 * Finds things, and remembers nothing. Where the source finds nothing in an answer that nobody can
 * read, the server says that its hook has failed: a caller takes that as nothing.
 */
export async function find(
  rpc: Rpc,
  target: ExtractionTarget,
  where: Partial<ExtractMemoriesRequest>,
): Promise<readonly Memory[]> {
  const extraction = findBy(target);
  try {
    const request = { ...where, extraction, preview: true };
    return (await rpc.call("extractMemories", request)).memories;
  } catch (error) {
    if (isMemorySidecarError(error, "HOOK_FAILED")) return [];
    throw error;
  }
}
