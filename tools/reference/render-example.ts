// An example of an rpc: the command and its output.

import type { DescMethod, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { mapValues } from "./contract.ts";
import { isHookRpc } from "./hook.ts";
import { page } from "./markdown.ts";
import type { Example } from "./story.ts";

const ADDRESS = "127.0.0.1:50151";
const WIDTH = 90;
const LIST_MAX = 6;
const LIST_SHOWN = 3;
const TEXT_MAX = 300;

/** Address of the example hook. */
const HOOK_ADDRESS = "127.0.0.1:50200";

/** The command and its answers. */
export function exampleSection(method: DescMethod, { request, answers }: Example): string {
  const isHook = isHookRpc(method);
  const body = json(forGrpcurl(method, request as JsonObject)).replaceAll("'", "'\\''");
  // An operator's hook need not serve reflection.
  const proto = isHook ? `-import-path proto -proto ${method.parent.file.name}.proto ` : "";
  const data = body === "{}" ? "" : `-d '${body}' `;
  const address = isHook ? HOOK_ADDRESS : ADDRESS;
  const path = `${method.parent.typeName}/${method.name}`;
  return page(
    isHook ? "What the server sent, as a call by hand, and what the hook answered:" : "",
    `\`\`\`bash\ngrpcurl -plaintext ${proto}${data}${address} \\\n  ${path}\n\`\`\``,
    `\`\`\`json\n${answers.map((answer) => json(shortened(answer))).join("\n")}\n\`\`\``,
  ).trimEnd();
}

/** grpcurl expects a field mask as a message, not as the text of proto3 JSON. */
function forGrpcurl(method: DescMethod, request: JsonObject): JsonObject {
  const masks = method.input.fields.filter(
    ({ message }) => message?.typeName === "google.protobuf.FieldMask",
  );
  const changed = { ...request };
  for (const { jsonName } of masks) {
    const mask = request[jsonName];
    if (typeof mask === "string") changed[jsonName] = { paths: mask.split(",") };
  }
  return changed;
}

/** JSON with short values on one line. */
function json(value: JsonValue, indent = ""): string {
  const line = oneLine(value);
  if (typeof value !== "object" || value === null || line.length + indent.length <= WIDTH) {
    return line;
  }
  const inner = `${indent}  `;
  const [open, close, parts] = Array.isArray(value)
    ? ["[", "]", value.map((part) => json(part, inner))]
    : [
        "{",
        "}",
        Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${json(part, inner)}`),
      ];
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}

function oneLine(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(
    ([key, part]) => `${JSON.stringify(key)}: ${oneLine(part)}`,
  );
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

/** An answer with long lists and texts shortened. */
function shortened(value: JsonValue): JsonValue {
  if (typeof value === "string" && value.length > TEXT_MAX) {
    return `${value.slice(0, TEXT_MAX)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) {
    const shown = value.length > LIST_MAX ? value.slice(0, LIST_SHOWN) : value;
    const rest = value.length - shown.length;
    return [...shown.map(shortened), ...(rest > 0 ? [`… ${rest} more`] : [])];
  }
  return typeof value === "object" && value !== null ? mapValues(value, shortened) : value;
}
