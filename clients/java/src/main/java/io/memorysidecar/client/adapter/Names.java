package io.memorysidecar.client.adapter;

import java.nio.charset.StandardCharsets;

/** Names and ids that the server takes. */
public final class Names {
  private static final int MAX_BYTES = 256;

  private Names() {}

  /** A text of 1 to 256 bytes without control characters. */
  public static boolean isName(String text) {
    return text != null
        && !text.isEmpty()
        && text.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES
        && text.chars().noneMatch(Character::isISOControl);
  }
}
