package io.tickwheel.target.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetFields;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.redis.testkit.RedisServer;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams that timers may not go to: refused when they are scheduled, and when they were scheduled before; Redis has none of them. */
final class StreamNamesTest {

    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private static TargetKind kind(String streams) {
        return new RedisStreamTargetKind().configured(streams == null ? Map.of() : Map.of("streams", streams));
    }

    private static Target open(String streams) {
        return streams == null ? Streams.open(redis) : Streams.open(redis, "streams", streams);
    }

    @ParameterizedTest
    @CsvSource({
        ",tickwheel:{0}:x",
        ",tickwheel:{0}:zn12",
        ",tickwheel:{0}:lb-queue",
        ",:{a}:",
        ",'a:{}}:'",
        ",'a}:{\n}:b'",
        "orders,orders2",
        "orders,Orders",
        "orders,tickwheel:{0}:x",
        "orders,*",
        "'shop-*, orders',shop",
        "*,tickwheel:{0}:x",
        "tickwheel*,tickwheel:{0}:e",
        "tickwheel:*,tickwheel:{0}:e",
        "eu:{1}:*,tickwheel:{0}:e"
    })
    void streamThatIsNotAllowedIsRefusedAtOnceAndAtTheAttempt(String streams, String stream) throws Exception {
        TargetKind kind = kind(streams);
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.read(TargetFields.of(Map.of("redisStream", Map.of("stream", stream)))))
                .withMessageEndingWith("must be in targets.redis-streams.streams")
                .satisfies(refusal -> {
                    assertThat(refusal.code()).isEqualTo("destination_not_allowed");
                    assertThat(refusal.field()).isEqualTo("redisStream.stream");
                });
        if (!stream.contains(" ")) {
            assertThatExceptionOfType(InvalidTargetException.class)
                    .isThrownBy(() -> kind.readSetting(stream + " =1"))
                    .satisfies(refusal -> assertThat(refusal.code()).isEqualTo("destination_not_allowed"));
        }
        Target target = open(streams);
        assertThat(Streams.deliver(target, "=1 " + stream))
                .startsWith("rejected: the stream ")
                .endsWith("must be in targets.redis-streams.streams");
        target.close();
        assertThat(redis.command("EXISTS", stream)).isEqualTo(0L);
    }

    @ParameterizedTest
    @CsvSource({
        ",orders",
        ",tickwheel:x",
        ",shop:{eu}",
        ",{eu}:orders",
        ",a:{}:b",
        "'shop-*, orders',orders",
        "'shop-*, orders',shop-",
        "'shop-*, orders',shop-7",
        "*,anything",
        "shop:{eu}:out,shop:{eu}:out",
        "shop:{*,shop:{us}:out"
    })
    void streamThatIsAllowedIsWritten(String streams, String stream) throws Exception {
        redis.command("DEL", stream);
        assertThat(kind(streams).read(TargetFields.of(Map.of("redisStream", Map.of("stream", stream)))))
                .isEqualTo("* " + stream);
        assertThat(kind(streams).readSetting(stream)).isEqualTo("* " + stream);
        Target target = open(streams);
        assertThat(Streams.deliver(target, "* " + stream)).isEqualTo("acknowledged");
        target.close();
        assertThat(redis.command("XLEN", stream)).isEqualTo(1L);
    }

    /** The queue of the attempts is bills. */
    @Test
    void streamOfTheQueueMustBeListedToo() throws Exception {
        assertThat(kind("orders").read(TargetFields.of(Map.of("redisStream", Map.of()))))
                .isEqualTo("* ");
        redis.command("DEL", "bills");
        Target others = open("orders");
        assertThat(Streams.deliver(others, "* "))
                .isEqualTo("rejected: the stream must be in targets.redis-streams.streams");
        others.close();
        assertThat(redis.command("EXISTS", "bills")).isEqualTo(0L);
        Target its = open("bil*");
        assertThat(Streams.deliver(its, "* ")).isEqualTo("acknowledged");
        its.close();
    }

    /** The one in {@code docs/targets/redis-streams.md}; Redis itself refuses it the keys of a store, though an option lists them. */
    @Test
    void userWithItsOwnStreamsIsEnough() throws Exception {
        String rights = "on >secret resetkeys ~shop-* resetchannels -@all +ping +xadd +wait";
        String[] user = ("ACL SETUSER tickwheel-streams " + rights).split(" ");
        redis.command(user);
        Target target = Streams.open(
                redis, "streams", "shop-*, s:{0}:x", "username", "tickwheel-streams", "password", "secret");
        assertThat(Streams.deliver(target, "~5 shop-out")).isEqualTo("acknowledged");
        assertThat(Streams.deliver(target, "=1 s:{0}:x")).startsWith("failed: NOPERM");
        target.close();
        assertThat(redis.command("EXISTS", "s:{0}:x")).isEqualTo(0L);
    }

    /** Nothing is connected to: not even a server at the address that was the default once. */
    @ParameterizedTest
    @ValueSource(strings = {"", "password", "streams", "sentinelMaster"})
    void withoutAUriEachAttemptFailsAndSaysWhatIsMissing(String option) throws Exception {
        Map<String, String> settings = option.isEmpty() ? Map.of() : Map.of(option, "x");
        Target target = new RedisStreamTargetKind().open(new TargetOptions(Clock.system(), 1, settings));
        assertThat(Streams.deliver(target, "* orders")).isEqualTo("failed: targets.redis-streams.uri is not set");
        target.close();
    }

    @Test
    void brokenListEndsTheStartWithItsName() {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind("orders,"))
                .satisfies(refusal -> assertThat(refusal.field()).isEqualTo("streams"));
    }

    @Test
    void kindWithoutSettingsTakesWhatAnExportHas() {
        assertThat(new RedisStreamTargetKind()
                        .read(TargetFields.of(Map.of("redisStream", Map.of("stream", "tickwheel:{0}:x")))))
                .isEqualTo("* tickwheel:{0}:x");
    }
}
