import { Policy } from "../../gen/memorysidecar/v1/policy.ts";
import {
  type CountTokensRequest,
  CountTokensResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { toDraft } from "../convert/message.ts";
import { fromPolicy } from "../convert/policy.ts";
import { toTokenRule } from "../convert/token-rule.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkCountTokens } from "../validate/recall-requests.ts";

const EMPTY = new Uint8Array(0);

/** CountTokens. */
export const countTokens: UnaryRpc<CountTokensRequest> = {
  validate: checkCountTokens,
  cancelable: true,
  handle: async ({ services }, call, request) => {
    const { texts, messages, namespace: _, ...rule } = request;
    const policy = { ...Policy.decode(EMPTY), ...rule };
    const counted = await services.recall.countTokens(call, {
      texts,
      drafts: messages.map(toDraft),
      policy: fromPolicy(policy),
    });
    const counts = [...counted.texts, ...counted.messages];
    return encodeWire(CountTokensResponse, {
      textTokenCounts: counted.texts.map(Math.floor),
      messageTokenCounts: counted.messages.map(Math.floor),
      // As in any total, quarters of tokens count together.
      totalTokenCount: BigInt(Math.floor(counts.reduce((sum, count) => sum + count, 0))),
      ...toTokenRule(counted.rule),
    });
  },
};
