// Consumers, from the domain to the wire.

import type { Consumer } from "../../gen/memorysidecar/v1/event.ts";
import type { ConsumerView } from "../../service/api.ts";
import type { ResumeTokens } from "../resume-token.ts";
import { toTimestamp } from "./time.ts";

/** Turns a consumer into its public form. */
export function toConsumer(view: ConsumerView, namespace: string, tokens: ResumeTokens): Consumer {
  return {
    consumerId: view.consumerId,
    resumeToken: tokens.make(namespace, view.position, view.historyId),
    revision: BigInt(view.position.revision),
    lag: BigInt(view.lag),
    createTime: toTimestamp(view.createMs),
    updateTime: toTimestamp(view.updateMs),
  };
}
