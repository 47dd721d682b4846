package io.tickwheel.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.server.targets.InstalledTargets;
import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisTimerStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The settings of a store on Redis, read as {@code tickwheel serve} does. */
final class RedisSettingsTest {

    @TempDir
    private Path directory;

    @Test
    void everySettingIsRead() throws IOException {
        Path certificate = Files.writeString(directory.resolve("any.pem"), "any");
        Path secret = Files.writeString(directory.resolve("secret"), "s3cr$t ${x}\n");
        RedisStoreConfig store = store("""
                store:
                  kind: redis
                  redis:
                    uri: rediss://redis.example:6380
                    username: timers
                    passwordFile: %s
                    certificateAuthority: %s
                    clientCertificate: %s
                    clientKey: %s
                    hostnameCheck: false
                    namespace: shop
                    partitions: 64
                    durability: replicated(1)
                    node: a
                    lease: 2s
                    timeout: 3s
                    finishedRemembered: 1000
                """.formatted(secret, certificate, certificate, certificate));
        RedisAddress address = RedisAddress.single("rediss://redis.example:6380")
                .withUsername("timers")
                .withPassword("s3cr$t ${x}")
                .withCertificateAuthority(certificate)
                .withClientCertificate(certificate, certificate)
                .withoutHostnameCheck();
        assertThat(store.address()).isEqualTo(address);
        assertThat(store.store())
                .hasToString(RedisTimerStore.at(address)
                        .withNamespace("shop")
                        .withPartitions(64)
                        .withDurability(Durability.replicated(1))
                        .withNode("a")
                        .withLease(Duration.ofSeconds(2))
                        .withTimeout(Duration.ofSeconds(3))
                        .withFinishedRemembered(1_000)
                        .toString());
        assertThat(store.place()).contains("rediss://redis.example:6380", "namespace shop");
        assertThat(store.toString() + store.place()).doesNotContain("s3cr$t");
    }

    @Test
    void theAddressOfACommandGoesOverTheStoreOfTheEnvironment() {
        Map<String, String> environment = Map.of(
                "TICKWHEEL_STORE", "file",
                "TICKWHEEL_STORE_REDIS_URI", "redis://other:1",
                "TICKWHEEL_STORE_REDIS_NAMESPACE", "shop");
        StoreConfig store = ConfigFile.redis("redis://redis.example:6380", environment, InstalledTargets.kinds());
        assertThat(store.place()).contains("redis://redis.example:6380", "namespace shop");
    }

    @Test
    void eachPasswordMayBeInAFileOfItsOwn() throws IOException {
        Path servers = Files.writeString(directory.resolve("servers"), "s3cret\n");
        Path sentinels = Files.writeString(directory.resolve("sentinels"), "0ther");
        String yaml = "store: {kind: redis, redis: {sentinelMaster: timers, uri: 'redis://a:1',"
                + " sentinelUsername: watcher, passwordFile: " + servers + ", sentinelPasswordFile: " + sentinels
                + "}}";
        assertThat(store(yaml).address())
                .isEqualTo(RedisAddress.sentinel("timers", "redis://a:1")
                        .withPassword("s3cret")
                        .withSentinelUsername("watcher")
                        .withSentinelPassword("0ther"));
    }

    @Test
    void serversMayHaveTlsThatTheirSentinelsHaveNot() throws IOException {
        Path certificate = Files.writeString(directory.resolve("any.pem"), "any");
        assertThat(store("store: {kind: redis, redis: {sentinelMaster: timers, uri: 'redis://a:1', serverTls: true,"
                                + " certificateAuthority: " + certificate + "}}")
                        .address())
                .isEqualTo(RedisAddress.sentinel("timers", "redis://a:1")
                        .withServerTls()
                        .withCertificateAuthority(certificate));
        assertThat(store("store: {kind: redis, redis: {sentinelMaster: timers, uri: 'rediss://a:1', serverTls: false}}")
                        .address())
                .isEqualTo(RedisAddress.sentinel("timers", "rediss://a:1").withoutServerTls());
    }

    @ParameterizedTest
    @ValueSource(strings = {"store: redis", "store: {kind: redis}"})
    void whatIsNotSetIsAsTheStoreHasIt(String yaml) throws IOException {
        RedisAddress address = RedisAddress.single("redis://127.0.0.1:6379");
        assertThat(store(yaml).address()).isEqualTo(address);
        assertThat(store(yaml).store()).hasToString(RedisTimerStore.at(address).toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "uri: 'redis://a:1,redis://b:2, redis://c:3'",
                "uri: [redis://a:1, redis://b:2, redis://c:3]",
            })
    void sentinelsAndClustersHaveSeveralAddresses(String uris) throws IOException {
        assertThat(store("store: {kind: redis, redis: {sentinelMaster: timers, " + uris + "}}")
                        .address())
                .isEqualTo(RedisAddress.sentinel("timers", "redis://a:1", "redis://b:2", "redis://c:3"));
        assertThat(store("store: {kind: redis, redis: {cluster: true, " + uris + "}}")
                        .address())
                .isEqualTo(RedisAddress.cluster("redis://a:1", "redis://b:2", "redis://c:3"));
    }

