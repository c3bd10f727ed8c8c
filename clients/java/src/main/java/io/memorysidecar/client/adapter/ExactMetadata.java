package io.memorysidecar.client.adapter;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.memorysidecar.v1.MetadataCondition;
import io.memorysidecar.v1.MetadataConditions;
import io.memorysidecar.v1.TextRange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The metadata of documents, with exact numbers, and conditions on it.
 *
 * <p>Numbers of the server's metadata are doubles. So each number stands there twice: as it is, for
 * people and other programs, and under {@value #EXACT} as a text that sorts as the number does,
 * which conditions compare. So do UUIDs, in the order of Java. A condition on a list holds if it does
 * for any of its elements; those of the list under {@value #EXACT} are its numbers and UUIDs.
 */
public final class ExactMetadata {
  /** The key of the exact values. */
  public static final String EXACT = "~exact";

  private static final int MAX_VALUES = 64;
  private static final int MAX_CONDITIONS = 16;

  private ExactMetadata() {}

  /**
   * Writes texts, numbers, booleans, UUIDs, nulls, lists and maps; any other value as its text. Only
   * a number or a UUID that is the value of a key, or in a list that is, is exact.
   */
  public static Struct write(Map<String, ?> values) {
    Struct.Builder metadata = Struct.newBuilder();
    Struct.Builder exact = Struct.newBuilder();
    values.forEach(
        (key, value) -> {
          metadata.putFields(nameOf(key), valueOf(value));
          Value compared = exactValueOf(value);
          if (compared != null) exact.putFields(nameOf(key), compared);
        });
    if (exact.getFieldsCount() > 0) {
      metadata.putFields(EXACT, Value.newBuilder().setStructValue(exact).build());
    }
    return metadata.build();
  }

  /** The value of a key equals this one; numbers of all types are compared by their value. */
  public static MetadataCondition equalTo(String key, Object value) {
    if (isNaN(value)) return nothing(key);
    String exact = exactOf(value);
    return exact == null
        ? at(nameOf(key)).setEqualTo(valueOf(value)).build()
        : at(exactPath(key)).setEqualTo(text(exact)).build();
  }

  /** The value of a key equals one of these. */
  public static MetadataCondition oneOf(String key, Collection<?> values) {
    if (values.isEmpty()) return nothing(key);
    List<MetadataCondition> choices = new ArrayList<>();
    Map<Boolean, List<Object>> byKind =
        values.stream()
            .filter(value -> !isNaN(value))
            .distinct()
            .collect(Collectors.partitioningBy(value -> exactOf(value) != null));
    byKind.forEach(
        (isExact, of) -> {
          String path = isExact ? exactPath(key) : nameOf(key);
          for (int from = 0; from < of.size(); from += MAX_VALUES) {
            ListValue.Builder list = ListValue.newBuilder();
            for (Object value : of.subList(from, Math.min(of.size(), from + MAX_VALUES))) {
              list.addValues(isExact ? text(exactOf(value)) : valueOf(value));
            }
            choices.add(at(path).setOneOf(list).build());
          }
        });
    return choices.isEmpty() ? nothing(key) : anyOf(choices);
  }

  /** The value of a key is a number, a UUID or a text after this one, or {@code orEqual} to it. */
  public static MetadataCondition after(String key, Object value, boolean orEqual) {
    String exact = exactOf(value);
    boolean isLast = exact != null && !orEqual && exact.equals(SortableText.last(value));
    if (isLast || isNaN(value)) return nothing(key);
    String text = exact == null ? textOf(value) : exact;
    // The text with one more character, the smallest one, is the next in the order of bytes.
    TextRange.Builder range = TextRange.newBuilder().setMin(orEqual ? text : text + '\0');
    if (exact != null) range.setMax(SortableText.last(value));
    return at(exact == null ? nameOf(key) : exactPath(key)).setTextRange(range).build();
  }

  /** The value of a key is a number, a UUID or a text before this one, or {@code orEqual} to it. */
  public static MetadataCondition before(String key, Object value, boolean orEqual) {
    String exact = exactOf(value);
    boolean isFirst = exact != null && !orEqual && exact.equals(SortableText.first(value));
    if (isFirst || isNaN(value)) return nothing(key);
    String text = exact == null ? textOf(value) : exact;
    TextRange.Builder range = TextRange.newBuilder();
    if (orEqual) range.setMax(text);
    else range.setLessThan(text);
    if (exact != null) range.setMin(SortableText.first(value));
    return at(exact == null ? nameOf(key) : exactPath(key)).setTextRange(range).build();
  }

  /** The value of a key is a text that contains this one. */
  public static MetadataCondition contains(String key, String text) {
    return text.isEmpty()
        ? at(nameOf(key)).setTextRange(TextRange.newBuilder().setMin("")).build()
        : at(nameOf(key)).setContains(text).build();
  }

  /** There is a value for the key, or there is none. */
  public static MetadataCondition exists(String key, boolean exists) {
    return at(nameOf(key)).setExists(exists).build();
  }

  /** All of these conditions hold. */
  public static MetadataCondition allOf(List<MetadataCondition> conditions) {
    if (conditions.size() == 1) return conditions.get(0);
    return MetadataCondition.newBuilder().setAllOf(group(conditions, true)).build();
  }

  /** At least one of these conditions holds. */
  public static MetadataCondition anyOf(List<MetadataCondition> conditions) {
    if (conditions.size() == 1) return conditions.get(0);
    return MetadataCondition.newBuilder().setAnyOf(group(conditions, false)).build();
  }

  /**
   * The condition does not hold; it never does where there is no value. The negation goes inward as
   * far as it can: the server takes only so many levels.
   */
  public static MetadataCondition not(MetadataCondition condition) {
    if (condition.hasAllOf()) {
      return anyOf(
          condition.getAllOf().getConditionsList().stream().map(ExactMetadata::not).toList());
    }
    if (condition.hasNoneOf()) return anyOf(condition.getNoneOf().getConditionsList());
    MetadataConditions none =
        condition.hasAnyOf()
            ? condition.getAnyOf()
            : MetadataConditions.newBuilder().addConditions(condition).build();
    return MetadataCondition.newBuilder().setNoneOf(none).build();
  }

  /** Puts conditions into one node, those of nodes of the same kind directly. */
  private static MetadataConditions group(List<MetadataCondition> conditions, boolean all) {
    List<MetadataCondition> flat = new ArrayList<>();
    for (MetadataCondition one : conditions) {
      if (all && one.hasAllOf()) flat.addAll(one.getAllOf().getConditionsList());
      else if (!all && one.hasAnyOf()) flat.addAll(one.getAnyOf().getConditionsList());
      else flat.add(one);
    }
    while (flat.size() > MAX_CONDITIONS) {
      List<MetadataCondition> nodes = new ArrayList<>();
      for (int from = 0; from < flat.size(); from += MAX_CONDITIONS) {
        var part = flat.subList(from, Math.min(flat.size(), from + MAX_CONDITIONS));
        var node = MetadataConditions.newBuilder().addAllConditions(part).build();
        nodes.add(
            part.size() == 1
                ? part.get(0)
                : all
                    ? MetadataCondition.newBuilder().setAllOf(node).build()
                    : MetadataCondition.newBuilder().setAnyOf(node).build());
      }
      flat = nodes;
    }
    return MetadataConditions.newBuilder().addAllConditions(flat).build();
  }

  /** A condition that never holds: no text comes before the empty one. */
  private static MetadataCondition nothing(String key) {
    return at(nameOf(key)).setTextRange(TextRange.newBuilder().setLessThan("")).build();
  }

  private static MetadataCondition.Builder at(String path) {
    return MetadataCondition.newBuilder().setPath(path);
  }

  private static String exactPath(String key) {
    return EXACT + "." + nameOf(key);
  }

  /** A dot in a path descends, and a tilde begins the key of the exact values. */
  private static String nameOf(String key) {
    return key.replace("%", "%25").replace(".", "%2E").replace("~", "%7E");
  }

  /** The exact text of a value, or the exact texts in a list; null if there are none. */
  private static Value exactValueOf(Object value) {
    if (value instanceof Collection<?> items) {
      ListValue.Builder list = ListValue.newBuilder();
      for (Object item : items) {
        String text = exactOf(item);
        if (text != null) list.addValues(text(text));
      }
      boolean isEmpty = list.getValuesCount() == 0;
      return isEmpty ? null : Value.newBuilder().setListValue(list).build();
    }
    String text = exactOf(value);
    return text == null ? null : text(text);
  }

  private static String exactOf(Object value) {
    if (value instanceof UUID id) return SortableText.of(id);
    return value instanceof Number number && !isNaN(value) ? SortableText.of(number) : null;
  }

  private static boolean isNaN(Object value) {
    return value instanceof Number number
        && (value instanceof Double || value instanceof Float)
        && Double.isNaN(number.doubleValue());
  }

  private static String textOf(Object value) {
    return value instanceof String text ? text : String.valueOf(value);
  }

  private static Value text(String text) {
    return Value.newBuilder().setStringValue(text).build();
  }

  private static Value valueOf(Object value) {
    Value.Builder builder = Value.newBuilder();
    if (value == null) return builder.setNullValue(NullValue.NULL_VALUE).build();
    if (value instanceof Boolean flag) return builder.setBoolValue(flag).build();
    if (value instanceof Number number) {
      double near = number.doubleValue();
      return Double.isFinite(near)
          ? builder.setNumberValue(near).build()
          : text(String.valueOf(value));
    }
    if (value instanceof Collection<?> items) {
      ListValue.Builder list = ListValue.newBuilder();
      for (Object item : items) list.addValues(valueOf(item));
      return builder.setListValue(list).build();
    }
    if (value instanceof Map<?, ?> fields) {
      Struct.Builder struct = Struct.newBuilder();
      fields.forEach((key, field) -> struct.putFields(String.valueOf(key), valueOf(field)));
      return builder.setStructValue(struct).build();
    }
    return text(textOf(value));
  }
}
