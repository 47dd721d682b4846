package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Plan;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.TimerPlans;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Misfire;
import io.tickwheel.recurrence.Overlap;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.Receiver;
import io.tickwheel.server.RedisNodes;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.SmallSegments;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recurring timers and their runs move from store to store, and go on there from what they had come to. */
final class PlanTransferTest {

    private static final Instant MADE = Instant.parse("2100-01-01T00:00:00Z");
    private static final Instant MOVED = MADE.plus(Duration.ofMinutes(330));
    private static final Instant LATER = MADE.plus(Duration.ofMinutes(361));

    /** Those with an end, a pause, a wait for the run before, and with no run so far. */
    private static final Map<String, Recurrence> PLANS = Map.of(
            "all", hourly().withMisfire(Misfire.ALL).withOverlap(Overlap.ALLOW),
            "counted",
                    hourly().withMisfire(Misfire.ALL).withOverlap(Overlap.ALLOW).withCount(6),
            "cron", Recurrence.cron("0 30 * * * *", ZoneOffset.UTC),
            "delay", Recurrence.fixedDelay(Duration.ofHours(1)),
            "paused", hourly(),
            "queued", hourly().withOverlap(Overlap.QUEUE),
            "young", Recurrence.fixedRate(Duration.ofDays(1)));

    @TempDir
    private Path temp;

    private static Recurrence hourly() {
        return Recurrence.fixedRate(Duration.ofHours(1));
    }

    /** An engine at whose time nothing passes, and whose attempts fail. */
    private static Tickwheel open(Path data, Instant now) {
        return Tickwheel.builder(SmallSegments.store(data))
                .clock(new Clock() {

                    @Override
                    public Instant now() {
                        return now;
                    }

                    @Override
                    public long monoNanos() {
                        return Clock.system().monoNanos();
                    }
                })
                .retry(RetryPolicy.fixed(100, Duration.ofDays(1)))
                .target("http", (attempt, delivery) -> delivery.fail("not now"))
                .open();
    }

    private static List<TimerView> all(Tickwheel timers) {
        return timers.list(TimerQuery.of("q").withLimit(1_000)).join().timers();
    }

    /** As it stands once nothing moves any more at that time: keys with due times, and of plans how far they have come. */
    private static Map<String, String> settled(Tickwheel timers, Instant now) {
        List<TimerView> settled = Patience.look(
                () -> all(timers),
                views -> views.stream()
                        .allMatch(view ->
                                view.attemptAt().isAfter(now) && !view.state().isFinished()));
        Map<String, String> standing = new TreeMap<>();
        for (TimerView view : settled) {
            TimerDetails details = timers.read("q", view.key().key()).join().orElseThrow();
            Plan plan = Objects.requireNonNull(details.content()).plan();
            standing.put(view.key().key(), view.dueAt() + (plan == null ? "" : " " + plan));
        }
        return standing;
    }

    private Path store() {
        Path data = temp.resolve("data");
        try (Tickwheel timers = open(data, MADE)) {
            PLANS.forEach((key, recurrence) -> timers.schedule(TimerRequest.recurring("q", key, recurrence)
                            .withText("payload of " + key)
                            .withDestination(new Destination("http", "POST http://127.0.0.1:9/x")))
                    .join());
        }
        try (Tickwheel timers = open(data, MOVED)) {
            settled(timers, MOVED);
            timers.pausePlan("q", "paused").join();
        }
        return data;
    }

    private static Ended run(Object... arguments) {
        Ended ended = StoreCommands.run(arguments);
        assertThat(ended.code()).as(ended.error()).isZero();
        return ended;
    }

    /** What does not name the store. */
    private static List<String> timers(Path export) throws IOException {
        return Files.readAllLines(export).stream()
                .map(line -> line.substring(line.indexOf("\"timer\":")))
                .sorted()
                .toList();
    }

    private List<String> exported(Object... from) throws IOException {
        Path file = temp.resolve("again.ndjson");
        Files.deleteIfExists(file);
        Object[] command = new Object[from.length + 3];
        command[0] = "export";
        System.arraycopy(from, 0, command, 1, from.length);
        command[from.length + 1] = "--to";
        command[from.length + 2] = file;
        run(command);
        return timers(file);
    }

    @Test
    void plansAndRunsMoveFromDirectoryToRedisToAServerAndBack() throws IOException {
        Path data = store();
        Path first = temp.resolve("first.ndjson");
        run("export", data, "--to", first);
        List<String> before = timers(first);
        assertThat(before.stream().filter(line -> line.contains("\"run\":true")))
                .hasSizeGreaterThan(12);
        assertThat(before.stream().filter(line -> line.contains("\"plan\":{\"before\":")))
                .hasSize(PLANS.size());

        Path second = temp.resolve("second.ndjson");
        try (RedisServer redis = RedisServer.builder().start();
                RunningServer node = RedisNodes.start(redis, "tickwheel")) {
            run("import", "--server", "http://127.0.0.1:" + node.port(), "--from", first);
            assertThat(exported("--redis", "redis://127.0.0.1:" + redis.port())).isEqualTo(before);
            Files.move(temp.resolve("again.ndjson"), second);
        }
        Path served = temp.resolve("served");
        try (RunningServer node = new RunningServer(served)) {
            run("import", "--server", "http://127.0.0.1:" + node.port(), "--from", second);
        }
        assertThat(exported(served)).isEqualTo(before);

        Path back = temp.resolve("back");
        assertThat(run("import", back, "--from", second).output())
                .contains("scheduled " + before.size() + ", kept 0 ", "refused 0");
        assertThat(exported(back)).isEqualTo(before);

        run("backup", data, temp.resolve("backup"));
        run("restore", temp.resolve("backup"), temp.resolve("restored"));
        Map<String, String> goesOn = goesOn(data);
        assertThat(goesOn(back)).isEqualTo(goesOn);
        assertThat(goesOn(served)).isEqualTo(goesOn);
        assertThat(goesOn(temp.resolve("restored"))).isEqualTo(goesOn);
    }

