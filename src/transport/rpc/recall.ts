import { scoredKind } from "../../domain/recall/scoring.ts";
import { type RecallRequest, RecallResponse } from "../../gen/memorysidecar/v1/recall_service.ts";
import { encodeHit, fromRecall, toCoverage } from "../convert/recall.ts";
import { encodeWire } from "../fast-writer.ts";
import { numberPosition } from "../page-token.ts";
import { recallScored } from "../recall-scored.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";
import { checkRecall } from "../validate/recall-requests.ts";

const HITS_FIELD = 1;

/** Recall. */
export const recall: UnaryRpc<RecallRequest> = {
  validate: checkRecall,
  cancelable: true,
  handle: async ({ services, etags, pageTokens }, call, request) => {
    const { pageToken } = request;
    const offset = pageToken === "" ? 0 : numberPosition(pageTokens.read(call.digest, pageToken));
    const input = fromRecall(request, offset);
    const found =
      scoredKind(request.scoring) === undefined
        ? await services.recall.recall(call, input)
        : await recallScored({ services, etags }, call, { input, scoring: request.scoring });
    const { hits, next, groups, coverage } = found;
    const rest = encodeWire(RecallResponse, {
      hits: [],
      nextPageToken: next === undefined ? "" : pageTokens.make(call.digest, String(next)),
      sessions: groups.map(({ kind, id, score, hitCount }) => ({
        sessionId: kind === "session" ? id : "",
        collectionId: kind === "collection" ? id : "",
        score,
        hitCount,
      })),
      coverage: toCoverage(coverage),
    });
    const encoded = hits.map((hit) =>
      encodeHit(hit, { withEmbeddings: input.withEmbeddings, etags }),
    );
    return spliceField(HITS_FIELD, encoded, rest);
  },
};
