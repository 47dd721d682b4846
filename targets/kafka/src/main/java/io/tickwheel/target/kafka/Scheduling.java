package io.tickwheel.target.kafka;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.Scheduled;
import io.tickwheel.target.message.RefusalLog;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes timers of records, of which it holds as many as the settings say, and refuses those of which none can be made. A record ends when its timer is durable, or its refusal is. What
 * cannot be done for the moment is tried again. Answers come from other threads, and are looked at by the one of the source, which owns everything here.
 *
 * <pre>
 *   add -> waiting -> engine -> answers -> end
 *                       ^          |
 *                       |   again, half a second later
 * </pre>
 */
final class Scheduling {

    private static final Logger LOG = LoggerFactory.getLogger(Scheduling.class);
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long MOST_BYTES = 32L << 20;

    private final SourceSettings settings;
    private final Clock clock;
    private final Tickwheel timers;
    private final IntakeCounts counts;
    private final RefusedRecords refusals;
    private final ToLongFunction<TopicPartition> endOffset;
    private final Deque<Pending> waiting = new ArrayDeque<>();
    private final Map<String, Deque<Pending>> lanes = new HashMap<>();
    private final Deque<Repeat> repeats = new ArrayDeque<>();
    private final LinkedBlockingQueue<Runnable> answers = new LinkedBlockingQueue<>();

    /** Records that could not be refused so far, and are still ours. */
    private final Set<Pending> unrefused = new HashSet<>();

    private final RefusalLog refusalLog;

    private int underWay;
    private int held;
    private long heldBytes;
    private @Nullable String trouble;
    private @Nullable KafkaException broken;

    private record Repeat(Pending pending, Runnable step, long fromNanos) {}

    /** @param endOffset asks the brokers for the offset of the next record of a partition */
    Scheduling(
            SourceSettings settings,
            Clock clock,
            Tickwheel timers,
            IntakeCounts counts,
            RefusedRecords refusals,
            ToLongFunction<TopicPartition> endOffset) {
        this.settings = settings;
        this.clock = clock;
        this.timers = timers;
        this.counts = counts;
        this.refusals = refusals;
        this.endOffset = endOffset;
        this.refusalLog = new RefusalLog(clock, LOG::warn);
    }

    void add(Pending pending) {
        waiting.add(pending);
    }

    /** Asks whether more may be read. */
    boolean hasRoom() {
        return waiting.isEmpty() && mayHold();
    }

    private boolean mayHold() {
        return held < settings.prefetch() && heldBytes < MOST_BYTES;
    }

    /** Asks whether an answer is to come. */
    boolean isBusy() {
        return underWay > 0;
    }

    /** Why records cannot be refused at the moment; null when they can. */
    @Nullable
    String trouble() {
        return unrefused.isEmpty() ? null : trouble;
    }