    /** Each plan has one next run, with its number, and one with a count ends by it. */
    private static Map<String, String> goesOn(Path data) {
        Map<String, String> before = standing(data, MOVED);
        Map<String, String> after = standing(data, LATER);
        assertThat(after).doesNotContainKey("counted");
        assertThat(before).doesNotContainKey(TimerPlans.runKey("all", 6));
        assertThat(after)
                .containsKeys(TimerPlans.runKey("all", 6), TimerPlans.runKey("counted", 6))
                .doesNotContainKeys(TimerPlans.runKey("all", 7), TimerPlans.runKey("counted", 7));
        assertThat(after.get("paused")).isEqualTo(before.get("paused"));
        return after;
    }

    private static Map<String, String> standing(Path data, Instant now) {
        try (Tickwheel timers = open(data, now)) {
            return settled(timers, now);
        }
    }

    /** It would make the next run, as if the one that it waits for had ended. */
    @Test
    void recurringTimerThatWaitsForItsRunIsImportedBehindIt() throws Exception {
        List<String> lines = new ArrayList<>();
        lines.add("{\"key\":\"k\",\"dueAt\":\"2026-01-01T00:00:00Z\",\"target\":{\"log\":{}},"
                + "\"schedule\":{\"every\":\"1h\",\"overlap\":\"queue\"},"
                + "\"plan\":{\"before\":4,\"started\":1,\"nominal\":\"2026-01-01T00:00:00Z\",\"waiting\":true}}");
        for (int i = 0; i < 3_000; i++) {
            lines.add("{\"key\":\"other" + i + "\",\"dueAt\":\"2100-01-01T00:00:00Z\"}");
        }
        lines.add("{\"key\":\"k\\u001f5\",\"run\":true,\"dueAt\":\"2100-01-01T00:00:00Z\",\"target\":{\"log\":{}}}");
        Path file = temp.resolve("waiting.ndjson");
        Files.write(file, lines);
        try (RunningServer node = new RunningServer(temp.resolve("served"));
                Receiver receiver = new Receiver()) {
            run("import", "--server", "http://127.0.0.1:" + node.port(), "--queue", "q", "--from", file);
            node.put("beside", "k", "{\"delay\":\"3s\",\"target\":{\"url\":\"" + receiver.url("/") + "\"}}");
            receiver.next();
            String runs = RunningServer.timer("q", "k") + "/runs/";
            assertThat(node.get(runs + "5").field("state")).isEqualTo("PENDING");
            assertThat(node.get(runs + "6").status()).isEqualTo(404);
        }
    }

    @Test
    void runIsNoKeyThatCallersMake() {
        try (RunningServer node = new RunningServer(temp.resolve("served"))) {
            String due = ",\"dueAt\":\"2100-01-01T00:00:00Z\"";
            String run = "{\"key\":\"k\\u001f1\"" + due;
            assertThat(node.batch("q", run + "}\n").body()).contains("\"code\":\"invalid_key\"");
            assertThat(node.batch("q", "{\"key\":\"k\"" + due + ",\"run\":true}\n")
                            .body())
                    .contains("must be that of a run");
            assertThat(node.batch("q", "{\"key\":\"k\\u001fx\"" + due + ",\"run\":true}\n")
                            .body())
                    .contains("must be that of a run");
            assertThat(node.batch("q", run + ",\"run\":true,\"schedule\":{\"every\":\"1h\"}}\n")
                            .body())
                    .contains("run goes with key and dueAt, and without schedule, only");
            String plan = ",\"plan\":{\"before\":0,\"started\":3,\"nominal\":\"2100-01-01T00:00:00Z\"}";
            assertThat(node.batch("q", "{\"key\":\"k\"" + due + plan + "}\n").body())
                    .contains("plan goes with schedule and dueAt only");
            assertThat(node.batch("q", "{\"key\":\"k\",\"schedule\":{\"every\":\"1h\"}" + plan + "}\n")
                            .body())
                    .contains("plan goes with schedule and dueAt only");
            assertThat(node.batch("q", "{\"key\":\"k\"" + due + ",\"schedule\":{\"every\":\"1h\"},\"plan\":{}}\n")
                            .body())
                    .contains("plan.nominal is not there");
            assertThat(node.put("q", "k", "{\"dueAt\":\"2100-01-01T00:00:00Z\",\"run\":true}")
                            .body())
                    .contains("run is for lines of a batch");
            assertThat(node.put("q", "k", "{\"dueAt\":\"2100-01-01T00:00:00Z\"" + plan + "}")
                            .body())
                    .contains("plan is for lines of a batch");
            assertThat(node.get("/v1/queues/q/timers").body()).isEqualTo("{\"timers\":[]}");
        }
    }
}
