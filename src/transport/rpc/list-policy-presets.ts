import { PRESETS } from "../../domain/presets/index.ts";
import {
  type ListPolicyPresetsRequest,
  ListPolicyPresetsResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { toPolicyPreset } from "../convert/policy-preset.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkListPolicyPresets } from "../validate/policy.ts";

/** ListPolicyPresets. */
export const listPolicyPresets: UnaryRpc<ListPolicyPresetsRequest> = {
  validate: checkListPolicyPresets,
  handle: async () =>
    encodeWire(ListPolicyPresetsResponse, { presets: PRESETS.map(toPolicyPreset) }),
};
