package io.tickwheel.engine;

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
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFullException;
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
 * What programs ask of the loop: each call leaves a command in the {@link Inbox}, and completes its future through the
 * {@link Replies}. Any thread may call this; the loop decides.
 */
final class Commands {

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
    private final QueueCommands queues;
    private final QueueQuotas quotas;
    private final Inbox inbox;
    private final Replies replies;
    private final EngineListener listener;
    private final WhenFull whenFull;

    Commands(
            EngineOptions options,
            Calendar calendar,
            Clock clock,
            Destinations destinations,
            QueueBook book,
            Inbox inbox,
            Replies replies) {
        this.calendar = calendar;
        this.durability = calendar.durability();
        this.clock = clock;
        this.destinations = destinations;
        this.queues = new QueueCommands(calendar, clock, book);
        this.quotas = new QueueQuotas(calendar, clock, book);
        this.inbox = inbox;
        this.replies = replies;
        this.listener = options.listener();
        this.whenFull = options.whenFull();
    }

    Durability durability() {
        return durability;
    }

    CompletableFuture<Scheduled> schedule(TimerRequest request) {
        byte[] content = request.content().encode();
        ScheduleCommand command = new ScheduleCommand(
                request.key(),
                request.dueAtMs(clock),
                content,
                destinations.route(request.content().destination()),
                request.onConflict(),
                request.requestHash(),
                request.options().expectedId(),
                offered(request.options().durability()));
        return submit(
                COMMAND_BYTES + content.length,
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

    boolean offers(Durability level) {
        return calendar.offers(level);
    }

    CompletableFuture<Cancelled> cancel(TimerKey key, CommandOptions options) {
        offered(options.durability());
        return submit(
                COMMAND_BYTES,
                (Answer<Cancelled> answer) -> calendar.cancel(key, options.expectedId(), options.durability(), answer),
                listener::cancelled);
    }

    CompletableFuture<Changed> reschedule(TimerKey key, Instant dueAt, CommandOptions options) {
        return change(ChangeCommand.reschedule(key, DueTimes.ceilMs(dueAt)), options);
    }

    CompletableFuture<Changed> reschedule(TimerKey key, Duration delay, CommandOptions options) {
        return reschedule(key, DueTimes.after(clock.now(), delay), options);
    }

    CompletableFuture<Changed> redrive(TimerKey key, CommandOptions options) {
        return change(ChangeCommand.redrive(key, clock.wallMs()), options);
    }

    /** The next attempt is due at another time than the last one: so that each redrive can be told from the one before. */
    CompletableFuture<Changed> redrive(TimerView seen, TimerRequest edited) {
        byte[] content = edited.content().encode();
        long route = destinations.route(edited.content().destination());
        long dueAtMs = Math.max(edited.dueAtMs(clock), seen.attemptAtMs() + 1);
        return submit(ChangeCommand.redrive(seen.key(), dueAtMs)
                .withContent(content, route)
                .withExpected(seen)
                .withDurability(offered(edited.options().durability())));
    }

    CompletableFuture<Changed> purge(TimerKey key, CommandOptions options) {
        return change(ChangeCommand.purge(key), options);
    }

    private CompletableFuture<Changed> change(ChangeCommand wish, CommandOptions options) {
        return submit(wish.withExpectedId(options.expectedId()).withDurability(offered(options.durability())));
    }

    private CompletableFuture<Changed> submit(ChangeCommand command) {
        byte[] content = command.content();
        return submit(
                COMMAND_BYTES + (content == null ? 0 : content.length),
                (Answer<Changed> answer) -> calendar.change(command, answer),
                listener::changed);
    }

    CompletableFuture<Optional<TimerView>> find(TimerKey key) {
        return this.<List<TimerView>>submit(COMMAND_BYTES, answer -> calendar.find(key, answer), found -> {})
                .thenApply(found -> found.stream().findFirst());
    }

    CompletableFuture<Optional<TimerDetails>> read(TimerKey key) {
        return this.<List<StoredTimer>>submit(COMMAND_BYTES, answer -> calendar.read(key, answer), found -> {})
                .thenApply(found -> found.stream().findFirst().map(TimerDetails::of));
    }

    CompletableFuture<List<QueueCounts>> queues() {
        return submit(COMMAND_BYTES, queues::counts, counts -> {});
    }

    CompletableFuture<Optional<QueueView>> queue(String queue) {
        return submit(COMMAND_BYTES, (Answer<Optional<QueueView>> answer) -> queues.view(queue, answer), view -> {});
    }

    CompletableFuture<QueueView> changeQueue(String queue, QueueChange change, CommandOptions options) {
        offered(options.durability());
        return submit(
                COMMAND_BYTES, (Answer<QueueView> answer) -> queues.change(queue, change, options, answer), view -> {});
    }

    CompletableFuture<Boolean> forgetQueue(String queue, CommandOptions options) {
        offered(options.durability());
        return submit(
                COMMAND_BYTES, (Answer<Boolean> answer) -> queues.forget(queue, options, answer), forgotten -> {});
    }

    CompletableFuture<TimerPage> list(TimerQuery query) {
        return submit(
                COMMAND_BYTES + LISTED_BYTES * query.limit(),
                (Answer<TimerPage> answer) -> calendar.list(query, answer),
                page -> {});
    }

    CompletableFuture<DueCounts> countDue(DueCountQuery query) {
        return submit(
                COMMAND_BYTES + COUNT_BYTES * query.buckets(),
                (Answer<DueCounts> answer) -> calendar.countDue(query, answer),
                counts -> {});
    }

    private <T> CompletableFuture<T> submit(int needed, Consumer<Answer<T>> call, Consumer<T> told) {
        int bytes = Math.min(needed, Inbox.MAX_BYTES);
        if (whenFull == WhenFull.BLOCK) {
            inbox.awaitRoom(bytes);
        } else if (!inbox.tryRoom(bytes)) {
            return CompletableFuture.failedFuture(
                    new OverloadedException(Inbox.MAX_BYTES + " bytes of commands wait for their answers"));
        }
        Request<T> request = new Request<>(bytes, call, told);
        if (!inbox.offer(request)) {
            inbox.free(bytes);
            return CompletableFuture.failedFuture(new IllegalStateException("the engine is closed"));
        }
        return request.future;
    }

    /** A command and its way back. */
    private final class Request<T> extends Inbox.Command implements Answer<T>, Runnable {

        private final CompletableFuture<T> future = new CompletableFuture<>();
        private final int bytes;
        private final Consumer<Answer<T>> call;
        private final Consumer<T> told;
        private @Nullable T result;
        private @Nullable RuntimeException failure;

        Request(int bytes, Consumer<Answer<T>> call, Consumer<T> told) {
            this.bytes = bytes;
            this.call = call;
            this.told = told;
        }

        @Override
        void decide() {
            call.accept(this);
        }

        @Override
        public void accept(T given) {
            told.accept(given);
            result = given;
            reply();
        }

        @Override
        public void fail(StoreException reason) {
            if (reason instanceof StoreFullException full) {
                listener.refused(full);
            }
            refuse(reason);
        }

        @Override
        void refuse(RuntimeException reason) {
            failure = reason;
            reply();
        }

        private void reply() {
            inbox.answered(bytes);
            replies.add(this);
        }

        /** Completes the future, away from the loop. */
        @Override
        public void run() {
            if (failure != null) {
                future.completeExceptionally(failure);
            } else {
                future.complete(result);
            }
        }
    }
}
