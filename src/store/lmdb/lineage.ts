// The lineage of a store: the epochs that made its commits. Each start that commits is an epoch of
// its own with a random id, so a token can name the state that it was given out in. A copy that is
// put back lacks the epochs, or the end of the epoch, that the original went on with.

import { randomBytes } from "node:crypto";
import { recordCorrupt } from "../../kit/errors.ts";
import { seal, unseal } from "../engine/envelope.ts";
import type { Environment } from "../engine/environment.ts";
import { decodeRecord } from "../engine/reads.ts";
import type { Lineage } from "../store.ts";

const EPOCHS_KEY = "epochs";

/** The newest epochs that are kept. A token of an older one is refused. */
const EPOCHS_MAX = 1_024;

interface Epoch {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** The newest commit of the epochs before. */
  readonly after: number;
}

/** Reads the epochs of a store, oldest first; none in a store that noted none yet. */
export function readEpochs(env: Environment): readonly Epoch[] {
  const record = env.meta.get(EPOCHS_KEY);
  if (record === undefined) return [];
  const payload = unseal(EPOCHS_KEY, record, "the epochs of the store");
  const epochs = decodeRecord("the epochs of the store", payload, (bytes) => {
    return JSON.parse(Buffer.from(bytes).toString("utf8")) as Epoch[];
  });
  if (!Array.isArray(epochs)) throw recordCorrupt("the epochs of the store are damaged");
  return epochs;
}

/** Notes that an epoch begins after a commit. Gives all epochs that are kept. */
export async function beginEpoch(env: Environment, commitNo: number): Promise<readonly Epoch[]> {
  const old = readEpochs(env);
  // No token names an epoch without commits, but for the first one.
  const isUnused = old.length > 1 && old.at(-1)?.after === commitNo;
  const made = isUnused ? old.slice(0, -1) : old;
  const id = randomBytes(8).toString("hex");
  const epochs = [...made, { id, after: commitNo }].slice(-EPOCHS_MAX);
  const record = seal(EPOCHS_KEY, Buffer.from(JSON.stringify(epochs)));
  await env.root.batch(() => {
    env.meta.put(EPOCHS_KEY, record);
  });
  return epochs;
}

/**
 * The lineage that a server gives out. Undefined without an epoch.
 *
 * @param durable - Gives the newest durable commit.
 */
export function lineageOf(epochs: readonly Epoch[], durable: () => number): Lineage | undefined {
  const current = epochs.at(-1);
  if (current === undefined) return undefined;
  const before = epochs.at(-2) ?? current;
  const ends = new Map(
    epochs.map(({ id, after }, at) => [id, { after, end: epochs[at + 1]?.after }]),
  );
  return {
    mark: () => {
      const commitNo = durable();
      return { epoch: commitNo > current.after ? current.id : before.id, commitNo };
    },
    includes: ({ epoch, commitNo }) => {
      const known = ends.get(epoch);
      if (known === undefined) return false;
      return commitNo >= known.after && commitNo <= (known.end ?? durable());
    },
  };
}
