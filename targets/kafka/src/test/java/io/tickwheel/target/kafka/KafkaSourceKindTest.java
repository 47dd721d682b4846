package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.Source;
import io.tickwheel.engine.SourceKind;
import io.tickwheel.engine.SourceOptions;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.target.message.OptionReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KafkaSourceKindTest {

    private static final String TOPICS_RULE =
            "must be topics, such as orders.delayed=orders, or orders.delayed, with commas between, each once";

    private final KafkaSourceKind kind = new KafkaSourceKind();

    @TempDir
    private Path folder;

    @Test
    void serverFindsIt() {
        assertThat(ServiceLoader.load(SourceKind.class)).hasAtLeastOneElementOfType(KafkaSourceKind.class);
        assertThat(kind.name()).isEqualTo("kafka");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    bootstrapServers | kafka     | must be host:port, or several with commas between them
                    topics           | ''        | must be topics
                    topics           | a=        | must be topics
                    topics           | a,        | must be topics
                    topics           | a=b=c     | must be topics
                    topics           | 'a=b,a=c' | must be topics
                    topics           | a b       | must be topics
                    topics           | 'a=b,b=c' | must send no record to a topic that is read
                    topics           | a=a       | must send no record to a topic that is read
                    groupId          | ' '       | must have 1 to 249 characters
                    timerQueue       | a b       | must be the name of a queue of Tickwheel
                    refusedTopic     | a b       | must be 1 to 249 letters
                    refusedTopic     | in        | must be 1 to 249 letters
                    prefetch         | 0         | must be an integer, 1 to 65535
                    propertiesFile   | no-file   | must be a readable file of properties
                    """)
    void optionThatBreaksARuleEndsTheStart(String name, String value, String rule) {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.open(options(Map.of(name, value)), null))
                .withMessageStartingWith(rule.equals("must be topics") ? TOPICS_RULE : rule)
                .satisfies(refusal -> assertThat(refusal.field()).isEqualTo(name));
    }

    @Test
    void topicsHaveOneBehindThemOrNone() {
        assertThat(read(Map.of("topics", "a.delayed=a, misc.delayed")).topics())
                .containsExactly(Map.entry("a.delayed", "a"), Map.entry("misc.delayed", ""));
    }

    /** Nothing is read that may be taken back, nothing is left out, and nothing is committed but by us. */
    @Test
    void promisesHangOnNoFile() {
        Map<String, Object> consumer = read(Map.of()).consumer();
        assertThat(consumer)
                .containsEntry("enable.auto.commit", false)
                .containsEntry("auto.offset.reset", "earliest")
                .containsEntry("isolation.level", "read_committed");
        assertThat(read(Map.of()).producer()).containsEntry("acks", "all").containsEntry("enable.idempotence", true);
    }

    @Test
    void noRefusalAndNoTextShowsAPassword() throws IOException {
        Path file = Files.writeString(
                folder.resolve("kafka.properties"),
                "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=x required password=canary");
        Map<String, String> settings = Map.of("propertiesFile", file.toString());

        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.open(options(settings), null))
                .satisfies(refusal -> {
                    assertThat(refusal.getMessage()).startsWith("has settings that Kafka's consumer refuses");
                    assertThat(refusal.toString()).doesNotContain("canary");
                    assertThat(refusal.getCause()).isNull();
                });
        assertThat(read(settings)).hasToString("SourceSettings of localhost:9092");
    }

    @Test
    void brokersThatNobodyKnowsDoNotEndTheStart() {
        Source source = kind.open(options(Map.of("bootstrapServers", "no.such.host.invalid:9092")), null);
        assertThat(Patience.look(source::unready, unready -> unready.orElse("").contains("nothing")))
                .hasValueSatisfying(
                        reason -> assertThat(reason).startsWith("nothing comes from no.such.host.invalid:9092: "));
        source.close();
        assertThat(source.unready()).contains("is closed");
    }

    private static SourceSettings read(Map<String, String> settings) {
        return SourceSettings.read(new OptionReader(
                new TargetOptions(Clock.system(), 1, options(settings).settings())));
    }

    private static SourceOptions options(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(Map.of("bootstrapServers", "localhost:9092", "topics", "in=out"));
        all.putAll(settings);
        return new SourceOptions(Clock.system(), () -> 7, all);
    }
}
