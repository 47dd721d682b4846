package io.tickwheel.target.kafka;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One membership in the consumer group, from its first look at the topics until it ends: reads records while there is room, and commits what has ended. All but {@link #stop} is
 * for the thread of the source.
 */
final class SourceSession implements ConsumerRebalanceListener, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SourceSession.class);
    private static final Duration BUSY = Duration.ofMillis(5);
    private static final Duration IDLE = Duration.ofMillis(200);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(1);
    private static final Duration PATIENT = Duration.ofSeconds(10);

    private final SourceSettings settings;
    private final Clock clock;
    private final Consumer<@Nullable String> state;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Admin admin;
    private final RefusedRecords refusals;
    private final Scheduling scheduling;
    private final Map<TopicPartition, PartitionOffsets> partitions = new HashMap<>();
    private final Metric connections;
    private final TopicWatch watch;
    private final OffsetCommits commits;
    private Map<String, Uuid> topicIds = Map.of();
    private volatile boolean isStopping;

    /**
     * Makes the clients, which connect by themselves.
     *
     * @param state is told why no records are taken in, or null when they are
     */
    SourceSession(
            SourceSettings settings,
            Clock clock,
            Tickwheel timers,
            IntakeCounts counts,
            Consumer<@Nullable String> state) {
        this.settings = settings;
        this.clock = clock;
        this.state = state;
        this.consumer = new KafkaConsumer<>(settings.consumer());
        this.connections = consumer.metrics().entrySet().stream()
                .filter(metric -> metric.getKey().name().equals("connection-count"))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow();
        Admin made = null;
        try {
            made = Admin.create(settings.admin());
            this.refusals = new RefusedRecords(settings);
        } catch (KafkaException e) {
            consumer.close(CloseOptions.timeout(Duration.ZERO));
            if (made != null) {
                made.close(Duration.ZERO);
            }
            throw e;
        }
        this.admin = made;
        this.watch = new TopicWatch(made, clock);
        this.scheduling = new Scheduling(settings, clock, timers, counts, refusals, this::endOffset);
        this.commits = new OffsetCommits(clock, partitions, consumer::commitAsync);
    }

    private long endOffset(TopicPartition partition) {
        return Objects.requireNonNull(
                consumer.endOffsets(List.of(partition), LONG).get(partition));
    }

    /**
     * Takes records in until it is stopped.
     *
     * @throws IOException with the reason, when topics are missing or made anew, or no broker answers
     * @throws KafkaException when the membership has ended
     */
    void run() throws IOException {
        topicIds = SourceTopics.look(admin, settings);
        consumer.subscribe(settings.topics().keySet(), this);
        while (!isStopping) {
            try {
                step();
            } catch (WakeupException e) {
                LOG.debug("stops", e);
            } catch (IOException e) {
                // Their offsets are of a topic that is gone: nothing of them may be committed.
                onPartitionsLost(List.copyOf(partitions.keySet()));
                throw e;
            }
        }
    }

    private void step() throws IOException {
        watch.look(topicIds);
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(scheduling.isBusy() ? Duration.ZERO : IDLE)) {
            TopicPartition partition = new TopicPartition(record.topic(), record.partition());
            PartitionOffsets offsets = Objects.requireNonNull(partitions.get(partition));
            if (offsets.isBehind(record.offset())) {
                throw new IOException("the topic " + record.topic() + " has begun anew");
            }
            offsets.begin(record.offset());
            scheduling.add(new Pending(new InboundRecord(record, offsets.topicId, clock.now()), offsets));
        }
        if (scheduling.isBusy()) {
            scheduling.awaitAnswer(BUSY);
        }
        scheduling.work();
        if (scheduling.hasRoom()) {
            consumer.resume(consumer.paused());
        } else {
            consumer.pause(consumer.assignment());
        }
        commits.send();
        state.accept(unready());
    }

    private @Nullable String unready() {
        if (!(connections.metricValue() instanceof Number count && count.longValue() > 0)) {
            return "no broker of " + settings.place() + " is connected";
        }
        return consumer.groupMetadata().generationId() < 0
                ? "joins the group " + settings.group()
                : scheduling.trouble();
    }

    /** Goes on where the group was, but in a topic that has been made anew since then. */
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> added) {
        Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(Set.copyOf(added), PATIENT);
        for (TopicPartition partition : added) {
            Uuid topicId = topicIds.getOrDefault(partition.topic(), Uuid.ZERO_UUID);
            partitions.put(partition, new PartitionOffsets(partition, topicId));
        }
        List<TopicPartition> begun = added.stream()
                .filter(partition -> TopicMark.isOfAnother(
                        committed.get(partition), Objects.requireNonNull(partitions.get(partition)).topicId))
                .toList();
        if (!begun.isEmpty()) {
            consumer.seekToBeginning(begun);
        }
        LOG.info("takes records in from {} more partitions as the group {}", added.size(), settings.group());
    }

    /** Gives what is under way a moment to end, so that the next owner need not read it again. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> gone) {
        Duration longest = isStopping ? SHORT : LONG;
        long endNanos = clock.monoNanos() + longest.toNanos();
        try {
            while (scheduling.isBusy() && !areIdle(gone) && clock.monoNanos() - endNanos < 0) {
                scheduling.awaitAnswer(BUSY);
            }
            Map<TopicPartition, OffsetAndMetadata> offsets = commits.open(gone);
            if (!offsets.isEmpty()) {
                consumer.commitSync(offsets, longest);
            }
        } catch (KafkaException e) {
            // The next owner reads them again, and knows them.
            LOG.debug("offsets could not be committed when partitions were given away", e);
        }
        onPartitionsLost(gone);
    }

    private boolean areIdle(Collection<TopicPartition> those) {
        return those.stream().map(partitions::get).allMatch(known -> known == null || known.isIdle());
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> gone) {
        for (TopicPartition partition : gone) {
            PartitionOffsets known = partitions.remove(partition);
            if (known != null) {
                known.giveAway();
            }
        }
    }

    /** Has {@link #run} end soon. Any thread. */
    void stop() {
        isStopping = true;
        consumer.wakeup();
        admin.close(Duration.ZERO);
    }

    /** Leaves the group, and commits what has ended. */
    @Override
    public void close() {
        try {
            consumer.close(CloseOptions.timeout(isStopping ? SHORT : LONG));
        } catch (KafkaException e) {
            LOG.debug("did not leave the group", e);
        }
        refusals.close();
        admin.close(Duration.ZERO);
    }
}
