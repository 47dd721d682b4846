package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tickwheel.engine.Bulk;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.Receiver;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.config.FileStoreConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.config.StoreConfig;
import io.tickwheel.server.config.StoreFindings;
import io.tickwheel.server.config.StoreWatch;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Durability;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.TimerView;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** A queue is set, changed, paused, resumed and deleted. */
final class QueueCallsTest {

    private static final String ALL = "{\"target\":{\"url\":\"http://shop/close\",\"method\":\"PUT\"},"
            + "\"retry\":{\"maxAttempts\":3,\"interval\":\"2000ms\"},"
            + "\"rate\":{\"perSecond\":0.5,\"burst\":7},\"concurrency\":3,\"paused\":true,"
            + "\"slowStart\":{\"perSecond\":50.0},"
            + "\"delayLevels\":[\"1000ms\",\"5000ms\"],\"expireAfter\":\"60000ms\",\"maxPending\":1000,"
            + "\"deadFor\":\"86400000ms\",\"deadPerQueue\":0,\"excerpts\":true,\"cloudEvents\":true}";

    @TempDir
    private static Path directory;

    private static RunningServer server;
    private static Receiver receiver;

    @BeforeAll
    static void start() {
        server = new RunningServer(directory);
        receiver = new Receiver();
    }

    @AfterAll
    static void stop() {
        server.close();
        receiver.close();
    }

    private static Reply send(String method, String queue, String body, String... headers) {
        return server.send(method, "/v1/queues/" + queue, body == null ? null : RunningServer.JSON, body, headers);
    }

    private static String targetOf(String path) {
        return "{\"target\":{\"url\":\"" + receiver.url(path) + "\"}}";
    }

    @Test
    void everySettingIsShownAsItCanBeSet() {
        Reply set = send("PUT", "all", ALL);
        assertThat(set.status()).isEqualTo(200);
        assertThat(set.etag()).isEqualTo('"' + set.field("id") + '"');
        assertThat(set.body()).contains("\"settings\":" + ALL).contains("\"configuration\":{}");
        Reply got = send("GET", "all", null);
        assertThat(got.body()).isEqualTo(set.body());
        assertThat(got.etag()).isEqualTo(set.etag());
        assertThat(server.get("/v1/queues").body())
                .contains("{\"name\":\"all\",\"pending\":0,\"claimed\":0,\"dead\":0,\"paused\":true}");
    }

    @Test
    void slowStartSaysSinceWhenUnlessItIsYetToBegin() {
        String begun = "\"slowStart\":{\"perSecond\":50.0,\"since\":\"2026-01-01T00:00:00Z\"}";
        assertThat(send("PUT", "begun", "{" + begun + "}").body()).contains("\"settings\":{" + begun + "}");
        assertThat(send("PUT", "begun", "{\"paused\":true," + begun + "}").body())
                .contains("\"settings\":{\"paused\":true,\"slowStart\":{\"perSecond\":50.0}}");
    }

    @Test
    void patchChangesWhatItSays() {
        send("PUT", "patched", "{\"concurrency\":3,\"maxPending\":5}");
        assertThat(send("PATCH", "patched", "{\"concurrency\":4,\"maxPending\":null,\"expireAfter\":\"1m\"}")
                        .body())
                .contains("\"settings\":{\"concurrency\":4,\"expireAfter\":\"60000ms\"}");
        assertThat(send("PUT", "patched", "{\"deadPerQueue\":1}").body()).contains("\"settings\":{\"deadPerQueue\":1}");
    }

