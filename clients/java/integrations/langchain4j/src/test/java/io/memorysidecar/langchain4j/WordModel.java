package io.memorysidecar.langchain4j;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.output.Response;
import io.memorysidecar.testing.Vectors;
import java.util.List;

/** An embedding model for tests: texts with the same letters are near each other. */
final class WordModel implements EmbeddingModel {
  static final WordModel INSTANCE = new WordModel();

  private WordModel() {}

  @Override
  public Response<List<Embedding>> embedAll(List<TextSegment> segments) {
    return Response.from(
        segments.stream().map(one -> Embedding.from(Vectors.ofLetters(one.text()))).toList());
  }
}
