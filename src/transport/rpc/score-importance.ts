import {
  type ScoreImportanceRequest,
  ScoreImportanceResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { fromImportanceRules } from "../convert/memory-policy.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkScoreImportance } from "../validate/memory-query-requests.ts";

/** ScoreImportance. */
export const scoreImportance: UnaryRpc<ScoreImportanceRequest> = {
  validate: checkScoreImportance,
  handle: async ({ services }, call, { texts, rules }) => {
    const input = { texts, rules: fromImportanceRules(rules) };
    const scores = await services.memories.scoreImportance(call, input);
    return encodeWire(ScoreImportanceResponse, { scores: [...scores] });
  },
};
