package io.memorysidecar.springai;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/**
 * Values of metadata in JSON, with their types: texts and booleans as they are, others as a list of a
 * type and a text. A value of any other type becomes its text.
 */
final class TypedValues {
  private static final Map<String, Function<String, Object>> TYPES =
      Map.ofEntries(
          Map.entry("Integer", Integer::valueOf),
          Map.entry("Long", Long::valueOf),
          Map.entry("Short", Short::valueOf),
          Map.entry("Byte", Byte::valueOf),
          Map.entry("Float", Float::valueOf),
          Map.entry("Double", Double::valueOf),
          Map.entry("BigDecimal", BigDecimal::new),
          Map.entry("BigInteger", BigInteger::new),
          Map.entry("UUID", UUID::fromString),
          Map.entry("URI", URI::create),
          Map.entry("Instant", Instant::parse),
          Map.entry("LocalDate", LocalDate::parse),
          Map.entry("LocalDateTime", LocalDateTime::parse),
          Map.entry("OffsetDateTime", OffsetDateTime::parse),
          Map.entry("ZonedDateTime", ZonedDateTime::parse),
          Map.entry("Duration", Duration::parse),
          Map.entry("Date", text -> new Date(Long.parseLong(text))),
          Map.entry("bytes", text -> Base64.getDecoder().decode(text)));

  private TypedValues() {}

  /** Gives what JSON can hold. Keys are sorted, so that equal maps have one form. */
  static Object write(Object value) {
    if (value == null || value instanceof String || value instanceof Boolean) return value;
    if (value instanceof Map<?, ?> map) return List.of("Map", writeAll(map));
    if (value instanceof Set<?> set) return List.of("Set", writeAll(set));
    if (value instanceof Collection<?> items) return List.of("List", writeAll(items));
    if (value instanceof byte[] bytes) {
      return List.of("bytes", Base64.getEncoder().encodeToString(bytes));
    }
    if (value instanceof Date date && value.getClass() == Date.class) {
      return List.of("Date", Long.toString(date.getTime()));
    }
    String type = value.getClass().getSimpleName();
    boolean isKnown = TYPES.containsKey(type) && value.getClass().getName().startsWith("java.");
    return isKnown ? List.of(type, value.toString()) : value.toString();
  }

  static Map<String, Object> writeAll(Map<?, ?> map) {
    Map<String, Object> written = new TreeMap<>();
    map.forEach((key, value) -> written.put(String.valueOf(key), write(value)));
    return written;
  }

  private static List<Object> writeAll(Collection<?> items) {
    List<Object> written = new ArrayList<>();
    for (Object item : items) written.add(write(item));
    return written;
  }

  static Map<String, Object> readAll(Map<?, ?> written) {
    Map<String, Object> map = new HashMap<>();
    written.forEach((key, value) -> map.put(String.valueOf(key), read(value)));
    return map;
  }

  private static Object read(Object written) {
    if (!(written instanceof List<?> pair)) return written;
    String type = String.valueOf(pair.get(0));
    Object value = pair.get(1);
    if (value instanceof Map<?, ?> map) return new LinkedHashMap<>(readAll(map));
    if (value instanceof List<?> items) {
      List<Object> read = new ArrayList<>();
      for (Object item : items) read.add(read(item));
      return type.equals("Set") ? new LinkedHashSet<>(read) : read;
    }
    return TYPES.get(type).apply(String.valueOf(value));
  }
}
