package io.tickwheel.engine;

import io.tickwheel.engine.attempt.InFlight;
import io.tickwheel.engine.loop.Commands;
import io.tickwheel.engine.loop.EngineLoop;
import io.tickwheel.engine.rule.DueTimes;
import io.tickwheel.engine.rule.Unicode;
import io.tickwheel.engine.watch.EngineCounts;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.Durability;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** An engine inside this program: checks what it is asked, and hands it to the loop. */
final class EmbeddedTickwheel implements Tickwheel {

    private final EngineLoop loop;
    private final Commands commands;
    private final EngineCounts counts;

    EmbeddedTickwheel(EngineLoop loop, EngineCounts counts) {
        this.loop = loop;
        this.counts = counts;
        this.commands = loop.commands();
    }

    @Override
    public void handle(String queue, TimerHandler handler) {
        Objects.requireNonNull(handler, "handler");
        TimerNames.checkQueue(queue);
        loop.handle(queue, handler);
    }

    @Override
    public boolean removeHandler(String queue) {
        TimerNames.checkQueue(queue);
        return loop.removeHandler(queue);
    }

    @Override
    public CompletableFuture<Scheduled> schedule(TimerRequest request) {
        Objects.requireNonNull(request, "request");
        return commands.schedule(request);
    }

    @Override
    public CompletableFuture<Cancelled> cancel(String queue, String key, CommandOptions options) {
        return commands.cancel(TimerNames.check(queue, key), checked(options));
    }

    private static CommandOptions checked(CommandOptions options) {
        return Objects.requireNonNull(options, "options");
    }

    @Override
    public CompletableFuture<Changed> reschedule(String queue, String key, Instant dueAt, CommandOptions options) {
        Objects.requireNonNull(dueAt, "dueAt");
        return commands.reschedule(TimerNames.check(queue, key), dueAt, checked(options));
    }

    @Override
    public CompletableFuture<Changed> reschedule(String queue, String key, Duration delay, CommandOptions options) {
        DueTimes.checkDelay(delay);
        return commands.reschedule(TimerNames.check(queue, key), delay, checked(options));
    }

    @Override
    public CompletableFuture<Changed> touch(String queue, String key, CommandOptions options) {
        return commands.touch(TimerNames.check(queue, key), checked(options));
    }

    @Override
    public CompletableFuture<Changed> runNow(String queue, String key, CommandOptions options) {
        return commands.runNow(TimerNames.check(queue, key), checked(options));
    }

    @Override
    public CompletableFuture<Changed> pausePlan(String queue, String key, CommandOptions options) {
        return commands.pausePlan(TimerNames.check(queue, key), checked(options));
    }

    @Override
    public CompletableFuture<Changed> resumePlan(String queue, String key, CommandOptions options) {
        return commands.resumePlan(TimerNames.check(queue, key), checked(options));
    }

    @Override
    public CompletableFuture<List<Instant>> preview(String queue, String key, int most) {
        if (most < 1 || most > Recurrence.MAX_PREVIEW) {
            throw new IllegalArgumentException(
                    "number of times is " + most + ", must be 1 to " + Recurrence.MAX_PREVIEW);
        }
        return commands.preview(TimerNames.check(queue, key), most);
    }

    @Override
    public CompletableFuture<List<TimerView>> runs(String queue, String key) {
        return commands.runs(TimerNames.check(queue, key));
    }

    @Override
    public CompletableFuture<Changed> redrive(String queue, String key, CommandOptions options) {
        return commands.redrive(TimerNames.check(queue, key), checked(options));
    }

    @Override
    public CompletableFuture<Changed> redrive(TimerDetails seen, TimerRequest edited) {
        Objects.requireNonNull(seen, "seen");
        Objects.requireNonNull(edited, "edited");
        if (!edited.key().equals(seen.timer().key())) {
            throw new IllegalArgumentException("the request is of " + edited.key() + ", must be of "
                    + seen.timer().key());
        }
        return commands.redrive(seen, edited);
    }

    @Override
    public CompletableFuture<Changed> purge(String queue, String key, CommandOptions options) {
        return commands.purge(TimerNames.check(queue, key), checked(options));
    }

    @Override
    public CompletableFuture<Optional<TimerView>> find(String queue, String key) {
        return commands.find(TimerNames.check(queue, key));
    }

    @Override
    public CompletableFuture<Optional<TimerDetails>> read(String queue, String key) {
        return commands.read(TimerNames.check(queue, key));
    }

    @Override
    public Bulk start(BulkRequest request) {
        Objects.requireNonNull(request, "request");
        check(request.timers());
        return loop.start(request);
    }

    @Override
    public CompletableFuture<DeadCounts> countDead(TimerQuery timers) {
        BulkRequest count = BulkRequest.purge(timers).asDryRun();
        check(timers);
        return loop.count(count).thenApply(EmbeddedTickwheel::dead);
    }

    private static DeadCounts dead(BulkProgress end) {
        if (end.state() != BulkProgress.State.DONE) {
            throw new CompletionException(new StoreUnavailableException(
                    "the dead timers were not counted: " + (end.failure() == null ? end.state() : end.failure()),
                    false));
        }
        return new DeadCounts(end.matched(), end.reasons());
    }

    @Override
    public List<Bulk> bulks() {
        return loop.bulks();
    }

    @Override
    public CompletableFuture<List<BulkView>> bulkRuns() {
        return commands.bulkRuns();
    }

    @Override
    public CompletableFuture<Optional<BulkView>> bulkRun(String id) {
        return commands.bulkRun(Objects.requireNonNull(id, "id"));
    }

