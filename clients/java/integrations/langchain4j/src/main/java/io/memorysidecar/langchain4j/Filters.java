package io.memorysidecar.langchain4j;

import dev.langchain4j.store.embedding.filter.Filter;
import dev.langchain4j.store.embedding.filter.comparison.ContainsString;
import dev.langchain4j.store.embedding.filter.comparison.IsEqualTo;
import dev.langchain4j.store.embedding.filter.comparison.IsGreaterThan;
import dev.langchain4j.store.embedding.filter.comparison.IsGreaterThanOrEqualTo;
import dev.langchain4j.store.embedding.filter.comparison.IsIn;
import dev.langchain4j.store.embedding.filter.comparison.IsLessThan;
import dev.langchain4j.store.embedding.filter.comparison.IsLessThanOrEqualTo;
import dev.langchain4j.store.embedding.filter.comparison.IsNotEqualTo;
import dev.langchain4j.store.embedding.filter.comparison.IsNotIn;
import dev.langchain4j.store.embedding.filter.logical.And;
import dev.langchain4j.store.embedding.filter.logical.Not;
import dev.langchain4j.store.embedding.filter.logical.Or;
import io.memorysidecar.client.adapter.ExactMetadata;
import io.memorysidecar.v1.LabelCondition;
import io.memorysidecar.v1.MetadataCondition;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Filters of LangChain4j as conditions of the server, which tests them inside the search. */
final class Filters {
  /** A document without a segment matches no filter. */
  private static final MetadataCondition HAS_SEGMENT =
      MetadataCondition.newBuilder()
          .setLabel(LabelCondition.newBuilder().setKey(Segments.SEGMENT).setExists(true))
          .build();

  private Filters() {}

  static List<MetadataCondition> conditions(Filter filter) {
    return List.of(HAS_SEGMENT, condition(filter));
  }

  private static MetadataCondition condition(Filter filter) {
    if (filter instanceof And both) {
      return ExactMetadata.allOf(List.of(condition(both.left()), condition(both.right())));
    }
    if (filter instanceof Or any) {
      return ExactMetadata.anyOf(List.of(condition(any.left()), condition(any.right())));
    }
    if (filter instanceof Not not) return ExactMetadata.not(condition(not.expression()));
    if (filter instanceof IsEqualTo test) return equal(test.key(), test.comparisonValue());
    if (filter instanceof IsNotEqualTo test) {
      return ExactMetadata.not(equal(test.key(), test.comparisonValue()));
    }
    if (filter instanceof IsIn test) return in(test.key(), List.copyOf(test.comparisonValues()));
    if (filter instanceof IsNotIn test) {
      return ExactMetadata.not(in(test.key(), List.copyOf(test.comparisonValues())));
    }
    if (filter instanceof IsGreaterThan test) {
      return ExactMetadata.after(test.key(), test.comparisonValue(), false);
    }
    if (filter instanceof IsGreaterThanOrEqualTo test) {
      return ExactMetadata.after(test.key(), test.comparisonValue(), true);
    }
    if (filter instanceof IsLessThan test) {
      return ExactMetadata.before(test.key(), test.comparisonValue(), false);
    }
    if (filter instanceof IsLessThanOrEqualTo test) {
      return ExactMetadata.before(test.key(), test.comparisonValue(), true);
    }
    if (filter instanceof ContainsString test) {
      return ExactMetadata.contains(test.key(), test.comparisonValue());
    }
    throw new UnsupportedOperationException("unknown filter: " + filter.getClass().getName());
  }

  /** A UUID also equals its text, as that of another store may stand in the metadata. */
  private static MetadataCondition equal(String key, Object value) {
    return value instanceof UUID
        ? in(key, List.of(value))
        : ExactMetadata.equalTo(key, value);
  }

  private static MetadataCondition in(String key, List<?> values) {
    List<Object> all = new ArrayList<>(values);
    for (Object value : values) if (value instanceof UUID) all.add(value.toString());
    return ExactMetadata.oneOf(key, all);
  }
}
