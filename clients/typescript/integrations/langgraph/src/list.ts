// The records of the checkpoints that a list asks for, newest first.

import type { RunnableConfig } from "@langchain/core/runnables";
import { type CheckpointListOptions, getCheckpointId } from "@langchain/langgraph-checkpoint";
import type { MemorySidecar, RecordNameInput } from "@memory-sidecar/client";
import { lookUp, type Stored, segment } from "@memory-sidecar/client/adapters";
import type { Names } from "./checkpoints.ts";

const PAGE = 20;
const NAMES_PAGE = 1_000;

/** List to give. */
interface Wanted extends Pick<CheckpointListOptions, "before" | "limit"> {
  readonly client: MemorySidecar;
  readonly names: Names;
  readonly config: RunnableConfig;
}

/** Lists the records of checkpoints. A record may come without its value if that is large. */
export async function* listed(wanted: Wanted): AsyncGenerator<Stored> {
  const { thread_id: thread, checkpoint_ns: ns } = wanted.config.configurable ?? {};
  const { before, client, config, limit = PAGE, names } = wanted;
  const beforeId = before === undefined ? "" : getCheckpointId(before);
  const endKey = beforeId === "" ? undefined : segment(beforeId);
  const id = getCheckpointId(config);
  const pageSize = Math.max(1, Math.min(limit, PAGE));
  if (thread !== undefined && ns !== undefined && id === "") {
    const path = names.path("checkpoints", String(thread), String(ns));
    yield* client.listRecords(path, { order: "desc", endKey, includeValues: true, pageSize });
    return;
  }
  const above = thread === undefined ? [] : [String(thread)];
  if (thread !== undefined && ns !== undefined) above.push(String(ns));
  const chosen: RecordNameInput[] = [];
  const options = { recursive: true, pageSize: NAMES_PAGE };
  for await (const record of client.listRecords(names.path("checkpoints", ...above), options)) {
    const isInTime = endKey === undefined || record.key < endKey;
    const isMeant = id === "" || record.key === segment(id);
    const isInNs = ns === undefined || record.path[3] === segment(String(ns));
    if (isInTime && isMeant && isInNs) chosen.push({ path: record.path, key: record.key });
  }
  chosen.sort((a, b) => (a.key < b.key ? 1 : -1));
  for (let start = 0; start < chosen.length; start += pageSize) {
    for (const record of await lookUp(client, chosen.slice(start, start + pageSize))) {
      if (record !== undefined) yield record;
    }
  }
}
