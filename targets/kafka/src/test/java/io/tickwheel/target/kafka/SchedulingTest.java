package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.target.message.OptionReader;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How much is under way at once, with a real engine that lets its answers wait, and no broker. */
final class SchedulingTest {

    private static final Uuid TOPIC = new Uuid(7, 8);

    private final HeldTimers held = new HeldTimers();
    private final Tickwheel timers = Tickwheel.open(new MemoryTimerStore());
    private final IntakeCounts counts = new IntakeCounts();
    private final PartitionOffsets offsets = new PartitionOffsets(new TopicPartition("in", 0), TOPIC);
    private RefusedRecords refusals;
    private Scheduling scheduling;
    private long next;
    private long end;

    private void open(int prefetch) {
        Map<String, String> options =
                Map.of("bootstrapServers", "127.0.0.1:9", "topics", "in=out", "prefetch", Integer.toString(prefetch));
        SourceSettings settings = SourceSettings.read(new OptionReader(new TargetOptions(Clock.system(), 1, options)));
        refusals = new RefusedRecords(settings);
        scheduling = new Scheduling(settings, Clock.system(), held.over(timers), counts, refusals, partition -> end);
    }

    @AfterEach
    void close() {
        refusals.close();
        timers.close();
    }

    private void add(int records, int bytes, String... key) {
        for (int i = 0; i < records; i++, next++) {
            RecordHeaders headers = new RecordHeaders();
            headers.add("x-delay", Publisher.bytes("1h"));
            for (String named : key) {
                headers.add("tickwheel-key", Publisher.bytes(named));
            }
            ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(
                    "in",
                    0,
                    next,
                    0,
                    TimestampType.CREATE_TIME,
                    -1,
                    bytes,
                    null,
                    new byte[bytes],
                    headers,
                    Optional.empty());
            offsets.begin(next);
            scheduling.add(new Pending(new InboundRecord(record, TOPIC, Instant.EPOCH), offsets));
        }
    }

    private void workUntilScheduled(long records) {
        Patience.until(records + " records are timers", () -> {
            scheduling.work();
            return counts.scheduled.get() == records;
        });
    }

    @Test
    void asManyAreUnderWayAsTheSettingSays() {
        open(10);
        held.hold(request -> true);
        add(10, 1);
        assertThat(scheduling.hasRoom()).as("they wait").isFalse();
        scheduling.work();
        assertThat(held.held()).isEqualTo(10);
        assertThat(scheduling.hasRoom()).isFalse();
        add(5, 1);
        scheduling.work();
        assertThat(held.held()).isEqualTo(10);

        held.letGo();
        workUntilScheduled(15);
        assertThat(scheduling.hasRoom()).isTrue();
        assertThat(scheduling.isBusy()).isFalse();
    }

    @Test
    void largeOnesAreUnderWayAsFarAsThereIsMemory() {
        open(500);
        held.hold(request -> true);
        add(40, 1_000_000);
        scheduling.work();
        assertThat(held.held()).as("32 MiB, and the one that goes over it").isEqualTo(34);

        held.letGo();
        workUntilScheduled(40);
        assertThat(scheduling.hasRoom()).isTrue();
    }

    /** The timer has a hash like that of record 5; whether there is one, the brokers know. */
    @Test
    void onlyARecordThatIsThereCanHaveTakenThePlaceOfAnother() {
        open(10);
        for (String key : List.of("theirs", "ours")) {
            RecordPosition position = RecordPosition.of(TOPIC, 0, 5);
            timers.schedule(TimerRequest.at("kafka", key, TimerRequest.LAST_DUE).withRequestHash(position.value()))
                    .join();
        }
        end = 5;
        add(1, 1, "theirs");
        workUntilScheduled(1);
        assertThat(counts.known).hasValue(0);

        end = 6;
        add(1, 1, "ours");
        Patience.until("the record is known", () -> {
            scheduling.work();
            return counts.known.get() == 1;
        });
        assertThat(counts.scheduled).hasValue(1);
        assertThat(offsets.committable()).hasValue(2);
    }

    @Test
    void whatWasGivenAwayIsForgottenAndGivesItsPlaceBack() {
        open(10);
        held.hold(request -> true);
        add(30, 1);
        scheduling.work();
        offsets.giveAway();
        held.letGo();
        Patience.until("nothing is under way", () -> {
            scheduling.work();
            return !scheduling.isBusy() && scheduling.hasRoom();
        });
        assertThat(counts.scheduled).hasValue(0);
        assertThat(offsets.committable()).isEmpty();
    }

    @Test
    void whatWasGivenAwayGivesItsMemoryBackAlsoBehindAnotherOfItsKey() {
        open(500);
        held.hold(request -> true);
        add(1, 1, "k");
        add(40, 1_000_000, "k");
        scheduling.work();
        assertThat(held.held()).as("one after the other").isEqualTo(1);
        assertThat(scheduling.hasRoom()).isFalse();
        offsets.giveAway();
        held.letGo();
        Patience.until("there is room again", () -> {
            scheduling.work();
            return !scheduling.isBusy() && scheduling.hasRoom();
        });
        assertThat(counts.scheduled).hasValue(0);
    }

    @Test
    void recordThatCannotBeRefusedIsNoTroubleAnyMoreWhenItWasGivenAway() {
        open(10);
        add(1, 1, "");
        Patience.until("the record cannot be refused", () -> {
            scheduling.work();
            return scheduling.trouble() != null;
        });
        assertThat(scheduling.trouble()).startsWith("a record cannot be refused: topic tickwheel.refused: ");
        offsets.giveAway();
        Patience.until("the record is forgotten", () -> {
            scheduling.work();
            return scheduling.trouble() == null;
        });
        assertThat(counts.refused).hasValue(0);
        assertThat(scheduling.hasRoom()).isTrue();
    }
}
