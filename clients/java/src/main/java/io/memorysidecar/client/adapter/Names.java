package io.memorysidecar.client.adapter;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

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

  /** Stands for a text: 32 hexadecimal digits of its SHA-256. */
  static String digestOf(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException("every Java has SHA-256", error);
    }
  }
}
