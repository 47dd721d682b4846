package io.tickwheel.engine.loop;

import io.tickwheel.engine.BulkView;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.CommandOptions;
import io.tickwheel.engine.ConsumerOptions;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseConsumer;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.ProgramDocument;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.QueueView;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.TimerHandler;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.attempt.Destinations;
import io.tickwheel.engine.bulk.BulkRuns;
import io.tickwheel.engine.document.DocumentCommands;
import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.engine.inbox.Submissions;
import io.tickwheel.engine.lease.Consumers;
import io.tickwheel.engine.lease.LeaseCalls;
import io.tickwheel.engine.lease.Poll;
import io.tickwheel.engine.lease.Polls;
import io.tickwheel.engine.plan.PlanPause;
import io.tickwheel.engine.plan.PlanQueries;
import io.tickwheel.engine.plan.PlanSchedule;
import io.tickwheel.engine.plan.RunNow;
import io.tickwheel.engine.queue.QueueBook;
import io.tickwheel.engine.queue.QueueCommands;
import io.tickwheel.engine.queue.QueueQuotas;
import io.tickwheel.engine.rule.DueTimes;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.Durability;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What programs ask of the loop: each call {@linkplain Submissions submits} a command, and gives the future of its answer. Any thread may call this; the
 * loop decides.
 */
public final class Commands {

    /** What a command keeps in memory beside its content, about. */
    private static final int COMMAND_BYTES = 512;

    /** What a timer on a page keeps in memory, about. */
    private static final int LISTED_BYTES = 1_024;

    /** What a count keeps in memory, about. */
    private static final int COUNT_BYTES = 32;

    private final Calendar calendar;
    private final Durability durability;
    private final Clock clock;
    private final Destinations destinations;
    private final QueueBook book;
    private final QueueCommands queues;
    private final QueueQuotas quotas;
    private final DocumentCommands documents;
    private final PlanQueries plans;
    private final Inbox inbox;
    private final Submissions submissions;
    private final EngineListener listener;
    private final EngineListener redriveListener;
    private final LeaseCalls calls;
    private final Polls polls;
    private final BulkRuns bulks;
    private final Consumers consumers;

    Commands(
            Calendar calendar,
            Clock clock,
            Destinations destinations,
            QueueBook book,
            QueueQuotas quotas,
            Inbox inbox,
            Submissions submissions,
            EngineListener listener,
            EngineListener redriveListener,
            LeaseCalls calls,
            Polls polls,
            BulkRuns bulks,
            Consumers consumers) {
        this.calendar = calendar;
        this.durability = calendar.durability();
        this.clock = clock;
        this.destinations = destinations;
        this.book = book;
        this.queues = new QueueCommands(calendar, clock, book, inbox);
        this.quotas = quotas;
        this.documents = new DocumentCommands(calendar);
        this.plans = new PlanQueries(calendar, clock, inbox);
        this.inbox = inbox;
        this.listener = listener;
        this.redriveListener = redriveListener;
        this.submissions = submissions;
        this.calls = calls;
        this.polls = polls;
        this.bulks = bulks;
        this.consumers = consumers;
    }

    public Durability durability() {
        return durability;
    }

    public CompletableFuture<Scheduled> schedule(TimerRequest request) {
        Instant now = clock.now();
        long dueAtMs = request.dueAtMs(now);
        TimerContent content = request.content(now, dueAtMs);
        byte[] bytes = content.encode();
        ScheduleCommand command = new ScheduleCommand(
                request.key(),
                dueAtMs,
                bytes,
                destinations.route(content.destination()),
                request.onConflict(),
                request.requestHash(),
                request.options().expectedId(),
                offered(request.options().durability()));
        int needed = COMMAND_BYTES + bytes.length;
        if (request.hasMaxWait()) {
            return submissions.submit(
                    needed, new MaxWaitPlan(quotas::schedule, command, content), command.key(), listener::scheduled);
        }
        if (content.plan() != null) {
            return submissions.submit(
                    needed, new PlanSchedule(quotas::schedule, command, content), command.key(), listener::scheduled);
        }
        return submissions.submitWithSettings(
                needed,
                command.key(),
                () -> quotas.apply(command.key().queue()),
                (Answer<Scheduled> answer) -> quotas.schedule(command, answer),
                listener::scheduled);
    }

    private @Nullable Durability offered(@Nullable Durability level) {
        if (level != null && !offers(level)) {
            throw new IllegalArgumentException(
                    "durability is " + level + ", must be one that the store offers, such as " + durability);
        }
        return level;
    }

    public boolean offers(Durability level) {
        return calendar.offers(level);
    }

    public CompletableFuture<Cancelled> cancel(TimerKey key, CommandOptions options) {
        offered(options.durability());
        return submissions.submit(
                COMMAND_BYTES,
                key,
                (Answer<Cancelled> answer) -> calendar.cancel(key, options.expectedId(), options.durability(), answer),
                listener::cancelled);
    }

    public CompletableFuture<Changed> reschedule(TimerKey key, Instant dueAt, CommandOptions options) {
        return change(ChangeCommand.reschedule(key, DueTimes.ceilMs(dueAt)), options);
    }

