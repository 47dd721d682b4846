package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.BulkProgress;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.rule.DocumentQueues;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes between the steps of a bulk run, and of the look for old dead timers: other nodes, failures, deaths. */
final class BulkFaultTest {

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final WatchedStore store = new WatchedStore(new MemoryTimerStore());

    private Tickwheel open() {
        Tickwheel engine = Tickwheel.builder(store)
                .clock(clock)
                .threads(threads)
                .random(new AtomicLong()::getAndIncrement)
                .retry(RetryPolicy.fixed(1, Duration.ofSeconds(1)))
                .deadTimers(Duration.ofDays(30), 1_000)
                .queueDestination("q", new Destination("t", ""))
                .target("t", (attempt, delivery) -> delivery.fail("x"))
                .open();
        threads.runUntilIdle();
        return engine;
    }

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private void dead(Tickwheel engine, int timers) {
        for (int i = 0; i < timers; i++) {
            settled(engine.schedule("q", "k" + i, Duration.ZERO));
        }
        threads.advance(Duration.ofMillis(10));
        assertThat(deadOnes(engine)).isEqualTo(timers);
    }

    private long deadOnes(Tickwheel engine) {
        return settled(engine.queues()).stream().mapToLong(QueueCounts::dead).sum();
    }

    private static <T> Answer<T> keeping(List<T> kept) {
        return new Answer<>() {

            @Override
            public void accept(T result) {
                kept.add(result);
            }

            @Override
            public void fail(StoreException reason) {
                throw reason;
            }
        };
    }

    /** The look finds none, and by the time it learns so one has died. */
    @Test
    @SuppressWarnings("unchecked")
    void timerThatDiesWhileDeadOnesAreCountedIsPurgedToo() {
        Tickwheel engine = open();
        List<List<QueueCounts>> counted = new ArrayList<>();
        List<Answer<List<QueueCounts>>> asked = new ArrayList<>();
        store.before("queues", (calendar, arguments) -> {
            boolean isFirst = asked.isEmpty();
            if (isFirst) {
                asked.add((Answer<List<QueueCounts>>) arguments[0]);
                calendar.queues(keeping(counted));
            }
            return isFirst;
        });
        threads.advance(Duration.ofMinutes(10));
        assertThat(counted).as("a look").hasSize(1);
        assertThat(counted.get(0)).allMatch(queue -> queue.dead() == 0);
        dead(engine, 1);
        store.before("work", (calendar, arguments) -> {
            asked.forEach(answer -> answer.accept(counted.get(0)));
            asked.clear();
            return false;
        });
        threads.advance(Duration.ofDays(32));
        assertThat(deadOnes(engine)).isZero();
    }

    @Test
    void oldDeadTimersArePurgedAfterACountThatFailed() {
        Tickwheel engine = open();
        boolean[] hasFailed = {false};
        store.before("queues", (calendar, arguments) -> {
            boolean fails = !hasFailed[0];
            if (fails) {
                hasFailed[0] = true;
                ((Answer<?>) arguments[0]).fail(new StoreUnavailableException("away", false));
            }
            return fails;
        });
        threads.advance(Duration.ofMinutes(10));
        assertThat(hasFailed[0]).as("a look").isTrue();
        dead(engine, 1);
        threads.advance(Duration.ofDays(32));
        assertThat(deadOnes(engine)).isZero();
    }

    private static boolean isBulk(TimerKey key) {
        return key.queue().equals(DocumentQueues.BULKS) && !key.key().isEmpty();
    }

    /** It may be the one that makes room, and whoever asked for it is not to wait until it has. */
    @Test
    void runForWhichThereIsNoRoomIsAnsweredBeforeItEnds() {
        Tickwheel engine = open();
        for (int i = 0; i < 3; i++) {
            settled(engine.schedule("q", "k" + i, Duration.ofDays(1)));
        }
        store.before("schedule", (calendar, arguments) -> {
            boolean isOfRun = ((ScheduleCommand) arguments[0]).key().queue().equals(DocumentQueues.BULKS);
            if (isOfRun) {
                ((Answer<?>) arguments[1]).fail(new StoreFullException("no room"));
            }
            return isOfRun;
        });
        Bulk run = engine.start(BulkRequest.cancel(TimerQuery.of("q")).withPerSecond(1));
        assertThat(settled(run.accepted())).isNull();
        assertThat(run.progress().state()).isEqualTo(BulkProgress.State.RUNNING);
        threads.advance(Duration.ofSeconds(10));
        assertThat(settled(run.done()).changed()).isEqualTo(3);
    }

