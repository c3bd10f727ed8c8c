// What hooks of the kind `grpc` do for long-term memory.

import { BinaryWriter } from "@bufbuild/protobuf/wire";
import {
  ExtractFactsRequest,
  ExtractFactsResponse,
  HookServiceService,
  ResolveConflictRequest,
  ResolveConflictResponse,
  ScoreTextsRequest,
  ScoreTextsResponse,
} from "../gen/memorysidecar/hook/v1/hook_service.ts";
import { type DirectCall, type Hook, HookFailure } from "../service/hook-port.ts";
import {
  checkedExtracted,
  checkedImportance,
  checkedResolution,
} from "../service/memory-answers.ts";
import { extractInputBytes, rawExtracted, rawResolution } from "./wire-memories.ts";

/** Makes one call. Gives the bytes of the answer. */
type Ask = (call: DirectCall, path: string, bytes: Uint8Array) => Promise<Buffer>;

const { extractFacts, scoreTexts, resolveConflict } = HookServiceService;

// The number of the field that is written by hand.
const INPUT_TAG = (3 << 3) | 2;

/** What a hook does for long-term memory, by a server of the operator. */
export function memoryWork(
  does: "extract" | "score" | "resolve",
  ask: Ask,
): Pick<Hook, "extract" | "score" | "resolve"> {
  if (does === "extract") {
    return {
      extract: async (call, input) => {
        const { namespace, sessionId } = call;
        const request = ExtractFactsRequest.encode(
          { namespace, sessionId, input: undefined },
          new BinaryWriter(),
        );
        const bytes = request.uint32(INPUT_TAG).bytes(extractInputBytes(input)).finish();
        const answer = await ask(call, extractFacts.path, bytes);
        const { output } = decoded(ExtractFactsResponse.decode, answer);
        return checkedExtracted(output && rawExtracted(output), input);
      },
    };
  }
  if (does === "score") {
    return {
      score: async (call, texts) => {
        const request = { namespace: call.namespace, input: { texts: [...texts] } };
        const bytes = ScoreTextsRequest.encode(request).finish();
        const answer = await ask(call, scoreTexts.path, bytes);
        const { output } = decoded(ScoreTextsResponse.decode, answer);
        return checkedImportance(output, texts.length);
      },
    };
  }
  return {
    resolve: async (call, { text, known, key }) => {
      const request = { namespace: call.namespace, input: { text, known: [...known], key } };
      const bytes = ResolveConflictRequest.encode(request).finish();
      const answer = await ask(call, resolveConflict.path, bytes);
      const { output } = decoded(ResolveConflictResponse.decode, answer);
      return checkedResolution(output && rawResolution(output));
    },
  };
}

function decoded<T>(decode: (bytes: Buffer) => T, bytes: Buffer): T {
  try {
    return decode(bytes);
  } catch {
    throw new HookFailure("invalid-output", "The answer is not of the type of the call.");
  }
}
