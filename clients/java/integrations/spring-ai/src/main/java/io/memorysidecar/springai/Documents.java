package io.memorysidecar.springai;

import com.google.protobuf.ByteString;
import com.google.protobuf.ListValue;
import com.google.protobuf.Value;
import io.memorysidecar.client.adapter.ExactMetadata;
import io.memorysidecar.v1.DocumentPayload;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.ai.document.Document;
import org.springframework.ai.document.DocumentMetadata;
import tools.jackson.databind.json.JsonMapper;

/**
 * Documents of Spring AI as documents of a collection. The text, and the metadata that filters look
 * at, are those of the document; its payload is JSON with the types of the metadata.
 */
final class Documents {
  /** Marks documents that this class wrote. */
  private static final String DOCUMENT = "spring.ai.document";

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** The form in which filters of the framework compare dates with metadata. */
  private static final DateTimeFormatter DATES =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);

  private Documents() {}

  static io.memorysidecar.v1.Document.Builder write(Document document) {
    Map<String, Object> compared = new HashMap<>();
    document.getMetadata().forEach((key, value) -> compared.put(key, comparable(value)));
    byte[] typed = JSON.writeValueAsBytes(TypedValues.writeAll(document.getMetadata()));
    return io.memorysidecar.v1.Document.newBuilder()
        .setDocumentId(document.getId())
        .setText(document.getText())
        .setMetadata(ExactMetadata.write(compared))
        .putLabels(DOCUMENT, "")
        .setPayload(
            DocumentPayload.newBuilder()
                .setMediaType("application/json")
                .setData(ByteString.copyFrom(typed)));
  }

  /** A document of another program has the metadata that the server knows. */
  static Document read(io.memorysidecar.v1.Document stored, double score) {
    Map<String, Object> metadata =
        stored.containsLabels(DOCUMENT) ? typed(stored) : fields(stored.getMetadata().getFieldsMap());
    metadata.put(DocumentMetadata.DISTANCE.value(), 1 - score);
    return Document.builder()
        .id(stored.getDocumentId())
        .text(stored.getText())
        .metadata(metadata)
        .score(score)
        .build();
  }

  /** A value of metadata, or of a filter, as filters compare it; a list by its elements. */
  static Object comparable(Object value) {
    if (value instanceof Collection<?> items) {
      List<Object> compared = new ArrayList<>();
      for (Object item : items) compared.add(comparable(item));
      return compared;
    }
    return value instanceof Date date ? DATES.format(date.toInstant()) : value;
  }

  private static Map<String, Object> typed(io.memorysidecar.v1.Document stored) {
    byte[] json = stored.getPayload().getData().toByteArray();
    return TypedValues.readAll(JSON.readValue(json, Map.class));
  }

  /** The framework takes no nulls in metadata. */
  private static Map<String, Object> fields(Map<String, Value> values) {
    Map<String, Object> fields = new HashMap<>();
    values.forEach(
        (key, value) -> {
          Object read = key.equals(ExactMetadata.EXACT) ? null : of(value);
          if (read != null) fields.put(key, read);
        });
    return fields;
  }

  private static Object of(Value value) {
    return switch (value.getKindCase()) {
      case STRING_VALUE -> value.getStringValue();
      case NUMBER_VALUE -> value.getNumberValue();
      case BOOL_VALUE -> value.getBoolValue();
      case STRUCT_VALUE -> fields(value.getStructValue().getFieldsMap());
      case LIST_VALUE -> items(value.getListValue());
      default -> null;
    };
  }

  private static List<Object> items(ListValue list) {
    List<Object> items = new ArrayList<>();
    for (Value value : list.getValuesList()) items.add(of(value));
    return items;
  }
}
