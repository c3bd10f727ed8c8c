package io.memorysidecar.client.adapter;

import java.math.BigDecimal;
import java.util.UUID;

/** Numbers and UUIDs as texts whose bytes sort as the values do. */
final class SortableText {
  private static final String LOWEST = "0";
  private static final String NEGATIVE = "1";
  private static final String ZERO = "2";
  private static final String POSITIVE = "3";
  private static final String HIGHEST = "4";
  private static final String ID = "u";

  /** Makes exponents of all decimals positive, with as many digits. */
  private static final long EXPONENT_BASE = 5_000_000_000L;

  private SortableText() {}

  /** The least text of the kind of a value. */
  static String first(Object value) {
    return value instanceof UUID ? ID : LOWEST;
  }

  /** A text after those of the kind of a value, or the greatest of them. */
  static String last(Object value) {
    return value instanceof UUID ? ID + "g" : HIGHEST;
  }

  static String of(UUID id) {
    // Java compares both halves as signed numbers.
    return ID
        + "%016x%016x"
            .formatted(
                id.getMostSignificantBits() ^ Long.MIN_VALUE,
                id.getLeastSignificantBits() ^ Long.MIN_VALUE);
  }

  /** A number that is not NaN: its sign, the exponent of its first digit, its digits. */
  static String of(Number number) {
    if (Double.isInfinite(number.doubleValue())
        && (number instanceof Double || number instanceof Float)) {
      return number.doubleValue() < 0 ? LOWEST : HIGHEST;
    }
    BigDecimal value = new BigDecimal(number.toString()).stripTrailingZeros();
    if (value.signum() == 0) return ZERO;
    long exponent = (long) value.precision() - value.scale();
    String digits = value.unscaledValue().abs().toString();
    return value.signum() > 0
        ? POSITIVE + "%010d".formatted(EXPONENT_BASE + exponent) + digits
        : NEGATIVE + complement("%010d".formatted(EXPONENT_BASE + exponent) + digits) + "~";
  }

  /** Of negative numbers the one with the greater digits, or with more of them, is less. */
  private static String complement(String digits) {
    StringBuilder text = new StringBuilder();
    for (char digit : digits.toCharArray()) text.append((char) ('0' + '9' - digit));
    return text.toString();
  }
}