    /** A directory says so at once, within the step that asks for it. */
    @Test
    void redriveForWhichThereIsNoRoomHasFailed() {
        Tickwheel engine = open();
        dead(engine, 2);
        store.before("change", (calendar, arguments) -> {
            ((Answer<?>) arguments[1]).fail(new StoreFullException("no room"));
            return true;
        });
        Bulk run = engine.start(BulkRequest.redrive(TimerQuery.of("q")));
        threads.advance(Duration.ofSeconds(2));
        BulkProgress end = settled(run.done());
        assertThat(end.state()).isEqualTo(BulkProgress.State.FAILED);
        assertThat(end.failure()).contains("no room");
        assertThat(deadOnes(engine)).isEqualTo(2);
    }

    /** What is answered at once ends the run while it still looks for more to do. */
    @Test
    void runThatHasFailedAsksForNoMoreTimers() {
        Tickwheel engine = open();
        dead(engine, 2);
        List<TimerQuery> asked = new ArrayList<>();
        store.before("change", (calendar, arguments) -> {
            store.before("list", (again, query) -> !asked.add((TimerQuery) query[0]));
            ((Answer<?>) arguments[1]).fail(new StoreFullException("no room"));
            return true;
        });
        Bulk run = engine.start(BulkRequest.redrive(TimerQuery.of("q")).withPerSecond(1));
        threads.advance(Duration.ofSeconds(2));
        assertThat(settled(run.done()).state()).isEqualTo(BulkProgress.State.FAILED);
        assertThat(asked).filteredOn(query -> "q".equals(query.queue())).isEmpty();
    }

    /** Another node has claimed the document, so that this one looks at it; then it is gone. */
    @Test
    void runElsewhereIsLookedAtAgainAfterALookThatFailed() {
        store.shared().before("claim", (calendar, arguments) -> true);
        Tickwheel engine = open();
        Bulk run = engine.start(BulkRequest.cancel(TimerQuery.of("q")));
        assertThat(settled(run.accepted())).isNull();
        int[] looks = {0};
        store.before("read", (calendar, arguments) -> {
            boolean isFirst = isBulk((TimerKey) arguments[0]) && looks[0]++ == 0;
            if (isFirst) {
                ((Answer<?>) arguments[1]).fail(new StoreUnavailableException("away", false));
                forget(calendar, (TimerKey) arguments[0]);
            }
            return isFirst;
        });
        threads.advance(Duration.ofMillis(1_500));
        assertThat(run.progress().state()).isEqualTo(BulkProgress.State.RUNNING);
        threads.advance(Duration.ofSeconds(2));
        assertThat(settled(run.done()).failure()).isEqualTo("it is not stored any more");
    }

    @Test
    void listOfRunsThatCannotBeReadEndsNoEngine() {
        Tickwheel engine = open();
        Bulk run = engine.start(BulkRequest.cancel(TimerQuery.of("q")));
        threads.advance(Duration.ofSeconds(1));
        assertThat(settled(run.done()).state()).isEqualTo(BulkProgress.State.DONE);
        store.makeUnreadable();
        assertThatThrownBy(() -> settled(engine.bulkRuns()))
                .hasCauseInstanceOf(StoreException.class)
                .hasMessageContaining("the list of bulk runs cannot be read: timer content has version 99, must be ");
        Bulk refused = engine.start(BulkRequest.cancel(TimerQuery.of("q")));
        assertThat(settled(refused.done()).failure()).contains("the list of bulk runs cannot be read");
        assertThat(engine.isRunning()).isTrue();
        store.before("", (calendar, arguments) -> false);
        assertThat(settled(engine.bulkRuns())).hasSize(2);
    }