    @Test
    void changeIsMeantForTheSettingsThatWereSeen() {
        String seen = send("PUT", "seen", "{\"concurrency\":3}").etag();
        assertThat(send("PATCH", "seen", "{\"concurrency\":4}", "If-Match", seen)
                        .status())
                .isEqualTo(200);
        for (String method : new String[] {"PUT", "PATCH", "DELETE"}) {
            Reply late = send(method, "seen", method.equals("DELETE") ? null : "{}", "If-Match", seen);
            assertThat(late.status()).as(method).isEqualTo(412);
            assertThat(late.field("code")).isEqualTo("queue_changed");
        }
        assertThat(send("GET", "seen", null).body()).contains("\"settings\":{\"concurrency\":4}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"concurrency":0}                    | 422 | out_of_range   | concurrency is 0, must be 1 to 100000
            {"concurrency":"3"}                  | 400 | wrong_type     | concurrency is a string, must be an integer
            {"paused":1}                         | 400 | wrong_type     | paused is a number, must be true or false
            {"rate":{"burst":1}}                 | 400 | field_missing  | rate.perSecond is not there, must be
            {"rate":{"perSecond":0}}             | 422 | out_of_range   | rate.perSecond is 0, must be 0.001
            {"rate":{"perSecond":1,"x":1}}       | 400 | unknown_field  | "rate.x" is not known
            {"rate":5}                           | 400 | wrong_type     | rate is a number, must be an object
            {"slowStart":{}}                     | 400 | field_missing  | slowStart.perSecond is not there
            {"slowStart":{"perSecond":1,"since":"x"}} | 422 | invalid_time | slowStart.since is "x"
            {"delayLevels":[]}                   | 422 | out_of_range   | delayLevels has 0 delays, must have 1 to 100
            {"delayLevels":["1s","x"]}           | 422 | invalid_duration | delayLevels[1] is "x"
            {"delayLevels":["1s","PT0.0015S"]}   | 422 | out_of_range   | delayLevels[1] is PT0.0015S, must be of whole milliseconds
            {"expireAfter":"PT0.0015S"}          | 422 | out_of_range   | expireAfter is PT0.0015S, must be of whole milliseconds
            {"deadFor":"PT1H0.0005S"}            | 422 | out_of_range   | deadFor is PT1H0.0005S, must be of whole milliseconds
            {"deadFor":"1m"}                     | 422 | out_of_range   | deadFor is PT1M, must be PT1H
            {"maxPending":-1}                    | 422 | out_of_range   | maxPending is -1
            {"target":{"url":"ftp://x"}}         | 422 | invalid_url    | ftp://x
            {"target":null}                      | 400 | wrong_type     | target is null, must be an object
            {"tragets":1}                        | 400 | unknown_field  | "tragets" is not known
            {"paused":true,"paused":false}       | 400 | duplicate_field | is there twice
            [1]                                  | 400 | wrong_type     | must be a JSON object
            {"paused":true} 1                    | 400 | malformed_json | goes on after the object
            """)
    void badSettingIsNamedAndNothingIsSet(String body, int status, String code, String detail) {
        Reply refused = send("PUT", "bad", body);
        assertThat(refused.status()).as(refused.body()).isEqualTo(status);
        assertThat(refused.field("code")).isEqualTo(code);
        assertThat(refused.field("detail").replace("\\", "")).contains(detail);
        assertThat(send("GET", "bad", null).field("code")).isEqualTo("unknown_queue");
    }

    @Test
    void queueWhoseNameBreaksARuleIsRefused() {
        assertThat(send("PUT", "~queues", "{}").field("code")).isEqualTo("invalid_queue");
        assertThat(send("GET", "~queues", null).field("code")).isEqualTo("invalid_queue");
        assertThat(send("DELETE", "a%20b", null).field("code")).isEqualTo("invalid_queue");
    }

    @Test
    void pausedQueueWaitsUntilItIsResumed() throws InterruptedException {
        send("PUT", "paused", targetOf("/paused"));
        assertThat(send("POST", "paused/pause", null).body())
                .contains("\"effective\":{\"target\":")
                .contains("\"paused\":true");
        for (int i = 0; i < 5; i++) {
            server.put("paused", "k" + i, "{\"delay\":\"0s\"}");
        }
        // Its own timer comes when those that were due before it would have come.
        send("PUT", "beside", targetOf("/beside"));
        server.put("beside", "k", "{\"delay\":\"10ms\"}");
        assertThat(receiver.next().uri()).isEqualTo("/beside");
        assertThat(send("GET", "paused", null).body()).contains("\"pending\":5,\"claimed\":0");
        Reply resumed = send("POST", "paused/resume?slowStart=1000", null);
        assertThat(resumed.body()).contains("\"slowStart\":{\"perSecond\":1000.0,\"since\":\"20");
        for (int i = 0; i < 5; i++) {
            assertThat(receiver.next().uri()).isEqualTo("/paused");
        }
        for (String none : new String[] {"0", "0.0009", "1000001", "10d", "0x1p3", "5f", "NaN"}) {
            assertThat(send("POST", "paused/resume?slowStart=" + none, null).field("code"))
                    .as(none)
                    .isEqualTo("out_of_range");
        }
        for (String one : new String[] {"0.001", "1000000"}) {
            assertThat(send("POST", "paused/resume?slowStart=" + one, null).status())
                    .as(one)
                    .isEqualTo(200);
        }
        assertThat(send("POST", "paused/resume", null).body()).doesNotContain("slowStart");
    }

    @Test
    void answersAreRememberedWhereTheQueueAsks() throws InterruptedException {
        receiver.willSay("{\"no\":\"room\"}");
        for (String queue : new String[] {"asks", "asks-not"}) {
            send("PUT", queue, targetOf("/x").replace("}}", "},\"excerpts\":" + queue.equals("asks") + "}"));
            receiver.willAnswer(new Receiver.Answer(410));
            server.put(queue, "k", "{\"delay\":\"0s\"}");
            receiver.next();
            Reply dead = server.await(queue, "k", reply -> reply.field("state").equals("DEAD"));
            String excerpt = "\"excerpt\":\"{\\\"no\\\":\\\"room\\\"}\"";
            assertThat(dead.body().contains(excerpt)).as(dead.body()).isEqualTo(queue.equals("asks"));
        }
        receiver.willSay("");
    }

    @Test
    void queueHasDelayLevelsOfItsOwn() {
        send("PUT", "levels", "{\"delayLevels\":[\"1h\",\"36500d\"]}");
        Reply made = server.put("levels", "k", "{\"delayLevel\":2}");
        assertThat(made.field("dueAt")).startsWith("21");
        Reply refused = server.put("levels", "k", "{\"delayLevel\":3}");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.field("detail")).isEqualTo("delayLevel is 3, must be 1 to 2");
        assertThat(server.batch("levels", "{\"key\":\"b\",\"delayLevel\":2}\n").body())
                .contains("\"dueAt\":\"21");
        assertThat(server.put("levels-not", "k", "{\"delayLevel\":18}").status())
                .isEqualTo(201);
        assertThat(server.put("a%20b", "k", "{\"delayLevel\":18}").field("code"))
                .isEqualTo("invalid_queue");
    }

    @Test
    void fullQueueSaysHowManyItMayHave() {
        send("PUT", "full", "{\"maxPending\":2}");
        String hour = "{\"delay\":\"1h\"}";
        assertThat(server.put("full", "a", hour).status()).isEqualTo(201);
        assertThat(server.put("full", "b", hour).status()).isEqualTo(201);
        Reply refused = server.put("full", "c", hour);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.field("code")).isEqualTo("queue_full");
        assertThat(refused.field("detail"))
                .isEqualTo("queue full has 2 timers that are pending or claimed, must have at most 2");
        assertThat(refused.retryAfter()).isNotEmpty();
        assertThat(server.put("full", "a", hour).status()).isEqualTo(200);
        assertThat(server.batch("full", "{\"key\":\"d\",\"delay\":\"1h\"}\n").body())
                .contains("queue_full");
    }

    /** Nobody but those whose timers are there already. */
    @Test
    void queueMayBeClosedByAQuotaOfNone() {
        assertThat(send("PUT", "closed", "{\"maxPending\":0}").status()).isEqualTo(200);
        assertThat(server.put("closed", "a", "{\"delay\":\"1h\"}").field("code"))
                .isEqualTo("queue_full");
    }

    @Test
    void queueWithTimersIsDeletedOnlyWhenThatIsSaid() {
        assertThat(send("DELETE", "gone", null).status()).isEqualTo(404);
        send("PUT", "gone", "{\"concurrency\":3}");
        server.put("gone", "k", "{\"delay\":\"1h\"}");
        Reply refused = send("DELETE", "gone", null);
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.field("code")).isEqualTo("queue_not_empty");
        assertThat(refused.field("detail")).contains("has 1 timers");
        Reply purging = send("DELETE", "gone?purge=true", null);
        assertThat(purging.status()).isEqualTo(202);
        assertThat(purging.field("outcome")).isEqualTo("PURGING");
        assertThat(server.await("gone", "k", reply -> reply.field("state").equals("CANCELLED"))
                        .field("state"))
                .isEqualTo("CANCELLED");
        assertThat(Patience.look(
                                () -> send("GET", "gone", null),
                                reply -> !reply.body().contains("\"pending\":1"))
                        .body())
                .contains("\"settings\":{}");
    }

    @Test
    void nothingOfAPausedQueueIsDeliveredWhileItIsPurged() {
        int timers = 400;
        send("PUT", "held", "{\"paused\":true,\"concurrency\":3}");
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < timers; i++) {
            lines.append("{\"key\":\"k").append(i).append("\",\"delay\":\"0s\",\"target\":{\"log\":{}}}\n");
        }
        server.batch("held", lines.toString());
        assertThat(send("DELETE", "held?purge=true", null, "If-Match", "\"other\"")
                        .status())
                .isEqualTo(412);
        Reply purging = send("DELETE", "held?purge=true", null);
        assertThat(purging.status()).as(purging.body()).isEqualTo(202);
        assertThat(Patience.look(
                                () -> send("GET", "held", null),
                                reply -> reply.body().contains("\"settings\":{}"))
                        .body())
                .contains("\"settings\":{}")
                .contains("\"pending\":0");
        for (int i = 0; i < timers; i++) {
            assertThat(server.get("held", "k" + i).field("state")).isEqualTo("CANCELLED");
        }
    }

    /** Somebody changes what is set of it while the runs are on their way. */
    @Test
    void logHasThatAQueueStaysPausedThatWasToBeDeleted() {
        Logger logger = (Logger) LoggerFactory.getLogger(QueueCalls.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.list = new CopyOnWriteArrayList<>();
        lines.start();
        logger.addAppender(lines);
        try {
            Reply changed;
            do {
                // Again, where the machine was too busy to change it before the runs had ended.
                send("PUT", "stays", "{\"paused\":true}");
                server.batch("stays", "{\"delay\":\"0s\"}\n".repeat(3_000));
                assertThat(send("DELETE", "stays?purge=true", null).status()).isEqualTo(202);
                changed = send("PATCH", "stays", "{\"concurrency\":5}");
                assertThat(changed.status()).as(changed.body()).isEqualTo(200);
            } while (!changed.body().contains("\"settings\":{\"concurrency\":5,\"paused\":true"));
            List<ILoggingEvent> said = Patience.look(() -> List.copyOf(lines.list), list -> !list.isEmpty());
            assertThat(said)
                    .singleElement()
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .asString()
                    .contains("queue stays stays paused")
                    .endsWith("delete it again");
            assertThat(send("GET", "stays", null).body()).contains("\"paused\":true");
        } finally {
            logger.detachAppender(lines);
        }
    }

    @Test
    void queueWhoseOnlyTimerIsLeasedHasTimers() {
        server.put("leased", "k", "{\"delay\":\"0s\"}");
        Reply leases = server.send("POST", "/v1/queues/leased/leases", RunningServer.JSON, "{\"wait\":\"10s\"}");
        assertThat(leases.body()).contains("\"key\":\"k\"");
        Reply refused = send("DELETE", "leased", null);
        assertThat(refused.status()).as(refused.body()).isEqualTo(409);
        assertThat(refused.field("code")).isEqualTo("queue_not_empty");
        assertThat(refused.field("detail")).contains("has 1 timers");
    }

    @Test
    void queueIsNotPurgedWhileTooManyBulkRunsGoOn() {
        send("PUT", "crowded", "{\"concurrency\":3}");
        // So many come before it that a run which is stopped does not come to it.
        for (int i = 0; i < 20; i++) {
            server.batch("crowded", "{\"delay\":\"1h\"}\n".repeat(1_000));
        }
        server.put("crowded", "k", "{\"delay\":\"2h\"}");
        server.batch("others", "{\"delay\":\"1h\"}\n".repeat(1_000));
        List<String> runs = new ArrayList<>();
        for (int i = 0; i < Bulk.MOST_RUNNING; i++) {
            runs.add(server.send("POST", "/v1/queues/others/timers:cancel?perSecond=1", null, null)
                    .location());
        }
        Reply refused = send("DELETE", "crowded?purge=true", null);
        assertThat(refused.status()).as(refused.body()).isEqualTo(429);
        assertThat(refused.field("code")).isEqualTo("too_many_bulk_runs");
        assertThat(refused.field("applied")).isEqualTo("unknown");
        assertThat(refused.retryAfter()).isEqualTo("1");
        assertThat(server.get("crowded", "k").field("state")).isEqualTo("PENDING");

        // There is room for one run, and it takes two.
        server.send("DELETE", runs.remove(0), null, null);
        Reply half = Patience.look(
                () -> send("DELETE", "crowded?purge=true", null),
                reply -> server.get("/v1/bulk").body().contains("\"queue\":\"crowded\""));
        assertThat(half.status()).as(half.body()).isEqualTo(429);
        Pattern ended = Pattern.compile("\"queue\":\"crowded\"[^{}]*\"state\":\"(STOPPED|DONE)\"");
        String begun = Patience.look(
                        () -> server.get("/v1/bulk"),
                        reply -> ended.matcher(reply.body()).find())
                .body();
        assertThat(begun).containsPattern("\"queue\":\"crowded\"[^{}]*\"state\":\"STOPPED\"");
        assertThat(server.get("crowded", "k").field("state")).isEqualTo("PENDING");

        for (String run : runs) {
            server.send("DELETE", run, null, null);
        }
        Reply purging = Patience.look(() -> send("DELETE", "crowded?purge=true", null), reply -> reply.status() == 202);
        assertThat(purging.field("outcome")).isEqualTo("PURGING");
    }

    /** What was answered goes on after a crash. */
    @Test
    void queueIsPurgedByRunsThatAreStored(@TempDir Path other) {
        FileStoreConfig files = new FileStoreConfig(other, 1 << 20, 8 << 20, Durability.SYNC, Duration.ofMillis(100));
        try (RunningServer closed = new RunningServer(ServerConfig.of("127.0.0.1", 0, new Refusing(files)))) {
            closed.put("full", "k", "{\"delay\":\"1h\"}");
            Reply refused = closed.send("DELETE", "/v1/queues/full?purge=true", null, null);
            assertThat(refused.status()).as(refused.body()).isEqualTo(503);
            assertThat(refused.field("code")).isEqualTo("storage_unavailable");
            assertThat(refused.field("applied")).isEqualTo("unknown");
        }
    }

    /** Stores all but bulk runs. */
    private record Refusing(FileStoreConfig files) implements StoreConfig {

        @Override
        public TimerStore store() {
            TimerStore store = files.store();
            return (context, listener) -> refusing(store.open(context, listener));
        }

        private static Calendar refusing(Calendar calendar) {
            return (Calendar) Proxy.newProxyInstance(
                    Refusing.class.getClassLoader(), new Class<?>[] {Calendar.class}, (proxy, method, given) -> {
                        if (given != null
                                && given[0] instanceof ScheduleCommand command
                                && command.key().queue().equals("~bulk")) {
                            ((Answer<?>) given[1]).fail(new StoreUnavailableException("it is away", false));
                            return null;
                        }
                        try {
                            return method.invoke(calendar, given);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        @Override
        public String place() {
            return files.place();
        }

        @Override
        public StoreFindings verify(StoreWatch watch) {
            return files.verify(watch);
        }

        @Override
        public void export(BiConsumer<TimerView, byte[]> to) {
            files.export(to);
        }
    }

    @Test
    void settingsOutliveTheServer(@TempDir Path other) {
        String set;
        try (RunningServer first = new RunningServer(other)) {
            set = first.send("PUT", "/v1/queues/kept", RunningServer.JSON, ALL).body();
        }
        try (RunningServer second = new RunningServer(other)) {
            assertThat(second.get("/v1/queues/kept").body()).isEqualTo(set);
        }
    }
}
