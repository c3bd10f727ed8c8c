package io.memorysidecar.springai;

import io.memorysidecar.client.adapter.ExactMetadata;
import io.memorysidecar.v1.MetadataCondition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.springframework.ai.vectorstore.filter.Filter;

/**
 * Filters of Spring AI as conditions of the server, which tests them inside the search. They mean
 * what they mean to the framework's own store in memory: a key that is missing has a value less than
 * any other.
 */
final class Filters {
  private Filters() {}

  /** A filter, or an expression inside one. */
  static MetadataCondition condition(Filter.Operand operand) {
    if (operand instanceof Filter.Group group) return condition(group.content());
    if (operand instanceof Filter.Expression expression) return condition(expression);
    throw new IllegalArgumentException("a filter takes expressions here, and not " + operand);
  }

  private static MetadataCondition condition(Filter.Expression test) {
    return switch (test.type()) {
      case AND -> ExactMetadata.allOf(List.of(condition(test.left()), condition(right(test))));
      case OR -> ExactMetadata.anyOf(List.of(condition(test.left()), condition(right(test))));
      case NOT -> ExactMetadata.not(condition(test.left()));
      case EQ -> in(key(test), List.of(value(test)));
      case NE -> ExactMetadata.not(in(key(test), List.of(value(test))));
      case GT -> greater(key(test), value(test), false);
      case GTE -> greater(key(test), value(test), true);
      case LT -> less(key(test), value(test), false);
      case LTE -> less(key(test), value(test), true);
      case IN -> in(key(test), values(test));
      case NIN -> ExactMetadata.not(in(key(test), values(test)));
      case ISNULL -> ExactMetadata.exists(key(test), false);
      case ISNOTNULL -> ExactMetadata.exists(key(test), true);
    };
  }

  private static MetadataCondition in(String key, List<?> values) {
    return ExactMetadata.oneOf(key, values);
  }

  private static MetadataCondition greater(String key, Object value, boolean orEqual) {
    return value instanceof Boolean flag
        ? flags(key, flag, order -> order > 0 || orEqual && order == 0)
        : ExactMetadata.after(key, value, orEqual);
  }

  private static MetadataCondition less(String key, Object value, boolean orEqual) {
    MetadataCondition before =
        value instanceof Boolean flag
            ? flags(key, flag, order -> order < 0 || orEqual && order == 0)
            : ExactMetadata.before(key, value, orEqual);
    return ExactMetadata.anyOf(List.of(ExactMetadata.exists(key, false), before));
  }

  /** The value of a key is one of the booleans whose order relative to this one passes a test. */
  private static MetadataCondition flags(String key, boolean flag, IntPredicate test) {
    List<Boolean> passing = new ArrayList<>();
    for (boolean one : List.of(false, true)) {
      if (test.test(Boolean.compare(one, flag))) passing.add(one);
    }
    return ExactMetadata.oneOf(key, passing);
  }

  private static Filter.Operand right(Filter.Expression test) {
    if (test.right() != null) return test.right();
    throw new IllegalArgumentException(test.type() + " needs an operand on its right side");
  }

  /** A key; quotes around it are not part of it. */
  private static String key(Filter.Expression test) {
    if (!(test.left() instanceof Filter.Key named)) {
      throw new IllegalArgumentException(test.type() + " needs a key on its left side");
    }
    String key = named.key();
    boolean isQuoted =
        key.length() >= 2
            && (key.startsWith("\"") && key.endsWith("\"")
                || key.startsWith("'") && key.endsWith("'"));
    return isQuoted ? key.substring(1, key.length() - 1) : key;
  }

  private static Object value(Filter.Expression test) {
    if (right(test) instanceof Filter.Value value) return compared(test, value.value());
    throw new IllegalArgumentException(test.type() + " needs a value on its right side");
  }

  private static List<Object> values(Filter.Expression test) {
    if (!(right(test) instanceof Filter.Value list) || !(list.value() instanceof List<?> values)) {
      throw new IllegalArgumentException(test.type() + " needs a list of values on its right side");
    }
    List<Object> compared = new ArrayList<>();
    for (Object value : values) compared.add(compared(test, value));
    return compared;
  }

  private static Object compared(Filter.Expression test, Object value) {
    if (value instanceof Comparable) return Documents.comparable(value);
    throw new IllegalArgumentException(
        test.type()
            + " compares texts, numbers, booleans, dates and UUIDs, and not "
            + (value == null ? "null: test for it with ISNULL" : value.getClass().getName()));
  }
}
