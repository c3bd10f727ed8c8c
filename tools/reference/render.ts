// The pages of docs/reference, made from the contract and its played examples.

import type { DescFile, DescMethod, DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import { type Contract, rpcsOf } from "./contract.ts";
import { descriptionOf, errorsOf, type Reason, reasonsOf } from "./errors.ts";
import { isHookRpc } from "./hook.ts";
import { firstSentence, page, table } from "./markdown.ts";
import { exampleSection } from "./render-example.ts";
import {
  fieldTable,
  type Place,
  rpcPage,
  type TypePages,
  typePagesOf,
  typeSection,
  typesOn,
  typesPage,
} from "./render-types.ts";
import type { Example } from "./story.ts";

/** Rpcs that an agent needs first. */
const FIRST = [
  ...["CreateSession", "GetSession", "UpdateSession", "AppendMessages", "GetWindow"],
  ...["TrimSession", "Remember", "Recall", "AssembleContext", "WatchEvents"],
];

const GENERATED = "<!-- Made from proto/ by `npm run gen`; do not edit. -->";

const INTRODUCTION = `One page for each rpc: what it does, its fields, its errors and an example.

The examples are one story, played against a real server. They are calls of
[grpcurl](https://github.com/fullstorydev/grpcurl), which asks the server for its contract, and
their answers. JSON names are the names of the fields in camelCase; integers of 64 bits are texts,
bytes are base64, and what is not set is left out. Long lists and texts of answers are shortened. A
server with tokens asks every call for \`-H 'authorization: Bearer TOKEN'\`.

What the server checks of each field stands under Rules. Programs read the same from the options
of the fields, which [rules.proto](types/rules.md) defines: from the descriptors in generated code
of Python, Go, Java and others, or by server reflection.`;

/** Every page by its path in the folder of the reference. */
export function renderPages(
  contract: Contract,
  examples: ReadonlyMap<string, Example>,
): Map<string, string> {
  const pages = typePagesOf(contract);
  const reasons = reasonsOf(contract);
  const texts = new Map([
    ["README.md", indexPage(contract, pages)],
    ["errors.md", errorPage(contract, reasons)],
  ]);
  for (const service of contract.services) {
    texts.set(`${service.name}/README.md`, servicePage(contract, service));
  }
  for (const method of rpcsOf(contract)) {
    const place = { contract, pages, page: rpcPage(method) };
    const example = examples.get(method.name);
    texts.set(place.page, methodPage(place, method, { example, reasons }));
  }
  for (const file of filesWithTypes(contract, pages)) {
    texts.set(typesPage(file), fileTypesPage(contract, pages, file));
  }
  return texts;
}

function methodPage(
  place: Place,
  method: DescMethod,
  { example, reasons }: { example: Example | undefined; reasons: readonly Reason[] },
): string {
  const { contract } = place;
  const { input, output, parent } = method;
  const own = typesOn(place)
    .filter((type) => type !== input && type !== output)
    .map((type) => typeSection(place, type));
  return page(
    GENERATED,
    `# ${method.name}`,
    `\`${parent.typeName}/${method.name}\` · [${parent.name}](README.md) · [reference](../README.md)`,
    descriptionOf(contract, method),
    repeatText(method),
    contract.rules.isDestructive(method)
      ? "A field that the server does not know is `REQUEST_INVALID`, at any depth."
      : "",
    "## Request",
    contract.comment(input.typeName),
    fieldTable(place, input),
    method.methodKind === "unary" ? "## Answer" : "## Answers, as a stream",
    contract.comment(output.typeName),
    fieldTable(place, output),
    ...(own.length === 0 ? [] : ["## Types of this rpc", ...own]),
    ...(isHookRpc(method) ? [] : ["## Errors", errorTable(contract, method, reasons)]),
    ...(example === undefined ? [] : ["## Example", exampleSection(method, example)]),
  );
}

function repeatText(method: DescMethod): string {
  if (method.idempotency === Idempotency.NO_SIDE_EFFECTS) return "It changes nothing.";
  if (method.input.fields.some(({ name }) => name === "request_id")) {
    return "A repeat with the same `request_id` gets the first answer and changes nothing.";
  }
  return method.idempotency === Idempotency.IDEMPOTENT ? "It may be repeated." : "";
}

const COMMON = "the [errors of every rpc](../errors.md#errors-of-every-rpc)";

function errorTable(contract: Contract, method: DescMethod, reasons: readonly Reason[]): string {
  const errors = errorsOf(contract, method);
  if (errors.length === 0) return `Only ${COMMON}.`;
  const rows = errors.flatMap(({ reasons: names, code, when }) =>
    names.map((name) => {
      const reason = reasons.find((one) => one.name === name);
      if (reason === undefined) throw new Error(`${method.name}: there is no reason ${name}`);
      return [`[\`${name}\`](../errors.md#${name.toLowerCase()})`, code, reason.retry, when];
    }),
  );
  return `${table(["Reason", "Code", "Retry", "When"], rows)}\n\nBesides, ${COMMON}.`;
}

/** Files with types that more than one rpc uses. */
function filesWithTypes(contract: Contract, pages: TypePages): readonly DescFile[] {
  return contract.files.filter(
    (file) => typesOn({ contract, pages, page: typesPage(file) }).length > 0,
  );
}

function fileTypesPage(contract: Contract, pages: TypePages, file: DescFile): string {
  const place = { contract, pages, page: typesPage(file) };
  return page(
    GENERATED,
    `# Types of ${file.name}.proto`,
    "Types that more than one rpc uses · [reference](../README.md)",
    ...typesOn(place).map((type) => typeSection(place, type)),
  );
}

function errorPage(contract: Contract, reasons: readonly Reason[]): string {
  const rows = reasons.map(({ name, code, retry, meaning, remedy, metadata }) => [
    `<a id="${name.toLowerCase()}"></a>\`${name}\``,
    ...[code, retry, meaning, remedy, metadata].map((cell) => cell.replaceAll("|", "\\|")),
  ]);
  return page(
    GENERATED,
    "# Errors",
    "[Reference](README.md)",
    contract.comment("memorysidecar.v1.ErrorReason"),
    "## Errors of every rpc",
    commonErrors(contract),
    "## Every reason",
    table(["Reason", "Code", "Retry the same request", "Meaning", "Remedy", "Metadata"], rows),
  );
}

/** Errors that the comment of SessionService documents for every rpc. */
function commonErrors(contract: Contract): string {
  const paragraphs = contract.comment("memorysidecar.v1.SessionService").split("\n\n");
  const found = paragraphs.find((text) => text.startsWith("Every rpc may also fail"));
  if (found === undefined) {
    throw new Error("the comment of SessionService lacks `Every rpc may also fail with ...`");
  }
  return found;
}

function servicePage(contract: Contract, service: DescService): string {
  return page(
    GENERATED,
    `# ${service.name}`,
    `\`${service.typeName}\` · [reference](../README.md)`,
    contract.comment(service.typeName),
    rpcTable(contract, service.methods, ""),
  );
}

function indexPage(contract: Contract, pages: TypePages): string {
  const rpcs = rpcsOf(contract);
  const first = FIRST.map((name) => {
    const found = rpcs.find((method) => method.name === name);
    if (found === undefined) throw new Error(`FIRST names ${name}, which is no rpc`);
    return found;
  });
  const services = contract.services.flatMap((service) => [
    `## [${service.name}](${service.name}/README.md)`,
    contract.comment(service.typeName).split("\n\n")[0] ?? "",
    rpcTable(contract, service.methods, `${service.name}/`),
  ]);
  const types = filesWithTypes(contract, pages).map(
    (file) => `[${file.name.split("/").at(-1)}](${typesPage(file)})`,
  );
  return page(
    GENERATED,
    "# Reference",
    INTRODUCTION,
    "## The ten that an agent needs first",
    rpcTable(contract, first),
    ...services,
    "## Types that more than one rpc uses",
    types.join(" · "),
    "## Errors",
    "[Errors](errors.md) lists every reason with its code, whether to retry, and what to do.",
  );
}

/** Rpcs with a description of each. Links include the service's folder unless one is given. */
function rpcTable(contract: Contract, methods: readonly DescMethod[], folder?: string): string {
  const rows = methods.map((method) => [
    `[${method.name}](${folder ?? `${method.parent.name}/`}${method.name}.md)`,
    firstSentence(descriptionOf(contract, method)),
  ]);
  return table(["Rpc", "What it does"], rows);
}