    @Test
    void theEnvironmentGoesOverTheFile() throws IOException {
        ServerConfig config = read(
                "server: {port: 1}",
                Map.of(
                        "TICKWHEEL_STORE_KIND", "redis",
                        "TICKWHEEL_STORE_REDIS_URI", "redis://a:1,redis://b:2",
                        "TICKWHEEL_STORE_REDIS_SENTINEL_MASTER", "timers",
                        "TICKWHEEL_STORE_REDIS_PASSWORD", "s3cret",
                        "TICKWHEEL_STORE_REDIS_SENTINEL_PASSWORD", "0ther"));
        assertThat(((RedisStoreConfig) config.store()).address())
                .isEqualTo(RedisAddress.sentinel("timers", "redis://a:1", "redis://b:2")
                        .withPassword("s3cret")
                        .withSentinelPassword("0ther"));
        assertThat(config.toString()).doesNotContain("s3cret", "0ther");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    uri: redis://a:0                                | store.redis.uri: | must be 1 to 65535
                    uri: http://a                                   | store.redis.uri: | must be redis://host:port
                    uri: ''                                         | store.redis.uri: | must be redis://host:port
                    uri: redis://s3cret@a                           | store.redis.uri  | must be in store.redis.username and store.redis.passwordFile
                    uri: 'redis://a,redis://b'                      | store.redis.uri has 2 addresses | must be one unless
                    uri: 'redis://a,rediss://b', cluster: true      | store.redis.uri: | must all have the same scheme
                    cluster: maybe                                  | store.redis.cluster is "maybe" | must be true or false
                    cluster: true, sentinelMaster: m                | store.redis.sentinelMaster and store.redis.cluster | must be at most one
                    sentinelMaster: ' '                             | store.redis.sentinelMaster | must not be blank
                    username: u                                     | store.redis.username | must have one of them
                    sentinelMaster: m, sentinelUsername: u          | store.redis.sentinelUsername | must have one of them
                    password: ''                                    | store.redis.password: | must have at least one character
                    password: s3cret, passwordFile: f               | store.redis.password and store.redis.passwordFile | must be at most one
                    passwordFile: /does/not/exist                   | store.redis.passwordFile is "/does/not/exist" | must be a file
                    sentinelPassword: s3cret                        | store.redis.sentinelPassword: | must be one of sentinels
                    sentinelUsername: u                             | store.redis.sentinelUsername: | must be one of sentinels
                    certificateAuthority: /does/not/exist           | store.redis.certificateAuthority: | must be rediss://
                    certificateAuthority: /not, uri: rediss://a     | store.redis.certificateAuthority: | must be a file that can be read
                    clientKey: k, uri: rediss://a                   | store.redis.clientKey | must be both or none
                    serverTls: true                                 | store.redis.serverTls: | must be one of sentinels
                    sentinelMaster: m, serverTls: maybe             | store.redis.serverTls is "maybe" | must be true or false
                    hostnameCheck: no                               | store.redis.hostnameCheck | must be
                    namespace: 'a b'                                | store.redis.namespace: | must be 1 to 64
                    partitions: 0                                   | store.redis.partitions: | must be 1 to 1024
                    partitions: x                                   | store.redis.partitions is "x" | must be an integer
                    durability: sync                                | store.redis.durability: | must be memory, replicated(n) or fsync(n)
                    durability: replicated(0)                       | store.redis.durability is "replicated(0)" | must be memory, replicated(n) or fsync(n)
                    node: ''                                        | store.redis.node: | must be 1 to 64
                    lease: 1ms                                      | store.redis.lease: | must be from PT0.2S to PT1M
                    lease: 5                                        | store.redis.lease is "5" | must be a duration
                    timeout: 2m                                     | store.redis.timeout: | must be from PT0.1S to PT1M
                    finishedRemembered: -1                          | store.redis.finishedRemembered is "-1" | must be 0 to
                    leese: 1s                                       | "store.redis.leese" | did you mean store.redis.lease?
                    """)
    void aWrongSettingIsNamedWithItsRule(String settings, String name, String rule) {
        assertThatThrownBy(() -> store("store: {kind: redis, redis: {" + settings + "}}"))
                .isInstanceOf(StartException.class)
                .hasMessageContaining(name)
                .hasMessageContaining(rule)
                .hasMessageNotContaining("s3cret");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    store: {kind: redis, file: {directory: d}}  | store.file.directory is there, must not be with store.kind redis
                    store: {redis: {uri: redis://a}}            | store.redis.uri is there, must not be with store.kind file
                    store: {redis: {uri: [redis://a]}}          | store.redis.uri is there, must not be with store.kind file
                    store: {kind: postgres}                     | store.kind is "postgres", must be file or redis
                    store: postgres                             | store is "postgres", must be file or redis
                    """)
    void settingsOfTheOtherKindAreRefused(String yaml, String message) {
        assertThatThrownBy(() -> store(yaml)).isInstanceOf(StartException.class).hasMessage(message);
    }

    @Test
    void passwordFileHasOneLine() throws IOException {
        Path secret = Files.writeString(directory.resolve("secret"), "s3cret\nm0re\n");
        assertThatThrownBy(() -> store("store: {kind: redis, redis: {passwordFile: " + secret + "}}"))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("must be a file of one line, has 2")
                .hasMessageNotContaining("s3cret");
    }

    private RedisStoreConfig store(String yaml) throws IOException {
        return (RedisStoreConfig) read(yaml, Map.of()).store();
    }

    private ServerConfig read(String yaml, Map<String, String> environment) throws IOException {
        Path file = directory.resolve("tickwheel.yaml");
        Files.writeString(file, yaml);
        return ConfigFile.read(file, environment, InstalledTargets.kinds());
    }
}
