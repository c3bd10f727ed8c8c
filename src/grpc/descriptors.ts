// The committed image of the contract: it feeds reflection and the check of incoming bytes, so that
// neither can differ from the proto files.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorSet, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

// The image lies two folders above this file, in the sources as in the built package.
const IMAGE = new URL("../../proto/image.binpb", import.meta.url);

/** Reads the descriptors of every proto file. Throws when the image is missing or damaged. */
export function loadDescriptors(): FileDescriptorSet {
  return fromBinary(FileDescriptorSetSchema, readFileSync(fileURLToPath(IMAGE)));
}
