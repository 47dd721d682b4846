package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.PassingLink;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A command is carried out, its reply is lost, and before the node repeats it another one has a later word about the same timer. */
final class RepeatedCommandTest {

    private static final TimerKey KEY = new TimerKey("q", "k");
    /** More than a node has calls under way. */
    private static final int PARTITIONS = 12;

    private static final long DUE_MS = DrivenNode.NOW_MS + 1_000_000;
    private static final byte[] CONTENT = {1, 2, 3};

    private static RedisServer server;

    private LosingLink link;
    private DrivenNode one;
    private DrivenNode two;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        server.command("FLUSHALL");
        one = open("one");
        two = open("two");
        // From now on no partition goes to another node.
        one.await(() -> {
            two.turn();
            return two.calendar.load(DrivenNode.NOW_MS, DrivenNode.NOW_MS, 1);
        });
    }

    private DrivenNode open(String name) {
        RedisOptions options = RedisOptions.defaults(address())
                .withPartitions(PARTITIONS)
                .withNode(name)
                .withLease(Duration.ofMinutes(1));
        return new DrivenNode(options, DrivenNode.roomFor(1_024), Set.of(), plain -> {
            if (name.equals("two")) {
                return plain;
            }
            link = new LosingLink(plain);
            return link;
        });
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
        assertThat(RedisVerification.verify(
                                address(), RedisOptions.defaults(address()).namespace())
                        .findings())
                .isEmpty();
    }

    private static RedisAddress address() {
        return RedisAddress.single("redis://127.0.0.1:" + server.port());
    }

    /** Loses the replies to commands, while it is told to. */
    private static final class LosingLink extends PassingLink {

        private static final Script COMMANDS = Script.named("commands");

        private boolean loses;
        private int lost;

        LosingLink(Link link) {
            super(link);
        }

        @Override
        public void send(Call call) {
            Script script = call.script;
            if (!loses || script == null || !script.sha1().equals(COMMANDS.sha1())) {
                super.send(call);
                return;
            }
            super.send(new Call(call.slot, script, call.keys, call.arguments, call.level) {
                @Override
                public void answered(Reply reply) {
                    assertThat(reply.outcome()).isEqualTo(Reply.Outcome.DONE);
                    if (isCarriedOut(reply)) {
                        lost++;
                        call.answered(new Reply(Reply.Outcome.UNKNOWN, null, "lost", 0));
                    } else {
                        call.answered(reply);
                    }
                }
            });
        }
    }

    /** Whether no command needs another slice first. */
    private static boolean isCarriedOut(Reply reply) {
        List<?> answers = (List<?>) reply.value();
        return answers.stream().skip(2).noneMatch(answer -> ((byte[]) answer)[0] == 'M');
    }

    private void loseReply() {
        link.loses = true;
        int before = link.lost;
        one.await(() -> link.lost > before);
        link.loses = false;
    }

    private static Scheduled schedule(DrivenNode node, long dueAtMs) {
        return node.ask(answer -> node.calendar.schedule(command(dueAtMs), answer));
    }

    private static ScheduleCommand command(long dueAtMs) {
        return new ScheduleCommand(KEY, dueAtMs, CONTENT, Lane.QUEUE_ROUTE, OnConflict.REPLACE, 0, null);
    }

    private static void cancel(DrivenNode node) {
        Cancelled cancelled = node.ask(answer -> node.calendar.cancel(KEY, answer));
        assertThat(cancelled.outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
    }

    private TimerView standing() {
        return two.<List<TimerView>>ask(answer -> two.calendar.find(KEY, answer))
                .get(0);
    }

    @Test
    void repeatedCancelLeavesWhatAnotherNodeHasScheduledMeanwhile() {
        schedule(one, DUE_MS);
        List<Cancelled> cancelled = new ArrayList<>();
        one.calendar.cancel(KEY, one.answer(cancelled::add));
        loseReply();
        Scheduled later = schedule(two, DUE_MS + 1);
        assertThat(later.previous()).isEqualTo(Scheduled.Previous.NONE);
        one.awaitAnswers();
        assertThat(cancelled)
                .singleElement()
                .satisfies(each -> assertThat(each.outcome()).isEqualTo(Cancelled.Outcome.CANCELLED));
        assertThat(standing().state()).isEqualTo(TimerState.PENDING);
        assertThat(standing().version()).isEqualTo(later.timer().version());
    }

    @Test
    void repeatedReplaceDoesNotUndoThatOfAnotherNode() {
        schedule(two, DUE_MS);
        List<Scheduled> replaced = new ArrayList<>();
        one.calendar.schedule(command(DUE_MS + 10), one.answer(replaced::add));
        loseReply();
        assertThat(schedule(two, DUE_MS + 20).timer().version()).isEqualTo(3);
        one.awaitAnswers();
        assertThat(replaced).singleElement().satisfies(each -> {
            assertThat(each.outcome()).isEqualTo(Scheduled.Outcome.REPLACED);
            assertThat(each.timer().version()).isEqualTo(2);
            assertThat(each.timer().dueAtMs()).isEqualTo(DUE_MS + 10);
        });
        assertThat(standing().version()).isEqualTo(3);
        assertThat(standing().dueAtMs()).isEqualTo(DUE_MS + 20);
    }

    /** By then it is cancelled, and no dead timer any more. */
    @Test
    void repeatedRedriveIsAnsweredAsTheFirstTime() {
        schedule(one, DrivenNode.NOW_MS - 10);
        one.await(() -> {
            two.turn();
            return one.loaded.containsKey("k") || two.loaded.containsKey("k");
        });
        DrivenNode owner = one.loaded.containsKey("k") ? one : two;
        owner.calendar.finish(owner.claim("k").handle(), TimerState.DEAD);
        owner.await(owner.calendar::isQuiet);
        String id = standing().id();
        List<Changed> changed = new ArrayList<>();
        one.calendar.change(ChangeCommand.redrive(KEY, DUE_MS).withExpectedId(id), one.answer(changed::add));
        loseReply();
        cancel(two);
        one.awaitAnswers();
        assertThat(changed).singleElement().satisfies(each -> {
            assertThat(each.outcome()).isEqualTo(Changed.Outcome.CHANGED);
            assertThat(each.timer().state()).isEqualTo(TimerState.PENDING);
            assertThat(each.timer().dueAtMs()).isEqualTo(DUE_MS);
        });
        assertThat(standing().state()).isEqualTo(TimerState.CANCELLED);
        assertThat(standing().id()).isEqualTo(id);
    }

    /** One whose partition the first node owns. */
    private ClaimedTimer claimPlan() {
        for (int i = 0; i < 20; i++) {
            one.schedule(new Lane("q", Lane.QUEUE_ROUTE), "k" + i, DrivenNode.NOW_MS - 10);
        }
        one.awaitAnswers();
        one.await(() -> !one.loaded.isEmpty());
        return one.claim(one.loaded.keySet().iterator().next());
    }

    private static TimerKey runOf(ClaimedTimer plan) {
        return new TimerKey("q", plan.view().key().key() + SpawnCommand.SEPARATOR + 1);
    }

    private static SpawnCommand spawning(ClaimedTimer plan) {
        ScheduleCommand run = new ScheduleCommand(runOf(plan), DUE_MS + 5, CONTENT, OnConflict.KEEP, 0);
        return new SpawnCommand(plan.handle(), DUE_MS, new byte[] {4}, run);
    }

    private List<TimerView> find(TimerKey key) {
        return two.ask(answer -> two.calendar.find(key, answer));
    }

    /** By then the run was cancelled, and the plan was rescheduled. */
    @Test
    void repeatedSpawnIsAnsweredAsTheFirstTime() {
        ClaimedTimer plan = claimPlan();
        TimerKey key = plan.view().key();
        List<Spawned> spawned = new ArrayList<>();
        one.calendar.spawn(spawning(plan), one.answer(spawned::add));
        loseReply();
        Changed later = two.ask(answer -> two.calendar.change(ChangeCommand.reschedule(key, DUE_MS + 1), answer));
        assertThat(later.outcome()).isEqualTo(Changed.Outcome.CHANGED);
        Cancelled cancelled = two.ask(answer -> two.calendar.cancel(runOf(plan), answer));
        assertThat(cancelled.outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        one.awaitAnswers();
        assertThat(spawned).singleElement().satisfies(each -> {
            assertThat(each.plan().id()).isEqualTo(plan.view().id());
            assertThat(each.plan().dueAtMs()).isEqualTo(DUE_MS);
            assertThat(each.run()).isNotNull();
        });
        assertThat(find(key)).extracting(TimerView::dueAtMs).containsExactly(DUE_MS + 1);
        assertThat(find(runOf(plan))).singleElement().satisfies(run -> {
            assertThat(run.state()).isEqualTo(TimerState.CANCELLED);
            assertThat(run.version()).isEqualTo(1);
        });
    }

    /** The plan goes on in another way. */
    @Test
    void claimHoldsOnWhenAFullServerHasMadeNoRun() {
        ClaimedTimer plan = claimPlan();
        TimerKey key = plan.view().key();
        List<StoreException> failures = new ArrayList<>();
        server.command("CONFIG", "SET", "maxmemory", "1");
        try {
            for (int times = 1; times <= 2; times++) {
                int wanted = times;
                one.calendar.spawn(spawning(plan), failing(failures));
                one.await(() -> failures.size() == wanted);
                assertThat(find(key)).extracting(TimerView::state).containsExactly(TimerState.CLAIMED);
            }
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(failures).hasOnlyElementsOfType(StoreFullException.class);
        assertThat(find(runOf(plan))).isEmpty();
        assertThat(one.calendar.postpone(plan.handle(), DUE_MS)).isTrue();
        one.await(one.calendar::isQuiet);
        assertThat(find(key)).singleElement().satisfies(view -> {
            assertThat(view.state()).isEqualTo(TimerState.PENDING);
            assertThat(view.attempts()).isZero();
        });
    }

    /** It was made, and what was answered is not remembered any more. */
    @Test
    void repeatedSpawnIsNotSaidToBeNotApplied() {
        ClaimedTimer plan = claimPlan();
        List<StoreException> failures = new ArrayList<>();
        one.calendar.spawn(spawning(plan), failing(failures));
        loseReply();
        ((List<?>) server.command("KEYS", "*:a*")).forEach(key -> server.command("DEL", (String) key));
        one.await(() -> failures.size() == 1);
        assertThat(failures.get(0))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        failure -> assertThat(failure.outcomeUnknown()).isTrue());
        assertThat(find(plan.view().key())).extracting(TimerView::dueAtMs).containsExactly(DUE_MS);
        assertThat(find(runOf(plan))).extracting(TimerView::state).containsExactly(TimerState.PENDING);
    }

    /** A full server takes no change that it may have taken before; it may have been done. */
    @Test
    void repeatedRescheduleIsNotSaidToBeNotAppliedWhenTheServerIsFull() {
        schedule(one, DUE_MS);
        List<StoreException> failures = new ArrayList<>();
        one.calendar.change(ChangeCommand.reschedule(KEY, DUE_MS + 1), failing(failures));
        loseReply();
        ((List<?>) server.command("KEYS", "*:a*")).forEach(key -> server.command("DEL", (String) key));
        server.command("CONFIG", "SET", "maxmemory", "1");
        try {
            one.await(() -> failures.size() == 1);
            one.calendar.change(ChangeCommand.reschedule(KEY, DUE_MS + 2), failing(failures));
            one.await(() -> failures.size() == 2);
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(failures.get(0)).isInstanceOf(StoreUnavailableException.class);
        assertThat(failures.get(1)).isInstanceOf(StoreFullException.class);
        assertThat(standing().dueAtMs()).isEqualTo(DUE_MS + 1);
    }

    /** Also when it is lost twice, and behind others. */
    @Test
    void repliesCanBeLostAgain() {
        List<Scheduled> scheduled = new ArrayList<>();
        one.calendar.schedule(command(DUE_MS), one.answer(scheduled::add));
        loseReply();
        cancel(two);
        one.calendar.schedule(command(DUE_MS + 5), one.answer(scheduled::add));
        loseReply();
        cancel(two);
        loseReply();
        one.awaitAnswers();
        assertThat(scheduled).extracting(each -> each.timer().version()).containsExactly(1L, 2L);
        assertThat(standing().state()).isEqualTo(TimerState.CANCELLED);
    }

    /** The owner hears of it before it is answered. */
    @Test
    void answerToARepeatedCancelDoesNotHideWhatAnotherNodeHasScheduledMeanwhile() {
        Lane lane = new Lane("q", Lane.QUEUE_ROUTE);
        for (int i = 0; i < 20; i++) {
            one.schedule(lane, "k" + i, DrivenNode.NOW_MS - 10);
        }
        one.awaitAnswers();
        one.await(() -> !one.loaded.isEmpty());
        String key = one.loaded.keySet().iterator().next();
        one.calendar.cancel(new TimerKey("q", key), one.<Cancelled>answer(cancelled -> {}));
        loseReply();
        link.loses = true;
        long dueMs = DrivenNode.NOW_MS - 5;
        two.schedule(lane, key, dueMs);
        two.awaitAnswers();
        one.await(() -> one.loaded.containsKey(key) && one.loaded.get(key).attemptAtMs() == dueMs);
        link.loses = false;
        one.awaitAnswers();
        one.await(() -> one.loaded.containsKey(key));
        assertThat(one.claim(key).view().attemptAtMs()).isEqualTo(dueMs);
    }

    /** A call that makes something else too is refused as a whole. */
    @Test
    void repeatedScheduleIsAnsweredAsTheFirstTimeThoughTheServerIsFull() {
        List<StoreException> failures = new ArrayList<>();
        List<Scheduled> made = new ArrayList<>();
        one.calendar.schedule(command(DUE_MS), one.answer(made::add));
        loseReply();
        one.calendar.schedule(command(DUE_MS + 1), failing(failures));
        server.command("CONFIG", "SET", "maxmemory", "1");
        try {
            one.await(() -> failures.size() == 1);
            one.awaitAnswers();
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(failures.get(0)).isInstanceOf(StoreFullException.class);
        assertThat(made.get(0).outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        assertThat(standing().dueAtMs()).isEqualTo(DUE_MS);
    }

    /** It was made, and another node has replaced it; what was answered is not remembered any more. */
    @Test
    void repeatedScheduleIsNotSaidToBeNotAppliedWhenTheServerIsFull() {
        List<StoreException> failures = new ArrayList<>();
        one.calendar.schedule(command(DUE_MS), failing(failures));
        loseReply();
        two.calendar.schedule(command(DUE_MS + 1), two.<Scheduled>answer(scheduled -> {}));
        two.awaitAnswers();
        ((List<?>) server.command("KEYS", "*:a*")).forEach(key -> server.command("DEL", (String) key));
        server.command("CONFIG", "SET", "maxmemory", "1");
        try {
            one.await(() -> failures.size() == 1);
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(failures.get(0))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        failure -> assertThat(failure.outcomeUnknown()).isTrue());
    }

    private static <T> Answer<T> failing(List<StoreException> failures) {
        return new Answer<>() {
            @Override
            public void accept(T answered) {
                throw new AssertionError("a full server has carried it out");
            }

            @Override
            public void fail(StoreException failure) {
                failures.add(failure);
            }
        };
    }

    /** Nobody waits until the claim has run out, and it was no attempt. */
    @Test
    void claimOfATimerThatIsNoLongerWantedIsGivenBack() {
        for (int i = 0; i < 20; i++) {
            one.schedule(new Lane("q", Lane.QUEUE_ROUTE), "k" + i, DrivenNode.NOW_MS - 10);
        }
        one.awaitAnswers();
        one.await(() -> !one.loaded.isEmpty());
        PendingTimer timer = one.loaded.values().iterator().next();
        String key = timer.key().key();
        one.calendar.claim(timer, claimed -> {
            throw new AssertionError("granted after it was unloaded");
        });
        loseReply();
        one.loaded.remove(key);
        one.calendar.unload(timer);
        one.await(() -> one.loaded.containsKey(key));
        assertThat(one.claim(key).view().attempts()).isOne();
    }

    /** More commands than one call takes, of other partitions, are sent before the one whose reply was lost. */
    @Test
    void callWithOthersInBetweenDoesNotForgetWhatWasAnswered() {
        schedule(one, DUE_MS);
        one.calendar.cancel(KEY, one.answer(cancelled -> {}));
        loseReply();
        Layout layout = new Layout(RedisOptions.defaults(address()).namespace(), PARTITIONS);
        int partition = layout.partition(Layout.field(KEY));
        IntStream.range(0, 1_000)
                .mapToObj(i -> "k" + i)
                .filter(key -> layout.partition(Layout.field(new TimerKey("q", key))) != partition)
                .forEach(key -> one.schedule(new Lane("q", Lane.QUEUE_ROUTE), key, DUE_MS));
        Scheduled later = schedule(two, DUE_MS + 1);
        one.awaitAnswers();
        assertThat(standing().state()).isEqualTo(TimerState.PENDING);
        assertThat(standing().version()).isEqualTo(later.timer().version());
    }
}
