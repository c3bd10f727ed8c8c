import { EmbeddingPurpose } from "../../gen/memorysidecar/v1/document.ts";
import type { EmbedRequest } from "../../gen/memorysidecar/v1/recall_service.ts";
import { encodeEmbedding } from "../convert/embedding.ts";
import { fromNamespace } from "../convert/session.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";
import { checkEmbed } from "../validate/recall-requests.ts";

const EMBEDDINGS_FIELD = 1;

/** Embed. */
export const embed: UnaryRpc<EmbedRequest> = {
  validate: checkEmbed,
  cancelable: true,
  handle: async ({ services }, call, { namespace, texts, purpose }) => {
    const { model, vectors } = await services.recall.embed(call, {
      namespace: fromNamespace(namespace),
      texts,
      purpose: purpose === EmbeddingPurpose.QUERY ? "query" : "passage",
    });
    const embeddings = vectors.map((values) => encodeEmbedding({ model, values }));
    return spliceField(EMBEDDINGS_FIELD, embeddings, new Uint8Array(0));
  },
};
