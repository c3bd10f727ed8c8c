import type { UnaryRpc } from "../edge/rpc.ts";
import {
  type EraseSubjectRequest,
  EraseSubjectResponse,
  type GetErasureRequest,
  GetErasureResponse,
} from "../gen/memorysidecar/v1/admin_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { fromSubject, toErasure } from "./wire.ts";

/** EraseSubject. */
export const eraseSubject: UnaryRpc<EraseSubjectRequest> = {
  cancelable: ({ dryRun }) => dryRun,
  handle: ({ services }, call, { namespace, subject, dryRun }) => {
    if (subject === undefined) throw new Error("the request was not checked");
    return services.erasures.eraseSubject(call, {
      namespace,
      subject: fromSubject(subject),
      dryRun,
      encode: (receipt) => encodeWire(EraseSubjectResponse, { erasure: toErasure(receipt) }),
    });
  },
};

/** GetErasure. */
export const getErasure: UnaryRpc<GetErasureRequest> = {
  handle: async ({ services }, call, { namespace, erasureId }) => {
    const ref = { namespace, erasureId };
    const receipt = await services.erasures.getErasure(call, ref);
    return encodeWire(GetErasureResponse, { erasure: toErasure(receipt) });
  },
};
