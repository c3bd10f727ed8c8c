import {
  type GetServerInfoRequest,
  GetServerInfoResponse,
  type Limit,
} from "../gen/memorysidecar/v1/admin_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { toTimestamp } from "../grpc/time.ts";
import { LIMITS } from "../kit/limits.ts";
import { publicName } from "../kit/text.ts";
import type { UnaryRpc } from "./rpc.ts";

/** GetServerInfo. */
export const getServerInfo: UnaryRpc<GetServerInfoRequest> = {
  handle: async ({ services, server }) => {
    const store = services.admin.storeInfo();
    return encodeWire(GetServerInfoResponse, {
      version: server.version,
      storeId: store.storeId,
      storeFormat: store.storeFormat,
      capabilities: [...CAPABILITIES],
      limits: publicLimits(server.limits),
      startTime: toTimestamp(server.startMs),
    });
  },
};

// Capabilities and limits of the server.

/** Capabilities of this server, described in the comment of the field, in alphabetical order. */
export const CAPABILITIES = [
  "after_revision",
  "append_record_operations",
  "assemble_context",
  "back_up",
  "collection_paths",
  "compact_session",
  "compact_store",
  "consumers",
  "context_blocks",
  "context_forms",
  "count_items",
  "count_tokens",
  "delete_found_messages",
  "document_lists",
  "document_payload",
  "document_scopes",
  "document_ttl",
  "documents",
  "embed",
  "erase_subject",
  "event_sessions",
  "events",
  "extract_memories",
  "fill_tool_results",
  "find_messages",
  "fork",
  "hook_workers",
  "hooks",
  "idempotency",
  "large_recalls",
  "memories",
  "memory_policies",
  "memory_tasks",
  "memory_versions",
  "message_batches",
  "message_forms",
  "message_lists",
  "messages",
  "metadata_labels",
  "metadata_texts",
  "metadata_trees",
  "namespaces",
  "on_existing",
  "owned_by_scopes",
  "placed_summaries",
  "policy_conditions",
  "policy_presets",
  "policy_preview",
  "preview_forms",
  "recall",
  "record_paths",
  "record_search",
  "record_uploads",
  "records",
  "relations",
  "replace_forms",
  "replace_messages",
  "restore",
  "session_lists",
  "session_messages",
  "sessions",
  "snapshots",
  "summary_history",
  "token_preset_chars_floor_4",
  "token_preset_chars_floor_4_min_1",
  "token_preset_chars_sum_4",
  "token_preset_structured",
  "token_rule_bytes_div_4",
  "token_rule_chars_div_4",
  "token_rule_cl100k",
  "token_rule_custom",
  "token_rule_given",
  "token_rule_model",
  "token_rule_o200k",
  "token_rule_words",
  "tool_results",
  "ttl",
  "turn_episodes",
  "turns",
  "unknown_fields_refused",
  "window_as_of",
  "window_policies",
] as const;

/** The fixed limits and those of the settings under their public names, in alphabetical order. */
function publicLimits(configured: Readonly<Record<string, number>>): Limit[] {
  return Object.entries({ ...LIMITS, ...configured })
    .map(([name, value]) => ({ name: publicName(name), value: BigInt(value) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
