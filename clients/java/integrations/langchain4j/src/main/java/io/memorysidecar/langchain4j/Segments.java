package io.memorysidecar.langchain4j;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.Value;
import dev.langchain4j.data.document.Metadata;
import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import io.memorysidecar.client.adapter.ExactMetadata;
import io.memorysidecar.v1.Document;
import io.memorysidecar.v1.DocumentPayload;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Segments as documents. The text, and the metadata that filters look at, are those of the document;
 * its payload is JSON with the types of the metadata and the embedding as it was given.
 */
final class Segments {
  /** Marks documents with a segment: a filter matches no others. */
  static final String SEGMENT = "langchain4j.segment";

  private static final ObjectMapper JSON = new ObjectMapper();

  private Segments() {}

  /** The embedding and the segment of a document; either may be missing. */
  record Read(Embedding embedding, TextSegment segment) {}

  static Document.Builder write(Embedding embedding, TextSegment segment) {
    ObjectNode payload = JSON.createObjectNode();
    payload.put("embedding", bytes(embedding.vector()));
    Document.Builder document = Document.newBuilder();
    if (segment != null) {
      document.setText(segment.text());
      Map<String, Object> metadata = segment.metadata().toMap();
      document.setMetadata(ExactMetadata.write(metadata)).putLabels(SEGMENT, "");
      ObjectNode typed = payload.putObject("metadata");
      metadata.forEach(
          (key, value) ->
              typed.putArray(key).add(value.getClass().getSimpleName()).add(value.toString()));
    }
    return document.setPayload(
        DocumentPayload.newBuilder()
            .setMediaType("application/json")
            .setData(ByteString.copyFrom(written(payload))));
  }

  /** A document of another program has a segment with its text and the metadata that fits. */
  static Read read(Document document) {
    if (document.getPayloadSize() == 0) {
      return new Read(null, segment(document.getText(), foreign(document)));
    }
    JsonNode payload;
    try {
      payload = JSON.readTree(document.getPayload().getData().toByteArray());
    } catch (IOException error) {
      throw new IllegalStateException(
          "the payload of document " + document.getDocumentId() + " is not JSON", error);
    }
    Embedding embedding = Embedding.from(floats(payload.path("embedding")));
    if (!payload.has("metadata")) return new Read(embedding, null);
    Map<String, Object> metadata = new HashMap<>();
    payload
        .get("metadata")
        .properties()
        .forEach(
            field ->
                metadata.put(
                    field.getKey(),
                    typed(field.getValue().get(0).asText(), field.getValue().get(1).asText())));
    return new Read(embedding, segment(document.getText(), metadata));
  }

  private static TextSegment segment(String text, Map<String, Object> metadata) {
    return text.isBlank() ? null : TextSegment.from(text, Metadata.from(metadata));
  }

  private static Object typed(String type, String text) {
    return switch (type) {
      case "Integer" -> Integer.valueOf(text);
      case "Long" -> Long.valueOf(text);
      case "Float" -> Float.valueOf(text);
      case "Double" -> Double.valueOf(text);
      case "UUID" -> UUID.fromString(text);
      default -> text;
    };
  }

  private static Map<String, Object> foreign(Document document) {
    Map<String, Object> metadata = new HashMap<>();
    document
        .getMetadata()
        .getFieldsMap()
        .forEach(
            (key, value) -> {
              if (key.isBlank()) return;
              if (value.hasStringValue()) metadata.put(key, value.getStringValue());
              if (value.hasNumberValue()) metadata.put(key, value.getNumberValue());
              if (value.hasBoolValue()) metadata.put(key, text(value));
            });
    return metadata;
  }

  private static String text(Value value) {
    return String.valueOf(value.getBoolValue());
  }

  private static byte[] bytes(float[] vector) {
    ByteBuffer bytes = ByteBuffer.allocate(Float.BYTES * vector.length);
    bytes.asFloatBuffer().put(vector);
    return bytes.array();
  }

  private static float[] floats(JsonNode base64) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(base64.binaryValue());
      float[] vector = new float[bytes.remaining() / Float.BYTES];
      bytes.asFloatBuffer().get(vector);
      return vector;
    } catch (IOException error) {
      throw new IllegalStateException("the embedding of a payload is not base64", error);
    }
  }

  private static byte[] written(ObjectNode payload) {
    try {
      return JSON.writeValueAsBytes(payload);
    } catch (JsonProcessingException error) {
      throw new IllegalStateException(error);
    }
  }
}