    /** As far as its caller knows it has failed; its document has been written, and comes due. */
    @Test
    void runWhoseFirstAnswerIsLostIsListedOnceAsItStands() {
        Tickwheel engine = open();
        settled(engine.schedule("q", "k", Duration.ofDays(1)));
        boolean[] isLost = {false};
        store.before("schedule", (calendar, arguments) -> {
            ScheduleCommand command = (ScheduleCommand) arguments[0];
            boolean isFirst = isBulk(command.key()) && !command.key().key().isEmpty() && !isLost[0];
            if (isFirst) {
                isLost[0] = true;
                calendar.schedule(command, keeping(new ArrayList<>()));
                ((Answer<?>) arguments[1]).fail(new StoreUnavailableException("away", true));
            }
            return isFirst;
        });
        Bulk run = engine.start(BulkRequest.cancel(TimerQuery.of("q")));
        threads.advance(Duration.ofSeconds(5));
        assertThat(settled(run.done()).state()).isEqualTo(BulkProgress.State.FAILED);
        assertThat(engine.bulks()).extracting(Bulk::id).containsExactly(run.id());
        assertThat(engine.bulks().get(0).progress().state()).isEqualTo(BulkProgress.State.DONE);
    }

    private static void forget(Calendar calendar, TimerKey document) {
        calendar.cancel(document, null, null, keeping(new ArrayList<>()));
    }

    /** Another node writes the document as it was at first, and this one goes on with that. */
    @Test
    void runThatIsSetBackByAnotherNodeCountsReasonsFromThere() {
        Tickwheel engine = open();
        dead(engine, 60);
        List<ScheduleCommand> documents = new ArrayList<>();
        store.before("schedule", (calendar, arguments) -> {
            ScheduleCommand command = (ScheduleCommand) arguments[0];
            if (isBulk(command.key())) {
                documents.add(command);
                if (documents.size() == 2) {
                    ScheduleCommand first = documents.get(0);
                    calendar.schedule(
                            new ScheduleCommand(first.key(), first.dueAtMs(), first.content(), OnConflict.REPLACE, 0),
                            keeping(new ArrayList<>()));
                }
            }
            return false;
        });
        Bulk run = engine.start(BulkRequest.purge(TimerQuery.of("q")).withPerSecond(20));
        threads.advance(Duration.ofSeconds(10));
        BulkProgress end = settled(run.done());
        assertThat(end.state()).isEqualTo(BulkProgress.State.DONE);
        assertThat(end.matched()).isBetween(20L, 59L);
        assertThat(end.reasons()).isEqualTo(Map.of("x", end.matched()));
        assertThat(deadOnes(engine)).isZero();
    }

    /** Of what it has asked for, nothing is done, again and again; in the end each timer is changed, and counted, once. */
    @ParameterizedTest
    @ValueSource(strings = {"list", "change"})
    void runGoesOnWhenTheStoreWasAway(String call) {
        Tickwheel engine = open();
        dead(engine, 60);
        int[] asked = {0};
        boolean[] isAway = {false};
        store.before(call, (calendar, arguments) -> {
            asked[0]++;
            if (isAway[0]) {
                ((Answer<?>) arguments[1]).fail(new StoreUnavailableException("away", false));
            }
            return isAway[0];
        });
        Bulk run = engine.start(BulkRequest.purge(TimerQuery.of("q")).withPerSecond(20));
        threads.advance(Duration.ofMillis(1_500));
        assertThat(run.progress().changed()).isPositive();
        isAway[0] = true;
        asked[0] = 0;
        threads.advance(Duration.ofSeconds(30));
        assertThat(run.progress().state()).isEqualTo(BulkProgress.State.RUNNING);
        assertThat(asked[0]).as("asked each second").isBetween(20, 31 * 20);
        isAway[0] = false;
        long before = run.progress().changed();
        threads.advance(Duration.ofSeconds(1));
        assertThat(run.progress().changed() - before)
                .as("in a second, whatever was left out")
                .isLessThan(25);
        threads.advance(Duration.ofSeconds(9));
        BulkProgress end = settled(run.done());
        assertThat(end.state()).isEqualTo(BulkProgress.State.DONE);
        assertThat(end.changed()).isEqualTo(60);
        assertThat(end.matched()).isEqualTo(60);
        assertThat(end.reasons()).isEqualTo(Map.of("x", 60L));
        assertThat(deadOnes(engine)).isZero();
    }