    /**
     * Does what there is to do, and waits for nothing but, now and then, the brokers' word on the end of a partition.
     *
     * @throws KafkaException when nothing can be refused any more
     */
    void work() {
        for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
            answer.run();
        }
        if (broken != null) {
            throw broken;
        }
        long now = clock.monoNanos();
        while (!repeats.isEmpty() && now - repeats.getFirst().fromNanos >= 0) {
            Repeat repeat = repeats.removeFirst();
            proceed(repeat.pending, repeat.step);
        }
        while (!waiting.isEmpty() && mayHold()) {
            Pending next = waiting.removeFirst();
            if (next.partition().isOurs()) {
                held++;
                heldBytes += next.inbound().bytes();
                begin(next);
            }
        }
    }

    /** Records of one key are scheduled one after the other, in their order. */
    private void begin(Pending pending) {
        String key = pending.key();
        Deque<Pending> behind = key == null ? null : lanes.get(key);
        if (behind != null) {
            behind.add(pending);
            return;
        }
        if (key != null) {
            lanes.put(key, new ArrayDeque<>());
        }
        ask(pending, null);
    }

    /** Looks at one answer, which may take that long to come. */
    void awaitAnswer(Duration longest) {
        try {
            Runnable answer = answers.poll(longest.toNanos(), TimeUnit.NANOSECONDS);
            if (answer != null) {
                answer.run();
            }
        } catch (InterruptedException e) {
            // Nobody interrupts but who ends the thread.
            Thread.currentThread().interrupt();
        }
    }

    /** Does a step for a record, or forgets it when its partition was given away: whoever has that reads it again. */
    private void proceed(Pending pending, Runnable step) {
        if (pending.partition().isOurs()) {
            step.run();
        } else {
            release(pending);
        }
    }

    /** Gives the place of a record back, and goes on with the next one of its key that is still ours. */
    private void release(Pending pending) {
        String key = pending.key();
        Deque<Pending> behind = key == null ? null : lanes.get(key);
        Pending next = pending;
        do {
            held--;
            heldBytes -= next.inbound().bytes();
            unrefused.remove(next);
            next = behind == null ? null : behind.poll();
        } while (next != null && !next.partition().isOurs());
        if (next != null) {
            ask(next, null);
        } else if (key != null) {
            lanes.remove(key);
        }
    }

    private void end(Pending pending) {
        pending.end();
        release(pending);
    }

    private void answered(Pending pending, Runnable step) {
        answers.add(() -> {
            underWay--;
            proceed(pending, step);
        });
    }

    /** @param replacedId of the timer whose place the new one takes; null for a key that has none yet */
    private void ask(Pending pending, @Nullable String replacedId) {
        underWay++;
        try {
            TimerRequest request = pending.inbound().request(settings);
            if (replacedId != null) {
                request = request.withOnConflict(OnConflict.REPLACE).withExpectedId(replacedId);
            }
            var unused = timers.schedule(request)
                    .whenComplete((done, failure) -> answered(pending, () -> {
                        if (failure == null) {
                            settle(pending, done);
                        } else {
                            failed(pending, failure);
                        }
                    }));
        } catch (RuntimeException e) {
            answered(pending, () -> failed(pending, e));
        }
    }

    private void settle(Pending pending, Scheduled done) {
        InboundRecord inbound = pending.inbound();
        if (done.outcome() != Scheduled.Outcome.KEPT) {
            counts.scheduled.incrementAndGet();
            end(pending);
        } else if (done.requestHash() == inbound.hash()) {
            counts.known.incrementAndGet();
            end(pending);
        } else if (pending.key() != null) {
            replace(pending, done);
        } else {
            refuse(pending, inbound.conflict());
        }
    }

    /** Takes the place of what is there, unless that is of a later record: then this one has come again, and its time is over. */
    private void replace(Pending pending, Scheduled done) {
        boolean isOvertaken;
        try {
            isOvertaken = isOvertaken(pending, new RecordPosition(done.requestHash()));
        } catch (KafkaException e) {
            failed(pending, e);
            return;
        }
        if (isOvertaken) {
            counts.known.incrementAndGet();
            end(pending);
        } else {
            ask(pending, done.timer().id());
        }
    }

    /** A hash of somebody else may look like a position, but hardly like one of a record that is there. */
    private boolean isOvertaken(Pending pending, RecordPosition other) {
        if (!pending.inbound().position().isBefore(other)) {
            return false;
        }
        PartitionOffsets partition = pending.partition();
        if (!partition.reaches(other.offset())) {
            partition.ends(endOffset.applyAsLong(partition.partition));
        }
        return partition.reaches(other.offset());
    }

    private void failed(Pending pending, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof IdMismatchException) {
            ask(pending, null);
        } else if (cause instanceof IllegalArgumentException) {
            refuse(pending, String.valueOf(cause.getMessage()));
        } else {
            LOG.debug("a record cannot be scheduled at the moment", cause);
            again(pending, () -> ask(pending, null));
        }
    }

    private void again(Pending pending, Runnable step) {
        counts.postponed.incrementAndGet();
        repeats.add(new Repeat(pending, step, clock.monoNanos() + AGAIN_NANOS));
    }

    private void refuse(Pending pending, String reason) {
        underWay++;
        refusals.send(pending.inbound(), reason, failure -> answered(pending, () -> refused(pending, reason, failure)));
    }

    private void refused(Pending pending, String reason, @Nullable Exception failure) {
        if (failure == null) {
            counts.refused.incrementAndGet();
            refusalLog.say("refused a record, which is in the topic " + settings.refusedTopic() + " now: " + reason);
            end(pending);
            return;
        }
        unrefused.add(pending);
        trouble = "a record cannot be refused: " + Failures.reason(settings.refusedTopic(), failure);
        if (Failures.endsProducer(failure)) {
            broken = new KafkaException(trouble, failure);
        }
        again(pending, () -> refuse(pending, reason));
    }
}
