// A gRPC hook whose summaries name the messages that they cover, and hooks files for test servers.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { coverOf } from "../process/cover.ts";
import { answerOutput, type GrpcAct, type SeenCall } from "./scripted-grpc.ts";

/** Coverage of a call: its messages, and the earlier summaries that it replaces. */
export function coverOfCall({ request }: SeenCall): string {
  const { input } = request;
  const prior = input?.replacesPrior === true ? input.priorTexts : [];
  return coverOf(...prior, input?.transcript ?? "");
}

/** Answers with the coverage that the messages claim. A chain of density takes two calls. */
export const answerCover: GrpcAct = (reply, call) => {
  const missingEntities = call.request.input?.loop === 1 ? ["what the first text lacks"] : [];
  answerOutput({ text: coverOfCall(call), missingEntities, model: "cover" })(reply, call);
};

/** The task of a call. */
export function taskIdOfCall({ metadata }: SeenCall): string {
  return String(metadata.get("memory-sidecar-task-id")[0] ?? "");
}

/** Writes a hooks file; returns its path. */
export async function writeHooks(
  folder: string,
  hooks: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Promise<string> {
  const path = join(folder, "hooks.json");
  await writeFile(path, JSON.stringify({ hooks }));
  return path;
}
