// Resources: the working memory and the metadata of a user.

import type { StorageResourceType } from "@mastra/core/storage";
import type { MemorySidecar } from "@memory-sidecar/client";
import { lookUp, putOf, tryWrite } from "@memory-sidecar/client/adapters";
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
    await this.#client.writeRecords([await this.#put(resource, {})]);
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
      const put = await this.#put(resource, demand);
      if (await tryWrite(this.#client, [put])) return resource;
    }
  }

  async #stored(resourceId: string) {
    const [record] = await lookUp(this.#client, [resourceName(resourceId)]);
    if (record === undefined) return {};
    const resource = JSON.parse(record.value.toString()) as StorageResourceType;
    const [createdAt, updatedAt] = [new Date(resource.createdAt), new Date(resource.updatedAt)];
    return { resource: { ...resource, createdAt, updatedAt }, version: record.version };
  }

  async #put(resource: StorageResourceType, demand: object) {
    return await putOf(this.#client, {
      ...{ ...resourceName(resource.id), ...ownedBy(resource.id), ...demand },
      ...{ mediaType: "application/json", value: Buffer.from(JSON.stringify(resource)) },
    });
  }
}
