// Resources: the working memory and the metadata of a user.

import type { StorageResourceType } from "@mastra/core/storage";
import type { MemorySidecar, RecordDemand, RecordOperationInput } from "@memory-sidecar/client";
import { lookUp, tryWrite, write } from "@memory-sidecar/client/adapters";
import { resourceName } from "./names.ts";
import { ownedBy } from "./threads.ts";

/** Change of a resource. */
interface Update {
  readonly resourceId: string;
  readonly workingMemory?: string | undefined;
  readonly metadata?: Record<string, unknown> | undefined;
}

/** The resources of a client's namespace. */
export class Resources {
  readonly #client: MemorySidecar;

  constructor(client: MemorySidecar) {
    this.#client = client;
  }

  async get(resourceId: string): Promise<StorageResourceType | null> {
    return (await this.#stored(resourceId)).resource ?? null;
  }

  async save(resource: StorageResourceType): Promise<void> {
    await write(this.#client, [putOf(resource)]);
  }

  /** Changes or creates a resource. Repeats the change if another program was faster. */
  async update({ resourceId, workingMemory, metadata }: Update): Promise<StorageResourceType> {
    for (;;) {
      const { resource: before, version } = await this.#stored(resourceId);
      const now = new Date();
      const working = workingMemory ?? before?.workingMemory;
      const resource: StorageResourceType = {
        ...(before ?? { id: resourceId, createdAt: now }),
        ...(working === undefined ? {} : { workingMemory: working }),
        ...{ metadata: { ...before?.metadata, ...metadata }, updatedAt: now },
      };
      const demand = version === undefined ? { exists: false } : { version };
      if (await tryWrite(this.#client, [putOf(resource, demand)])) return resource;
    }
  }

  async #stored(resourceId: string) {
    const [record] = await lookUp(this.#client, [resourceName(resourceId)]);
    if (record === undefined) return {};
    const resource = JSON.parse(record.value.toString()) as StorageResourceType;
    const [createdAt, updatedAt] = [new Date(resource.createdAt), new Date(resource.updatedAt)];
    return { resource: { ...resource, createdAt, updatedAt }, version: record.version };
  }
}

function putOf(resource: StorageResourceType, demand: RecordDemand = {}): RecordOperationInput {
  const value = JSON.stringify(resource);
  const record = { ...resourceName(resource.id), ...ownedBy(resource.id), ...demand };
  return { put: { ...record, mediaType: "application/json", value } };
}