    /** The answer is not there when its page is through, and then it is that the store was away. */
    @Test
    void timerWhoseCommandFailsLateIsNotLeftBehind() {
        Tickwheel engine = open();
        dead(engine, 60);
        List<Answer<?>> late = new ArrayList<>();
        store.before("change", (calendar, arguments) -> {
            boolean isFirst = late.isEmpty();
            if (isFirst) {
                late.add((Answer<?>) arguments[1]);
            }
            return isFirst;
        });
        Bulk run = engine.start(BulkRequest.purge(TimerQuery.of("q")).withPerSecond(20));
        threads.advance(Duration.ofMillis(1_500));
        late.get(0).fail(new StoreUnavailableException("away", false));
        threads.advance(Duration.ofSeconds(10));
        BulkProgress end = settled(run.done());
        assertThat(end.state()).isEqualTo(BulkProgress.State.DONE);
        assertThat(end.changed()).isEqualTo(60);
        assertThat(deadOnes(engine)).isZero();
    }

    /** A run that has begun, and whose store is away from then on whenever it is called so. */
    private Bulk purgeWithoutStore(Tickwheel engine, String call) {
        dead(engine, 60);
        Bulk run = engine.start(BulkRequest.purge(TimerQuery.of("q")).withPerSecond(20));
        threads.advance(Duration.ofMillis(500));
        store.before(call, (calendar, arguments) -> {
            ((Answer<?>) arguments[1]).fail(new StoreUnavailableException("away", false));
            return true;
        });
        return run;
    }

    @Test
    void runThatWaitsForTheStoreCanBeStopped() {
        Tickwheel engine = open();
        Bulk run = purgeWithoutStore(engine, "change");
        threads.advance(Duration.ofSeconds(5));
        run.stop();
        threads.advance(Duration.ofSeconds(2));
        assertThat(settled(run.done()).state()).isEqualTo(BulkProgress.State.STOPPED);
    }

    @Test
    void closeDoesNotWaitForARunThatCannotBeWritten() {
        Tickwheel engine = open();
        Bulk run = purgeWithoutStore(engine, "schedule");
        settled(engine.closeAsync());
        assertThat(run.progress().state()).isEqualTo(BulkProgress.State.SUSPENDED);
        store.before("", (calendar, arguments) -> false);
        Tickwheel next = open();
        threads.advance(Duration.ofSeconds(5));
        assertThat(deadOnes(next)).isZero();
    }

    /** A store may grant the claim of the next document before it answers that this is written. */
    @Test
    @SuppressWarnings("unchecked")
    void runWhoseNextDocumentIsClaimedWhenItsEngineClosesGoesOn() {
        Tickwheel engine = open();
        dead(engine, 60);
        List<Runnable> answers = new ArrayList<>();
        Bulk run = engine.start(BulkRequest.purge(TimerQuery.of("q")).withPerSecond(20));
        threads.advance(Duration.ofMillis(500));
        store.before("schedule", (calendar, arguments) -> {
            Answer<Scheduled> answer = (Answer<Scheduled>) arguments[1];
            List<Scheduled> written = new ArrayList<>();
            answers.add(() -> answer.accept(written.get(0)));
            calendar.schedule((ScheduleCommand) arguments[0], keeping(written));
            return true;
        });
        threads.advance(Duration.ofSeconds(2));
        assertThat(answers).hasSize(1);
        CompletableFuture<Void> closed = engine.closeAsync();
        threads.runUntilIdle();
        assertThat(closed).as("before the answer").isNotDone();
        store.before("work", (calendar, arguments) -> {
            answers.forEach(Runnable::run);
            answers.clear();
            return false;
        });
        threads.advance(Duration.ofSeconds(1));
        assertThat(closed).isCompleted();
        assertThat(run.progress().state()).isEqualTo(BulkProgress.State.SUSPENDED);
        Tickwheel next = open();
        threads.advance(Duration.ofSeconds(5));
        assertThat(deadOnes(next)).isZero();
    }