    @Override
    public CompletableFuture<Optional<BulkView>> stopBulkRun(String id) {
        return commands.stopBulkRun(Objects.requireNonNull(id, "id"));
    }

    @Override
    public CompletableFuture<List<QueueCounts>> queues() {
        return commands.queues();
    }

    @Override
    public CompletableFuture<Optional<QueueView>> queue(String queue) {
        TimerNames.checkQueue(queue);
        return commands.queue(queue);
    }

    @Override
    public CompletableFuture<QueueView> changeQueue(String queue, QueueChange change, CommandOptions options) {
        TimerNames.checkNewQueue(queue);
        return commands.changeQueue(queue, Objects.requireNonNull(change, "change"), checked(options));
    }

    @Override
    public CompletableFuture<Boolean> forgetQueue(String queue, CommandOptions options) {
        TimerNames.checkQueue(queue);
        return commands.forgetQueue(queue, checked(options));
    }

    @Override
    public QueueSettings settingsOf(String queue) {
        TimerNames.checkQueue(queue);
        return commands.settingsOf(queue);
    }

    @Override
    public CompletableFuture<Optional<ProgramDocument>> document(String name) {
        TimerNames.checkQueue(name);
        return commands.document(name);
    }

    @Override
    public CompletableFuture<Optional<String>> documentId(String name) {
        TimerNames.checkQueue(name);
        return commands.documentId(name);
    }

    @Override
    public CompletableFuture<ProgramDocument> writeDocument(String name, String text, @Nullable String expectedId) {
        TimerNames.checkQueue(name);
        return commands.writeDocument(name, Objects.requireNonNull(text, "text"), expectedId);
    }

    @Override
    public CompletableFuture<List<Lease>> lease(LeaseRequest request) {
        return commands.lease(Objects.requireNonNull(request, "request"));
    }

    @Override
    public LeaseConsumer consume(String queue, ConsumerOptions options, TimerHandler handler) {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(handler, "handler");
        TimerNames.checkQueue(queue);
        if (!loop.isRunning()) {
            throw new IllegalStateException("the engine is closed");
        }
        return commands.consume(queue, options, handler);
    }

    @Override
    public CompletableFuture<Void> acknowledge(String leaseId) {
        return commands.acknowledge(Objects.requireNonNull(leaseId, "leaseId"));
    }

    private static String valid(String reason) {
        return Unicode.check("reason", Objects.requireNonNull(reason, "reason"));
    }

    @Override
    public CompletableFuture<Void> nack(String leaseId, String reason) {
        return commands.nack(Objects.requireNonNull(leaseId, "leaseId"), null, valid(reason));
    }

    @Override
    public CompletableFuture<Void> nack(String leaseId, Duration delay, String reason) {
        LeaseRequest.check("delay", delay, Duration.ZERO, InFlight.LONGEST_WAIT);
        return commands.nack(Objects.requireNonNull(leaseId, "leaseId"), delay, valid(reason));
    }

    @Override
    public CompletableFuture<Instant> extend(String leaseId, Duration ttl) {
        LeaseRequest.checkTtl(ttl);
        return commands.extend(Objects.requireNonNull(leaseId, "leaseId"), ttl);
    }

    @Override
    public void giveBack(List<Lease> leases) {
        commands.giveBack(List.copyOf(leases));
    }

    @Override
    public CompletableFuture<Void> bury(String leaseId, String reason) {
        return commands.bury(Objects.requireNonNull(leaseId, "leaseId"), valid(reason));
    }

    @Override
    public CompletableFuture<TimerPage> list(TimerQuery query) {
        Objects.requireNonNull(query, "query");
        check(query);
        return commands.list(query);
    }

    private static void check(TimerQuery query) {
        TimerNames.checkQueue(query.queue());
        TimerNames.checkKeyPrefix(query.keyPrefix());
    }

    @Override
    public CompletableFuture<DueCounts> countDue(DueCountQuery query) {
        if (query.queue() != null) {
            TimerNames.checkQueue(query.queue());
        }
        return commands.countDue(query);
    }

    @Override
    public CompletableFuture<DueCounts> countDue(String queue, Duration bucket, int buckets) {
        Duration longest = Duration.ofMillis(DueCountQuery.MAX_BUCKET_MS);
        if (bucket.compareTo(Duration.ofMillis(DueCountQuery.MIN_BUCKET_MS)) < 0 || bucket.compareTo(longest) > 0) {
            throw new IllegalArgumentException("bucket is " + bucket + ", must be "
                    + Duration.ofMillis(DueCountQuery.MIN_BUCKET_MS) + " to " + longest);
        }
        long bucketMs = bucket.toMillis();
        if (!bucket.equals(Duration.ofMillis(bucketMs))) {
            throw new IllegalArgumentException("bucket is " + bucket + ", must be of whole milliseconds");
        }
        long nowMs = loop.clock().wallMs();
        return countDue(new DueCountQuery(queue, nowMs - Math.floorMod(nowMs, bucketMs), bucketMs, buckets));
    }

    @Override
    public long liveCount() {
        return loop.liveCount();
    }

    @Override
    public TickwheelStats stats() {
        return counts.stats(loop.liveCount(), loop.running());
    }

    @Override
    public Durability durability() {
        return commands.durability();
    }

    @Override
    public boolean offers(Durability durability) {
        return commands.offers(durability);
    }

    @Override
    public boolean isRunning() {
        return loop.isRunning();
    }

    @Override
    public Optional<String> unready() {
        return loop.unready();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return loop.close();
    }
}
