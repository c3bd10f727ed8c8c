// Parts of adapters, the packages that put the client into frameworks:
// `@memory-sidecar/client/adapters`.

export { attempt, MAX_UPLOADS, tryWrite, uploadAll } from "./attempts.ts";
export { BATCH_BYTES, batchesOf, CUT_CHARS, MAX_PAYLOAD_BYTES } from "./batches.ts";
export { passOver } from "./errors.ts";
export { digestOf, isDigest, isName, MAX_KEY_BYTES, segment, textOf } from "./names.ts";
export {
  deleteBelow,
  existing,
  lookUp,
  MAX_OPERATIONS,
  readAgain,
  readWhole,
  type Stored,
  write,
} from "./records.ts";
export { checkUser } from "./users.ts";
