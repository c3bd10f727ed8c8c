package org.springframework.ai.model.chat.memory.repository.jdbc.autoconfigure;

import org.springframework.ai.chat.memory.ChatMemoryRepository;
import org.springframework.ai.chat.memory.InMemoryChatMemoryRepository;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Has the name of the one of Spring AI, which needs a database. Its name alone gives it its place. */
@AutoConfiguration
public class JdbcChatMemoryRepositoryAutoConfiguration {
  @Bean
  ChatMemoryRepository jdbcRepository() {
    return new InMemoryChatMemoryRepository();
  }
}
