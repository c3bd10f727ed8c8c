import { PRESETS } from "../../domain/presets/index.ts";
import { PolicyPreset } from "../../gen/memorysidecar/v1/policy.ts";
import {
  type ListPolicyPresetsRequest,
  ListPolicyPresetsResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { fillPage, pageLimit } from "../convert/page.ts";
import { toPolicyPreset } from "../convert/policy-preset.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";

const PAGE_SIZE_DEFAULT = 100;
const PRESETS_FIELD = 1;
const BY_NAME = PRESETS.toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** ListPolicyPresets. The position of a page token is the last name of the page before. */
export const listPolicyPresets: UnaryRpc<ListPolicyPresetsRequest> = {
  handle: async ({ pageTokens }, { digest }, { pageSize, pageToken }) => {
    const after = pageToken === "" ? "" : pageTokens.read(digest, pageToken);
    const left = BY_NAME.filter(({ name }) => name > after);
    const presets = fillPage(left.slice(0, pageLimit(pageSize, PAGE_SIZE_DEFAULT)), (preset) =>
      encodeWire(PolicyPreset, toPolicyPreset(preset)),
    );
    const last = presets.length < left.length ? left[presets.length - 1] : undefined;
    const nextPageToken = last === undefined ? "" : pageTokens.make(digest, last.name);
    const rest = encodeWire(ListPolicyPresetsResponse, { presets: [], nextPageToken });
    return spliceField(PRESETS_FIELD, presets, rest);
  },
};