    /** Another node has claimed the document. */
    private Bulk elsewhere(Tickwheel engine) {
        Bulk run = engine.start(BulkRequest.cancel(TimerQuery.of("q")));
        assertThat(settled(run.accepted())).isNull();
        assertThat(run.progress().state()).isEqualTo(BulkProgress.State.RUNNING);
        return run;
    }

    /** Another node, which works on it, has written how far it is. */
    @Test
    void runElsewhereIsShownAsItIsThere() {
        store.shared().before("claim", (calendar, arguments) -> true);
        Tickwheel engine = open();
        Bulk run = elsewhere(engine);
        store.before("read", (calendar, arguments) -> {
            @SuppressWarnings("unchecked")
            Answer<List<StoredTimer>> answer = (Answer<List<StoredTimer>>) arguments[1];
            calendar.read((TimerKey) arguments[0], new Answer<>() {
                @Override
                public void accept(List<StoredTimer> found) {
                    answer.accept(found.stream()
                            .map(each -> new StoredTimer(
                                    each.view(), replaced(each.content(), "RUNNING 0 0 0", "RUNNING 9 8 1")))
                            .toList());
                }

                @Override
                public void fail(StoreException reason) {
                    answer.fail(reason);
                }
            });
            return true;
        });
        BulkProgress shown = settled(engine.bulkRun(run.id())).orElseThrow().progress();
        assertThat(shown.matched()).isEqualTo(9);
        assertThat(shown.changed()).isEqualTo(8);
        assertThat(run.progress().matched()).as("as far as is known here").isZero();
    }

    private static byte[] replaced(byte[] content, String part, String with) {
        String text = new String(content, StandardCharsets.ISO_8859_1);
        assertThat(text).contains(part);
        assertThat(with).hasSameSizeAs(part);
        return text.replace(part, with).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Both nodes have found no list, and the other one was quicker. */
    @Test
    void runIsListedBesideThatOfANodeThatBeganTheList() {
        Tickwheel engine = open();
        List<ScheduleCommand> lists = new ArrayList<>();
        Bulk[] run = new Bulk[1];
        store.before("schedule", (calendar, arguments) -> {
            ScheduleCommand command = (ScheduleCommand) arguments[0];
            if (command.key().equals(new TimerKey(DocumentQueues.BULKS, ""))) {
                lists.add(command);
                if (lists.size() == 1) {
                    String id = run[0].id();
                    byte[] others = replaced(command.content(), id, "o".repeat(id.length()));
                    calendar.schedule(
                            new ScheduleCommand(command.key(), command.dueAtMs(), others, OnConflict.FAIL, 0),
                            keeping(new ArrayList<>()));
                }
            }
            return false;
        });
        run[0] = engine.start(BulkRequest.cancel(TimerQuery.of("q")));
        assertThat(settled(run[0].accepted())).isNull();
        assertThat(lists).hasSize(2);
        String id = run[0].id();
        assertThat(new String(lists.get(1).content(), StandardCharsets.ISO_8859_1))
                .contains("o".repeat(id.length()) + "\n" + id);
    }

    @Test
    void whoWaitsForARunElsewhereIsAnsweredAtTheClose() {
        store.shared().before("claim", (calendar, arguments) -> true);
        Tickwheel engine = open();
        Bulk run = elsewhere(engine);
        CompletableFuture<Void> closed = engine.closeAsync();
        threads.advance(Duration.ofMinutes(1));
        assertThat(closed).isDone();
        assertThat(settled(run.done()).state()).isEqualTo(BulkProgress.State.SUSPENDED);
    }

    @Test
    void whoWaitsForARunElsewhereIsAnsweredWhenTheStoreFails() {
        store.shared().before("claim", (calendar, arguments) -> true);
        Tickwheel engine = open();
        Bulk run = elsewhere(engine);
        store.before("work", (calendar, arguments) -> {
            throw new StoreFailedException("planted", true, new IllegalStateException("disk"));
        });
        threads.advance(Duration.ofSeconds(1));
        BulkProgress end = settled(run.done());
        assertThat(end.state()).isEqualTo(BulkProgress.State.FAILED);
        assertThat(end.failure()).contains("planted");
    }
}
