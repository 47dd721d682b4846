package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.testkit.RedisServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How {@code tend.lua} loads a range from the slices that touch it. */
class TendScriptTest {

    private static final Script TEND = Script.named("tend");
    private static final String PREFIX = "script:{t}:";
    private static final String EPOCH = "7";
    private static final String TO_MS = "100000";

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Two near slices, and a far one that covers both. */
    @BeforeEach
    void fillSlices() {
        server.command("FLUSHALL");
        server.command("HSET", PREFIX + "m", "owner", "n", "epoch", EPOCH);
        server.command("ZADD", PREFIX + "i", "0", "f0", "0", "n0", "65536", "n1", "131072", "n2");
        server.command("ZADD", PREFIX + "zn0", "10", "b", "20", "d");
        server.command("ZADD", PREFIX + "zn1", "70000", "g", "100000", "h");
        server.command("ZADD", PREFIX + "zf0", "10", "a", "10", "c", "30", "e", "69999", "f", "200000", "i");
    }

    @Test
    void timersOfAllSlicesComeInTheOrderOfTheirDueTimes() {
        List<?> answer = tend(100, "n0", "n1", "f0");
        assertThat(strings(answer.get(7)))
                .containsExactly("a", "10", "b", "10", "c", "10", "d", "20", "e", "30", "f", "69999", "g", "70000");
        assertThat(answer.get(6)).isEqualTo(100_000L);
        assertThat(server.command("HGET", PREFIX + "m", "hz")).isEqualTo(TO_MS);
    }

    @Test
    void rangeEndsBeforeTheFirstTimerThatThereIsNoRoomFor() {
        List<?> answer = tend(4, "n0", "n1", "f0");
        assertThat(strings(answer.get(7))).containsExactly("a", "10", "b", "10", "c", "10", "d", "20");
        assertThat(answer.get(6)).isEqualTo(30L);
        assertThat(server.command("HGET", PREFIX + "m", "hz")).isEqualTo("30");
    }

    @Test
    void rangeEndsBeforeTheFirstSliceThatWasNotDeclared() {
        List<?> answer = tend(100, "n0", "f0");
        assertThat(strings(answer.get(5))).containsExactly("f0", "n0", "n1");
        assertThat(strings(answer.get(7))).containsExactly("a", "10", "b", "10", "c", "10", "d", "20", "e", "30");
        assertThat(answer.get(6)).isEqualTo(65_536L);
        assertThat(strings(tend(100, "n0", "n1").get(7))).isEmpty();
    }

    private static List<?> tend(int most, String... slices) {
        List<String> eval = new ArrayList<>(List.of("EVAL", TEND.source(), "" + (4 + slices.length)));
        for (char letter : "mnfi".toCharArray()) {
            eval.add(PREFIX + letter);
        }
        for (String slice : slices) {
            eval.add(PREFIX + "z" + slice);
        }
        eval.addAll(List.of(EPOCH, "60000", "" + Long.MAX_VALUE, "10", "0", TO_MS, "" + most));
        eval.addAll(List.of(slices));
        return (List<?>) server.command(eval.toArray(String[]::new));
    }

    private static List<String> strings(Object list) {
        return ((List<?>) list).stream().map(String::valueOf).toList();
    }
}
