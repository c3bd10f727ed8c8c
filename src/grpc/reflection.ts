// Server reflection: the contract, for clients that ask the server for it.

import { toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, type FileDescriptorSet } from "@bufbuild/protobuf/wkt";
import type { handleBidiStreamingCall, Server, ServerDuplexStream } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";

const METHOD = "ServerReflectionInfo";

type Service = Parameters<Server["addService"]>;

/** The services of reflection, one for each of its versions, over encoded files of descriptors. */
function reflectionServices(fileDescriptorProtos: Buffer[]): readonly Service[] {
  // Only the descriptors are looked at; the rest makes the entry the simplest one that is allowed.
  const format = "Protocol Buffer 3 EnumDescriptorProto" as const;
  const image = { format, type: {}, fileDescriptorProtos };
  const services: Service[] = [];
  new ReflectionService({ image }).addToServer({
    addService: (...service) => void services.push(service),
  });
  return services;
}

/**
 * Adds reflection, fed with the descriptors as they were compiled. Indexing them takes a good part
 * of a start and few servers are ever asked, so the first call does it.
 */
export function addReflection(server: Server, descriptors: FileDescriptorSet): void {
  let indexed: readonly Service[] | undefined;
  const index = () =>
    reflectionServices(
      descriptors.file.map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file))),
    );
  for (const [at, [definition]] of reflectionServices([]).entries()) {
    server.addService(definition, {
      [METHOD]: (call: ServerDuplexStream<unknown, unknown>) => {
        indexed ??= index();
        const answer = indexed[at]?.[1][METHOD] as handleBidiStreamingCall<unknown, unknown>;
        answer(call);
      },
    });
  }
}
