// How deep a JSON text is. Nothing of it is kept: the server holds it as the bytes it got.

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Gives how many objects and arrays a JSON text has one within the other, at most; undefined for
 * bytes that are no JSON in UTF-8.
 */
export function jsonDepth(bytes: Uint8Array): number | undefined {
  try {
    const text = UTF_8.decode(bytes);
    JSON.parse(text);
    return depthOf(text);
  } catch {
    return undefined;
  }
}

/** The depth of a text that is JSON. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case '"':
        at = endOfString(json, at);
        break;
      case "{":
      case "[":
        depth += 1;
        deepest = Math.max(deepest, depth);
        break;
      case "}":
      case "]":
        depth -= 1;
        break;
      default:
    }
  }
  return deepest;
}

/** Where the string that begins here ends. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === "\\") at += 1;
    else if (json[at] === '"') return at;
  }
  return json.length;
}
