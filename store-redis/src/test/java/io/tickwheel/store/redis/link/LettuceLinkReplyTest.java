package io.tickwheel.store.redis.link;

import static io.tickwheel.store.redis.link.Loop.push;
import static io.tickwheel.store.redis.link.Reply.Outcome.DONE;
import static io.tickwheel.store.redis.link.Reply.Outcome.FULL;
import static io.tickwheel.store.redis.link.Reply.Outcome.REFUSED;
import static io.tickwheel.store.redis.link.Reply.Outcome.UNAVAILABLE;
import static io.tickwheel.store.redis.link.Reply.Outcome.UNMET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.redis.RedisAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LettuceLinkReplyTest {

    /** How often a server that is loading is asked what it has. */
    private static final int LOADING = 6;

    private static ScriptedServer redis72(String appendOnly) {
        return ScriptedServer.with("redis_version:7.2.4", "redis_mode:standalone", "aof_enabled:" + appendOnly);
    }

    private static Reply reply(String error) {
        try (ScriptedServer server = redis72("0");
                Loop loop = Loop.open(server.port())) {
            server.replies(command -> error);
            return loop.call(push(0, "k", "a", Durability.MEMORY));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "CLUSTERDOWN The cluster is down",
                "LOADING Redis is loading the dataset in memory",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "READONLY You can't write against a read only replica. script: 1, on @user_script:1.",
                "BUSY Redis is busy running a script.",
                "NOREPLICAS Not enough good replicas to write.",
                "MISCONF Redis is configured to save RDB snapshots, but it's unable to persist to disk.",
                "ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -READONLY You can't write"
            })
    void errorThatPassesIsUnavailable(String error) {
        Reply reply = reply("-" + error);
        assertThat(reply.outcome()).isEqualTo(UNAVAILABLE);
        assertThat(reply.reason()).isEqualTo(error);
    }

    @ParameterizedTest
    @CsvSource({
        "OOM command not allowed when used memory > 'maxmemory'., FULL",
        "ERR Error running script (call to f_1): @user_script:1: -OOM command not allowed, FULL",
        "ERR Error running script (call to f_1): @user_script:1: Script attempted to access, REFUSED",
        "WRONGTYPE Operation against a key holding the wrong kind of value, REFUSED",
        "NOPERM this user has no permissions, REFUSED",
        "CROSSSLOT Keys in request don't hash to the same slot, REFUSED"
    })
    void otherErrorsAreForGood(String error, Reply.Outcome outcome) {
        assertThat(reply("-" + error).outcome()).isEqualTo(outcome).isIn(FULL, REFUSED);
    }

    @ParameterizedTest
    @CsvSource({"0, :1 :0, DONE", "0, :0 :0, UNMET", "1, :1 :0, UNMET", "1, :1 :1, DONE", "1, :0 :1, UNMET"})
    void syncIsDoneWhenMasterAndReplicasSaySo(int copies, String numbers, Reply.Outcome outcome) {
        try (ScriptedServer server = redis72("1");
                Loop loop = Loop.open(server.port())) {
            server.replies(command -> switch (command.get(0)) {
                case "EVAL" -> ":7";
                case "WAITAOF" ->
                    command.subList(1, 3).equals(List.of("1", "" + copies))
                            ? "*2\r\n" + numbers.replace(" ", "\r\n")
                            : "-ERR wrong";
                default -> "-ERR unexpected " + command;
            });
            Reply reply = loop.call(push(0, "k", "a", Durability.fsync(copies)));
            assertThat(reply.outcome()).isEqualTo(outcome);
            assertThat(reply.value()).isEqualTo(7L);
            assertThat(reply.reason().isEmpty()).isEqualTo(outcome == DONE);
        }
    }

    @Test
    void syncNeedsAFile() {
        try (ScriptedServer server = redis72("0");
                Loop loop = Loop.open(server.port())) {
            Reply reply = loop.call(push(0, "k", "a", Durability.fsync(0)));
            assertThat(reply.outcome()).isEqualTo(REFUSED);
            assertThat(reply.reason()).contains("appendonly no");
        }
    }

    @Test
    void errorInPlaceOfTheNumberIsUnmet() {
        try (ScriptedServer server = redis72("0");
                Loop loop = Loop.open(server.port())) {
            server.replies(command ->
                    command.get(0).equals("EVAL") ? ":7" : "-UNBLOCKED force unblock from blocking operation");
            Reply reply = loop.call(push(0, "k", "a", Durability.replicated(1)));
            assertThat(reply.outcome()).isEqualTo(UNMET);
            assertThat(reply.value()).isEqualTo(7L);
            assertThat(reply.reason()).startsWith("UNBLOCKED");
        }
    }

    @Test
    void callThatIsAskedOverInVainGoesWhereItIsSentThen() {
        try (ScriptedServer from = ScriptedServer.with("redis_version:6.2.0", "cluster_enabled:1");
                ScriptedServer to = ScriptedServer.with("redis_version:6.2.0", "cluster_enabled:1");
                Loop loop = Loop.open(
                        RedisAddress.cluster("redis://127.0.0.1:" + from.port()), Loop.PATIENT, Loop.PATIENT)) {
            AtomicInteger times = new AtomicInteger();
            from.replies(command -> times.incrementAndGet() == 1 ? "-ASK 5 127.0.0.1:" + to.port() : ":7");
            to.replies(command -> "-MOVED 5 127.0.0.1:" + from.port());
            Reply reply = loop.call(push(5, "k", "a", Durability.MEMORY));
            assertThat(reply.outcome()).as(reply.reason()).isEqualTo(DONE);
            assertThat(reply.value()).isEqualTo(7L);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"READONLY You can't write against a read only replica.", "CLUSTERDOWN The cluster is down"})
    void serverThatIsNoMasterAnyMoreHasAnotherOneAsked(String error) {
        try (ScriptedServer old = ScriptedServer.with("redis_version:6.2.0", "cluster_enabled:1");
                ScriptedServer promoted = ScriptedServer.with("redis_version:6.2.0", "cluster_enabled:1");
                Loop loop = Loop.open(
                        RedisAddress.cluster("redis://127.0.0.1:" + old.port(), "redis://127.0.0.1:" + promoted.port()),
                        Loop.PATIENT,
                        Loop.PATIENT)) {
            old.replies(command -> "-" + error);
            promoted.replies(command -> ":7");
            assertThat(loop.untilDone(() -> push(5, "k", "a", Durability.MEMORY))
                            .value())
                    .isEqualTo(7L);
        }
    }

    @Test
    void sentinelThatFallsSilentIsAskedAgain() {
        try (ScriptedServer sentinel = ScriptedServer.with("redis_mode:sentinel");
                ScriptedServer old = redis72("0");
                ScriptedServer promoted = redis72("0")) {
            AtomicInteger questions = new AtomicInteger();
            sentinel.replies(command -> command.get(0).equals("SENTINEL")
                    ? switch (questions.incrementAndGet()) {
                        case 1 -> address(old);
                        case 2 -> "";
                        default -> address(promoted);
                    }
                    : "");
            old.replies(command -> "-READONLY You can't write against a read only replica.");
            promoted.replies(command -> ":7");
            RedisAddress address = RedisAddress.sentinel("main", "redis://127.0.0.1:" + sentinel.port());
            try (Loop loop = Loop.open(address, Loop.SHORT, Loop.PATIENT)) {
                assertThat(loop.untilDone(() -> push(0, "k", "a", Durability.MEMORY))
                                .value())
                        .isEqualTo(7L);
            }
        }
    }

    private static String address(ScriptedServer server) {
        String port = Integer.toString(server.port());
        return "*2\r\n$9\r\n127.0.0.1\r\n$" + port.length() + "\r\n" + port;
    }

    @Test
    void serverThatIsLoadingHasNoCallUntilItSaysWhatItHas() {
        try (ScriptedServer server = redis72("0");
                Loop loop = Loop.open(server.port())) {
            AtomicInteger questions = new AtomicInteger();
            AtomicInteger tooEarly = new AtomicInteger();
            server.replies(command -> {
                if (command.get(0).equals("GET")) {
                    return questions.incrementAndGet() < LOADING ? "-LOADING Redis is loading" : "$2\r\nid";
                }
                tooEarly.addAndGet(questions.get() < LOADING ? 1 : 0);
                return ":7";
            });
            loop.link.greet(new Link.Greeting() {
                @Override
                public String[] question() {
                    return new String[] {"GET", "id"};
                }

                @Override
                public boolean take(Object answer) {
                    return answer instanceof byte[] id && new String(id, StandardCharsets.US_ASCII).equals("id");
                }
            });
            server.cut();
            assertThat(loop.untilDone(() -> push(0, "k", "a", Durability.MEMORY))
                            .value())
                    .isEqualTo(7L);
            assertThat(tooEarly).hasValue(0);
        }
    }

    @Test
    void callsOfEachLevelAreAwaitedForThemselves() {
        try (ScriptedServer server = redis72("0");
                Loop loop = Loop.open(server.port())) {
            server.replies(command -> command.get(0).equals("WAIT") ? ":1" : ":7");
            List<Loop.Kept> sent = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                sent.add(loop.send(push(0, "k", "a", Durability.replicated(1 + i % 2))));
            }
            loop.link.flush();
            loop.until(loop.link::isQuiet);
            for (int i = 0; i < 10; i++) {
                assertThat(sent.get(i).reply.outcome()).isEqualTo(i % 2 == 0 ? DONE : UNMET);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MOVED", "ASK"})
    void callThatIsSentAroundForEverIsGivenUp(String word) {
        try (ScriptedServer server = ScriptedServer.with("redis_version:6.2.0", "cluster_enabled:1");
                Loop loop = Loop.open(
                        RedisAddress.cluster("redis://127.0.0.1:" + server.port()), Loop.PATIENT, Loop.PATIENT)) {
            AtomicInteger times = new AtomicInteger();
            server.replies(command -> {
                times.incrementAndGet();
                return "-" + word + " 5 127.0.0.1:" + server.port();
            });
            Reply reply = loop.call(push(5, "k", "a", Durability.MEMORY));
            assertThat(reply.outcome()).isEqualTo(UNAVAILABLE);
            assertThat(reply.reason()).contains(word);
            assertThat(times).hasValue(6);
        }
    }

    @Test
    void versionHasALeastAndValkeyItsOwn() {
        try (ScriptedServer old = ScriptedServer.with("redis_version:6.0.20");
                ScriptedServer valkey = ScriptedServer.with("redis_version:0.0.0", "valkey_version:8.0.1")) {
            assertThatThrownBy(() -> Loop.open(old.port()).close())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("6.0.20")
                    .hasMessageContaining("at least 6.2");
            try (Loop loop = Loop.open(valkey.port())) {
                valkey.replies(command -> ":7");
                assertThat(loop.call(push(0, "k", "a", Durability.MEMORY)).value())
                        .isEqualTo(7L);
            }
        }
    }
}
