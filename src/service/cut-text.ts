// Cuts a text to a number of bytes, never inside a character.

/** The beginning of a text that takes at most so many bytes in UTF-8. */
export function cutText(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  // No code unit takes less than a byte.
  const bytes = Buffer.from(text.slice(0, bytesMax));
  if (bytes.length <= bytesMax) return text.length <= bytesMax ? text : text.slice(0, bytesMax);
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}