    public CompletableFuture<Changed> reschedule(TimerKey key, Duration delay, CommandOptions options) {
        return reschedule(key, DueTimes.after(clock.now(), delay), options);
    }

    public CompletableFuture<Changed> touch(TimerKey key, CommandOptions options) {
        offered(options.durability());
        return submissions.submit(COMMAND_BYTES, new TouchPlan(calendar, clock, key, options), key, listener::changed);
    }

    public CompletableFuture<Changed> runNow(TimerKey key, CommandOptions options) {
        offered(options.durability());
        RunNow plan = new RunNow(calendar, clock, destinations, key, options);
        return submissions.submitKeeping(COMMAND_BYTES, plan, key, changed -> {
            TimerView timer = changed.timer();
            if (timer != null && !timer.key().equals(key)) {
                // A run beside the plan.
                quotas.made(key.queue());
            }
            listener.changed(changed);
        });
    }

    public CompletableFuture<Changed> pausePlan(TimerKey key, CommandOptions options) {
        offered(options.durability());
        return submissions.submit(
                COMMAND_BYTES, PlanPause.pause(calendar, clock, key, options), key, listener::changed);
    }

    public CompletableFuture<Changed> resumePlan(TimerKey key, CommandOptions options) {
        offered(options.durability());
        return submissions.submit(
                COMMAND_BYTES, PlanPause.resume(calendar, clock, key, options), key, listener::changed);
    }

    public CompletableFuture<List<Instant>> preview(TimerKey key, int most) {
        return submissions.read(
                COMMAND_BYTES + COUNT_BYTES * most,
                null,
                Submissions.CONTENT_BYTES,
                (Answer<List<Instant>> answer) -> plans.preview(key, most, answer),
                times -> 0);
    }

    public CompletableFuture<List<TimerView>> runs(TimerKey key) {
        return submissions.read(
                COMMAND_BYTES + LISTED_BYTES * PlanQueries.MOST_RUNS,
                null,
                Submissions.CONTENT_BYTES,
                (Answer<List<TimerView>> answer) -> plans.runs(key, answer),
                runs -> 0);
    }

    public CompletableFuture<Changed> redrive(TimerKey key, CommandOptions options) {
        return change(ChangeCommand.redrive(key, clock.wallMs()), options, redriveListener);
    }

    /** The next attempt is due at another time than the last one: so that each redrive can be told from the one before. */
    public CompletableFuture<Changed> redrive(TimerDetails seen, TimerRequest edited) {
        TimerView timer = seen.timer();
        TimerContent stored = seen.content();
        TimerContent content = edited.content().withPushBack(stored == null ? null : stored.pushBack());
        long route = destinations.route(content.destination());
        long dueAtMs = Math.max(edited.dueAtMs(clock.now()), timer.attemptAtMs() + 1);
        return submitChange(
                ChangeCommand.redrive(timer.key(), dueAtMs)
                        .withContent(content.encode(), route)
                        .withExpected(timer)
                        .withDurability(offered(edited.options().durability())),
                redriveListener);
    }

    public CompletableFuture<Changed> purge(TimerKey key, CommandOptions options) {
        return change(ChangeCommand.purge(key), options);
    }

    private CompletableFuture<Changed> change(ChangeCommand wish, CommandOptions options) {
        return change(wish, options, listener);
    }

    private CompletableFuture<Changed> change(ChangeCommand wish, CommandOptions options, EngineListener told) {
        return submitChange(
                wish.withExpectedId(options.expectedId()).withDurability(offered(options.durability())), told);
    }

    private CompletableFuture<Changed> submitChange(ChangeCommand command, EngineListener told) {
        byte[] content = command.content();
        return submissions.submit(
                COMMAND_BYTES + (content == null ? 0 : content.length),
                command.key(),
                (Answer<Changed> answer) -> calendar.change(command, answer),
                told::changed);
    }

    public CompletableFuture<Optional<TimerView>> find(TimerKey key) {
        return submissions
                .<List<TimerView>>submit(COMMAND_BYTES, key, answer -> calendar.find(key, answer), found -> {})
                .thenApply(found -> found.stream().findFirst());
    }

    public CompletableFuture<Optional<TimerDetails>> read(TimerKey key) {
        return submissions
                .<List<StoredTimer>>read(
                        COMMAND_BYTES,
                        key,
                        Submissions.CONTENT_BYTES,
                        answer -> calendar.read(key, answer),
                        Commands::contentBytes)
                .thenApply(found -> found.stream().findFirst().map(TimerDetails::of));
    }

    private static int contentBytes(List<StoredTimer> found) {
        return found.stream().mapToInt(timer -> timer.content().length).sum();
    }

    public CompletableFuture<List<QueueCounts>> queues() {
        return submissions.submitWithSettings(COMMAND_BYTES, null, () -> false, queues::counts, counts -> {});
    }

    public CompletableFuture<Optional<QueueView>> queue(String queue) {
        return submissions.submit(
                COMMAND_BYTES, null, (Answer<Optional<QueueView>> answer) -> queues.view(queue, answer), view -> {});
    }

