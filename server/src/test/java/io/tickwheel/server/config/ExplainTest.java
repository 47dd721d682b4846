package io.tickwheel.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.server.targets.InstalledTargets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExplainTest {

    private static final String PASSWORD = "canary-7f3a";

    @TempDir
    private Path directory;

    @Test
    void defaultsAreShownWhereNothingIsSet() {
        List<ExplainedSetting> settings = ConfigFile.explain(null, Map.of(), InstalledTargets.kinds());

        assertThat(settings).extracting(ExplainedSetting::origin).containsOnly("default");
        assertThat(settings).allSatisfy(setting -> assertThat(setting.value()).isEqualTo(setting.absent()));
        assertThat(settings)
                .contains(
                        new ExplainedSetting("server.port", "7373", "default", "port", "7373"),
                        new ExplainedSetting("server.drainTimeout", "30s", "default", "duration", "30s"),
                        new ExplainedSetting("store.file.segmentBytes", "67108864", "default", "bytes", "67108864"),
                        new ExplainedSetting("store.file.syncInterval", "100ms", "default", "duration", "100ms"),
                        new ExplainedSetting("dead.keptFor", "30d", "default", "duration", "30d"),
                        new ExplainedSetting("retry.factor", "2", "default", "number", "2"),
                        new ExplainedSetting("targets.kafka.timeoutMs", "30000", "default", "ms", "30000"));
    }

    @Test
    void aValueIsShownWithTheLineOrTheVariableThatItIsFrom() throws IOException {
        Path file = file("""
                # a comment
                server:
                  port: 80
                  host: 127.0.0.2
                queues:
                  a.b:
                    rate: 5
                targets:
                  http:
                    ports: [80, 443]
                """);

        List<ExplainedSetting> settings =
                ConfigFile.explain(file, Map.of("TICKWHEEL_SERVER_HOST", "127.0.0.3"), InstalledTargets.kinds());

        assertThat(settings)
                .contains(
                        new ExplainedSetting("server.port", "80", file + ":3", "port", "7373"),
                        new ExplainedSetting(
                                "server.host",
                                "127.0.0.3",
                                "environment, TICKWHEEL_SERVER_HOST",
                                "address",
                                "127.0.0.1"),
                        new ExplainedSetting("queues.\"a.b\".rate", "5", file + ":7", "attempts a second", "none"),
                        new ExplainedSetting(
                                "targets.http.ports", "80,443", file + ":10", "list of ports", "80, 443, 8080, 8443"));
    }

    @Test
    void theSettingsAreThoseOfTheStoreThatIsUsed() throws IOException {
        List<ExplainedSetting> settings =
                ConfigFile.explain(file("store: redis\n"), Map.of(), InstalledTargets.kinds());

        assertThat(settings)
                .extracting(ExplainedSetting::name)
                .contains("store.redis.lease")
                .noneMatch(name -> name.startsWith("store.file."));
    }

    @Test
    void secretsAreHidden() throws IOException {
        Path file = file("""
                access:
                  admin: 8f1d0c2b6a597e43:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                store:
                  redis:
                    password: %1$s
                    sentinelMaster: master
                    sentinelPassword: %1$s
                  kind: redis
                targets:
                  rabbitmq:
                    uri: amqp://me:%1$s@broker
                  rocketmq:
                    endpoints: broker:8081
                    accessKey: %1$s
                    secretKey: %1$s
                  redis-streams:
                    password: %1$s
                    sentinelPassword: %1$s
                sources:
                  rabbitmq:
                    password: %1$s
                """.formatted(PASSWORD));

        List<ExplainedSetting> settings = ConfigFile.explain(
                file, Map.of("TICKWHEEL_TARGETS_RABBITMQ_PASSWORD", PASSWORD), InstalledTargets.kinds());

        assertThat(settings.toString()).doesNotContain(PASSWORD).doesNotContain("9f86d081");
        assertThat(settings)
                .filteredOn(setting -> setting.value().equals("(hidden)"))
                .extracting(ExplainedSetting::name)
                .containsExactlyInAnyOrder(
                        "access.admin",
                        "store.redis.password",
                        "store.redis.sentinelPassword",
                        "targets.rabbitmq.uri",
                        "targets.rabbitmq.password",
                        "targets.rocketmq.accessKey",
                        "targets.rocketmq.secretKey",
                        "targets.redis-streams.password",
                        "targets.redis-streams.sentinelPassword",
                        "sources.rabbitmq.password");
    }

    @Test
    void whatAServerWouldRefuseIsRefused() throws IOException {
        Path misspelt = file("server:\n  prot: 80\n");
        assertThatThrownBy(() -> ConfigFile.explain(misspelt, Map.of(), InstalledTargets.kinds()))
                .isInstanceOf(StartException.class)
                .hasMessage("setting \"server.prot\" in " + misspelt + " is not known, did you mean server.port?");
        Path high = file("server:\n  port: 70000\n");
        assertThatThrownBy(() -> ConfigFile.explain(high, Map.of(), InstalledTargets.kinds()))
                .hasMessage("server.port is \"70000\", must be 0 to 65535");
    }

    private Path file(String yaml) throws IOException {
        return Files.writeString(Files.createTempFile(directory, "tickwheel", ".yaml"), yaml);
    }
}
