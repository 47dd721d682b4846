package io.tickwheel.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.server.targets.InstalledTargets;
import io.tickwheel.store.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigFileTest {

    @TempDir
    private Path directory;

    @Test
    void everySettingIsRead() throws IOException {
        ServerConfig config = read("""
                server:
                  host: 0.0.0.0
                  port: 8080
                  drainTimeout: 5s
                store:
                  file:
                    directory: here
                    segmentBytes: 8192
                    checkpointBytes: 65536
                    durability: interval
                    syncInterval: 20ms
                traces:
                  enabled: true
                log:
                  format: json
                  access: true
                limits:
                  attemptsPerQueue: 10
                  attemptsInAll: 20
                  attemptBytes: 1048576
                  loadedBytes: 5000000000
                dead:
                  keptFor: 7d
                  perQueue: 500
                retry:
                  maxAttempts: 3
                  backoff: 250ms
                queues:
                  close-order:
                    target: PUT http://shop:8080/close
                  a.b:
                    target: http://x/
                    rate: 0.5
                    burst: 3
                  demo:
                    target: log
                    concurrency: 4
                    paused: true
                    expireAfter: 1m
                    maxPending: 5
                    deadFor: 2h
                    deadPerQueue: 6
                    excerpts: false
                """, Map.of());
        assertThat(config)
                .isEqualTo(new ServerConfig(
                        "0.0.0.0",
                        8080,
                        new FileStoreConfig(Path.of("here"), 8_192, 65_536, Durability.INTERVAL, Duration.ofMillis(20)),
                        Duration.ofSeconds(5),
                        new EngineLimits(10, 20, 1_048_576L, 5_000_000_000L, Duration.ofDays(7), 500),
                        RetryPolicy.exponential(3, Duration.ofMillis(250)),
                        Map.of(
                                "close-order",
                                QueueSettings.NONE.withTarget(new Destination("http", "PUT http://shop:8080/close")),
                                "a.b",
                                QueueSettings.NONE
                                        .withTarget(new Destination("http", "POST http://x/"))
                                        .withRate(new RateLimit(0.5, 3)),
                                "demo",
                                QueueSettings.NONE
                                        .withTarget(new Destination("log", ""))
                                        .withConcurrency(4)
                                        .withPaused(true)
                                        .withExpireAfter(Duration.ofMinutes(1))
                                        .withMaxPending(5)
                                        .withDeadFor(Duration.ofHours(2))
                                        .withDeadPerQueue(6)
                                        .withExcerpts(false)),
                        Map.of(),
                        Map.of(),
                        EdgeConfig.LOCAL,
                        new LogConfig(true, true),
                        true));
    }

    @Test
    void everyPolicyOfRetriesCanBeSet() throws IOException {
        Duration second = Duration.ofSeconds(1);
        assertThat(read("retry: {interval: 1s, maxAttempts: 3}", Map.of()).retry())
                .isEqualTo(RetryPolicy.fixed(3, second));
        assertThat(read("retry: {delays: [1s, 5s]}", Map.of()).retry())
                .isEqualTo(RetryPolicy.listed(second, Duration.ofSeconds(5)));
        assertThat(read("{}", Map.of("TICKWHEEL_RETRY_DELAYS", "1s, 5s", "TICKWHEEL_RETRY_JITTER", "0.5"))
                        .retry())
                .isEqualTo(RetryPolicy.listed(second, Duration.ofSeconds(5)).withJitter(0.5));
        assertThat(read("retry: {backoff: 1s, factor: 1.5, maxBackoff: 9s}", Map.of())
                        .retry())
                .isEqualTo(new RetryPolicy(16, List.of(second), 1.5, Duration.ofSeconds(9), 0.1));
    }

    @Test
    void theEnvironmentGoesOverTheFile() throws IOException {
        ServerConfig config = read(
                "server: {port: 1}",
                Map.of("TICKWHEEL_SERVER_PORT", "2", "TICKWHEEL_SERVER_DRAIN_TIMEOUT", "1s", "SERVER_PORT", "3"));
        assertThat(config.port()).isEqualTo(2);
        assertThat(config.drainTimeout()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void aVariableHasAnUnderscoreForEachDotAndHyphen() throws IOException {
        ServerConfig config = read("{}", Map.of("TICKWHEEL_TARGETS_REDIS_STREAMS_URI", "redis://streams:6379"));
        assertThat(config.targetOptions()).isEqualTo(Map.of("redis-streams", Map.of("uri", "redis://streams:6379")));
    }

    @Test
    void theLinksOfKubernetesAreNoSettings() throws IOException {
        Map<String, String> links = Map.of(
                "TICKWHEEL_SERVICE_HOST",
                "10.0.0.1",
                "TICKWHEEL_PORT",
                "tcp://10.0.0.1:7373",
                "TICKWHEEL_PORT_7373_TCP_ADDR",
                "10.0.0.1");
        assertThat(read("{}", links).port()).isEqualTo(7373);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    server: {prot: 1}                    | "server.prot" | did you mean server.port?
                    store: {file: {durability: fsync}}   | store.file.durability is "fsync" | must be sync, interval or none
                    store: {file: {syncInterval: 61s}}   | store.file.syncInterval is "61s" | must be from PT0.001S to PT1M
                    server: {drain-timeout: 1s}          | "server.drain-timeout" | did you mean server.drainTimeout?
                    port: 1                              | "port" | did you mean server.port?
                    colour: red                          | "colour" | must be one of
                    queues: {q: {tragets: log}}          | "queues.q.tragets" | is not known
                    server: {port: 70000}                | "70000" | must be 0 to 65535
                    server: {port: x}                    | "x" | must be an integer from 0 to 65535
                    server: {drainTimeout: 10}           | "10" | must be a duration
                    server: {drainTimeout: 2h}           | "2h" | must be from PT0S to PT1H
                    limits: {attemptsInAll: 0}           | "0" | must be 1 to 100000
                    limits: {attemptBytes: 1048575}      | limits.attemptBytes is "1048575" | must be 1048576 to 1099511627776
                    limits: {loadedBytes: 0}             | limits.loadedBytes is "0" | must be 1048576 to
                    limits: {loadedBytes: 64MiB}         | "64MiB" | must be an integer from 1048576 to
                    dead: {keptFor: 59m}                 | dead.keptFor is "59m" | must be from PT1H to
                    dead: {perQueue: -1}                 | dead.perQueue is "-1" | must be 0 to
                    retry: {backoff: 0s}                 | "0s" | must be from PT0.001S to PT720H
                    retry: {backoff: 1s, interval: 1s}   | retry | must have one
                    retry: {delays: "1s,x"}              | retry.delays is "x" | must be a duration
                    retry: {factor: 11}                  | retry.factor is "11" | must be 1.0 to 10.0
                    retry: {jitter: NaN}                 | retry.jitter is "NaN" | must be 0.0 to 1.0
                    queues: {q: {rate: NaN}}             | queues.q.rate is "NaN" | must be 0.001 to
                    retry: {jitter: some}                | retry.jitter is "some" | must be a number from 0.0 to 1.0
                    retry: {backoff: 2h, maxBackoff: 1h} | maxBackoff is PT1H | must be PT2H to PT720H
                    queues: {q: {target: ftp://x}}       | "ftp://x" | must begin with http:// or https://
                    queues: {q: {target: TRACE http://x}}| "TRACE http://x" | must be one of POST
                    queues: {q: {target: http://10.0.0.1}}| "http://10.0.0.1" | which is private (10.0.0.0/8) and not in targets.http.allow
                    targets: {http: {allow: 10.0.0.1/8}} | targets.http.allow is "10.0.0.1/8" | must have no bits behind the first 8
                    targets: {http: {ports: 0}}          | targets.http.ports is "0" | must be ports from 1 to 65535
                    targets: {http: {ports: [80, 0]}}    | targets.http.ports is "80,0" | must be ports from 1 to 65535
                    targets: {http: {allow: [{a: b}]}}   | "targets.http.allow[0].a" | is not known
                    targets: {http: {alow: [a]}}         | "targets.http.alow    | did you mean targets.http.allow?
                    targets: {http: {allow: "a,b:80"}}   | "b:80" | targets.http.ports
                    targets: {redis-streams: {streams: "*a"}} | targets.redis-streams.streams | must be names of streams
                    queues: {q: {concurrency: 0}}        | queues.q.concurrency | must be 1 to 100000
                    queues: {q: {rate: x}}               | queues.q.rate | must be a number from 0.001
                    queues: {q: {rate: 10d}}             | queues.q.rate is "10d" | must be a number from 0.001
                    queues: {q: {rate: 0x1p3}}           | queues.q.rate | must be a number from 0.001
                    queues: {q: {burst: 2}}              | queues.q.burst | must be with queues.q.rate only
                    queues: {q: {deadFor: 1m}}           | queues.q.deadFor | must be from PT1H
                    queues: {q: {expireAfter: PT0.0015S}} | queues.q.expireAfter | must be of whole milliseconds
                    queues: {q: {paused: yes please}}    | queues.q.paused | must be true or false
                    queues: {'a b': {target: log}}       | queue | must be of letters
                    'server: ['                          | not valid YAML | line
                    """)
    void aWrongSettingIsNamedWithItsRule(String yaml, String value, String rule) {
        assertThatThrownBy(() -> read(yaml, Map.of()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining(value)
                .hasMessageContaining(rule);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "targets: {http: {allow: *.svc.cluster.local}}",
                "targets:\n  http:\n    allow: *.svc.cluster.local\n",
                "targets: {http: {allow: [10.0.0.0/8, *.svc.cluster.local]}}",
                "targets: {redis-streams: {streams: *orders}}",
                "targets: {redis-streams: {streams: * }}"
            })
    void aValueThatYamlTakesForAnAliasMustBeInQuotes(String yaml) {
        assertThatThrownBy(() -> read(yaml, Map.of()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("is not valid YAML")
                .hasMessageEndingWith("; a value that begins with * must be in quotes");
    }

    @Test
    void optionsOfTargetsAndSourcesMayBeLists() throws IOException {
        ServerConfig config = read("""
                targets:
                  http:
                    allow: [10.0.0.0/8, shop, "*.svc.cluster.local"]
                    deny:
                      - 10.9.0.0/16
                    ports: [80, 8000-8999]
                    nameServers: [10.0.0.2, "10.0.0.3:5353"]
                  redis-streams:
                    streams: [orders, shop-*]
                sources:
                  rabbitmq: {exchanges: [a=b, c=d]}
                queues: {q: {target: "http://10.0.0.1:8123"}, r: {target: redis-streams shop-7}}
                """, Map.of());
        assertThat(config.targetOptions())
                .isEqualTo(Map.of(
                        "http",
                        Map.of(
                                "allow", "10.0.0.0/8,shop,*.svc.cluster.local",
                                "deny", "10.9.0.0/16",
                                "ports", "80,8000-8999",
                                "nameServers", "10.0.0.2,10.0.0.3:5353"),
                        "redis-streams",
                        Map.of("streams", "orders,shop-*")));
        assertThat(config.sourceOptions()).isEqualTo(Map.of("rabbitmq", Map.of("exchanges", "a=b,c=d")));
        assertThat(config.queues()).hasSize(2);
    }

    @Test
    void theEnvironmentGoesOverAList() throws IOException {
        Map<String, String> environment = Map.of("TICKWHEEL_TARGETS_HTTP_ALLOW", "shop");
        assertThat(read("targets: {http: {allow: [a, b]}}", environment).targetOptions())
                .isEqualTo(Map.of("http", Map.of("allow", "shop")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server: {port: 1, port: 2}",
                "server:\n  port: 1\nserver:\n  host: 127.0.0.1\n",
                "queues: {q: {target: log}, 'q': {target: log}}"
            })
    void aKeyThatIsThereTwiceStopsTheStart(String yaml) {
        assertThatThrownBy(() -> read(yaml, Map.of()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("tickwheel.yaml is not valid YAML")
                .hasMessageContaining("found duplicate key");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    ``                                | has no settings, must have some; to start with the defaults, write {}
                    `   \n\n`                         | has no settings
                    `# nothing yet`                   | has no settings
                    ---                               | has no settings
                    ~                                 | has no settings
                    server                            | is a single value, must have settings with their names
                    7373                              | is a single value
                    - server                          | is a list, must have settings with their names
                    []                                | is a list
                    `server: {port: 1}\n---\nstore: redis`  | has 2 YAML documents, must have one
                    `server: {port: 1}\n---\n`        | has 2 YAML documents
                    `server:`                         | setting "server" in
                    `servr: {}`                       | setting "servr" in
                    `server: {port: ~}`               | setting "server.port" in
                    `store: {redis: {uri: []}}`       | setting "store.redis.uri" in
                    `server: &a {x: *a}`              | is nested more than 16 levels deep
                    """)
    void aFileWithoutSettingsIsRefused(String yaml, String rule) {
        assertThatThrownBy(() -> read(yaml.replace("\\n", "\n"), Map.of()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("tickwheel.yaml")
                .hasMessageContaining(rule);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "--- {}", "---\n{}\n...\n", "# none\n{} # but this"})
    void anEmptyMappingSaysThatNothingIsSet(String yaml) throws IOException {
        assertThat(read(yaml, Map.of())).isEqualTo(ServerConfig.of("127.0.0.1", 7373, Path.of("tickwheel-data")));
    }

    @Test
    void theFormOfTheLogIsOneOfTwo() throws IOException {
        assertThat(read("log: {format: text}", Map.of()).log()).isEqualTo(new LogConfig(false, false));
        assertThat(read("log: {access: true}", Map.of()).log()).isEqualTo(new LogConfig(false, true));
        assertThatThrownBy(() -> read("log: {format: xml}", Map.of()))
                .isInstanceOf(StartException.class)
                .hasMessage("log.format is \"xml\", must be text or json");
    }

    @Test
    void theStoreIsOneOfTwo() throws IOException {
        assertThat(read("store: file", Map.of()).store()).isInstanceOf(FileStoreConfig.class);
        assertThatThrownBy(() -> read("store: disk", Map.of()))
                .isInstanceOf(StartException.class)
                .hasMessage("store is \"disk\", must be file or redis");
    }

    @Test
    void aFileThatCannotBeReadIsNamed() throws IOException {
        Path file = directory.resolve("latin1.yaml");
        Files.write(file, new byte[] {'a', ':', ' ', (byte) 0xE4});
        assertThatThrownBy(() -> ConfigFile.read(file, Map.of(), InstalledTargets.kinds()))
                .isInstanceOf(StartException.class)
                .hasMessageEndingWith("latin1.yaml: it is not UTF-8");
        assertThatThrownBy(() -> ConfigFile.read(directory, Map.of(), InstalledTargets.kinds()))
                .isInstanceOf(StartException.class)
                .hasMessageMatching("cannot read .*: Is a directory");
    }

    @ParameterizedTest
    @ValueSource(strings = {".", ".."})
    void aQueueThatTakesNoNewTimersMayHaveATargetForItsOldOnes(String queue) throws IOException {
        assertThat(read("queues: {'" + queue + "': {target: log}}", Map.of()).queues())
                .isEqualTo(Map.of(queue, QueueSettings.NONE.withTarget(new Destination("log", ""))));
    }

    @Test
    void aQueueMayHaveATargetThatIsAllowed() throws IOException {
        Map<String, String> environment = Map.of("TICKWHEEL_TARGETS_HTTP_ALLOW", "10.0.0.0/8");
        assertThat(read("queues: {q: {target: http://10.0.0.1}}", environment).queues())
                .isEqualTo(Map.of("q", QueueSettings.NONE.withTarget(new Destination("http", "POST http://10.0.0.1"))));
    }

    @Test
    void theServerThatCommandsCallIsNoSettingAndMayStandBesideThem() throws IOException {
        assertThat(read("{}", Map.of("TICKWHEEL_SERVER", "http://10.0.0.1:7373", "TICKWHEEL_SERVER_PORT", "2"))
                        .port())
                .isEqualTo(2);
    }

    @Test
    void anUnknownVariableIsNamed() {
        assertThatThrownBy(() -> read("{}", Map.of("TICKWHEEL_SERVER_PROT", "1")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("TICKWHEEL_SERVER_PROT")
                .hasMessageContaining("did you mean TICKWHEEL_SERVER_PORT?");
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> ConfigFile.read(directory.resolve("none.yaml"), Map.of(), InstalledTargets.kinds()))
                .isInstanceOf(StartException.class)
                .hasMessageEndingWith("none.yaml: there is no such file");
    }

    private ServerConfig read(String yaml, Map<String, String> environment) throws IOException {
        Path file = directory.resolve("tickwheel.yaml");
        Files.writeString(file, yaml);
        return ConfigFile.read(file, environment, InstalledTargets.kinds());
    }
}