    public QueueSettings settingsOf(String queue) {
        return book.knownSettingsOf(queue);
    }

    public CompletableFuture<QueueView> changeQueue(String queue, QueueChange change, CommandOptions options) {
        offered(options.durability());
        return submissions.submit(
                COMMAND_BYTES,
                null,
                (Answer<QueueView> answer) -> queues.change(queue, change, options, answer),
                view -> {});
    }

    public CompletableFuture<Boolean> forgetQueue(String queue, CommandOptions options) {
        offered(options.durability());
        return submissions.submit(
                COMMAND_BYTES,
                null,
                (Answer<Boolean> answer) -> queues.forget(queue, options, answer),
                forgotten -> {});
    }

    public CompletableFuture<Optional<ProgramDocument>> document(String name) {
        return submissions.submit(
                COMMAND_BYTES,
                null,
                (Answer<Optional<ProgramDocument>> answer) -> documents.read(name, answer),
                found -> {});
    }

    public CompletableFuture<Optional<String>> documentId(String name) {
        return submissions.submit(
                COMMAND_BYTES, null, (Answer<Optional<String>> answer) -> documents.id(name, answer), found -> {});
    }

    public CompletableFuture<ProgramDocument> writeDocument(String name, String text, @Nullable String expectedId) {
        ScheduleCommand command = DocumentCommands.writing(name, text, expectedId);
        return submissions.submit(
                COMMAND_BYTES + command.content().length,
                command.key(),
                (Answer<ProgramDocument> answer) -> documents.write(command, text, answer),
                written -> {});
    }

    /** Has slow starts begin whose pause has ended while there was no engine. For the loop only. */
    void settleQueues() {
        queues.settle();
    }

    /** How many timers are documents, as far as is known; those of bulk runs are not among them. For the loop only. */
    int documentTimers() {
        return book.timers() + documents.timers();
    }

    /** A poll takes its room only until the loop knows of it: it may wait for long. */
    public CompletableFuture<List<Lease>> lease(LeaseRequest request) {
        Poll poll = new Poll(request);
        var unused = poll.future.whenComplete((leased, failure) -> {
            if (!poll.isAnswered()) {
                // Its caller has ended it, in one of the ways in which a future is.
                inbox.note(() -> polls.withdraw(poll));
            }
        });
        var unusedToo = submissions
                .<Boolean>submit(
                        COMMAND_BYTES,
                        null,
                        answer -> {
                            polls.add(poll);
                            answer.accept(true);
                        },
                        done -> {})
                .exceptionally(failure -> !poll.future.completeExceptionally(failure));
        return poll.future;
    }

    public LeaseConsumer consume(String queue, ConsumerOptions options, TimerHandler handler) {
        return consumers.start(queue, options, handler);
    }

    public CompletableFuture<Void> acknowledge(String lease) {
        return onLease(answer -> calls.acknowledge(lease, answer));
    }

    public CompletableFuture<Void> nack(String lease, @Nullable Duration delay, String reason) {
        return onLease(answer -> calls.nack(lease, delay, reason, answer));
    }

    public CompletableFuture<Void> bury(String lease, String reason) {
        return onLease(answer -> calls.bury(lease, reason, answer));
    }

    public void giveBack(List<Lease> leases) {
        inbox.note(() -> polls.takeBack(leases));
    }

    private CompletableFuture<Void> onLease(Consumer<Answer<Boolean>> call) {
        return submissions
                .<Boolean>submit(COMMAND_BYTES, null, call, done -> {})
                .thenAccept(done -> {});
    }

    public CompletableFuture<Instant> extend(String lease, Duration ttl) {
        return submissions.submit(
                COMMAND_BYTES, null, (Answer<Instant> answer) -> calls.extend(lease, ttl, answer), extended -> {});
    }

    public CompletableFuture<List<BulkView>> bulkRuns() {
        return submissions.submit(COMMAND_BYTES, null, bulks.queries()::views, views -> {});
    }

    public CompletableFuture<Optional<BulkView>> bulkRun(String id) {
        return submissions.submit(
                COMMAND_BYTES,
                null,
                (Answer<Optional<BulkView>> answer) -> bulks.queries().view(id, answer),
                view -> {});
    }

    public CompletableFuture<Optional<BulkView>> stopBulkRun(String id) {
        return submissions.submit(
                COMMAND_BYTES, null, (Answer<Optional<BulkView>> answer) -> bulks.stop(id, answer), view -> {});
    }

    public CompletableFuture<TimerPage> list(TimerQuery query) {
        return submissions.read(
                COMMAND_BYTES + LISTED_BYTES * query.limit(),
                null,
                LISTED_BYTES * query.limit(),
                (Answer<TimerPage> answer) -> calendar.list(query, answer),
                page -> LISTED_BYTES * page.timers().size());
    }

    public CompletableFuture<DueCounts> countDue(DueCountQuery query) {
        return submissions.submit(
                COMMAND_BYTES + COUNT_BYTES * query.buckets(),
                null,
                (Answer<DueCounts> answer) -> calendar.countDue(query, answer),
                counts -> {});
    }
}
