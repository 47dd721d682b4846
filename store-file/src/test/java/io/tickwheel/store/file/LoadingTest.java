package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What is loaded, and when, against a map of all timers: from memtables only. */
class LoadingTest {

    private final QueueTable queues = new QueueTable();
    private final ChunkPool pool = new ChunkPool();
    private final List<String> told = new ArrayList<>();
    private final Map<Long, QueueTable.Queue> loaded = new HashMap<>();
    private final Set<Long> gone = new HashSet<>();
    private Loading loading = newLoading(16_384);
    private int nextNumber = 1;
    private long nextSeq = 1;
    private Memtable active;

    private Loading newLoading(int looks) {
        return new Loading(
                (shelf, ordinal, seq, dueAtMs, queue) -> {
                    assertThat(loaded.put(seq, queue)).as("loaded twice").isNull();
                    queue.loaded++;
                    told.add(queue.name + "@" + dueAtMs);
                },
                gone::contains,
                looks);
    }

    private void newMemtable() {
        active = new Memtable(nextNumber++, pool, queues);
        loading.add(active);
    }

    private long add(String queue, long dueAtMs) {
        byte[] name = queue.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        long seq = nextSeq++;
        QueueTable.Queue known = queues.get(queue);
        TimerRecord record =
                new TimerRecord(seq, dueAtMs, 0, seq, 1, 0, 0, false, name, new byte[] {1}, TimerRecord.NO_CONTENT);
        int ordinal = active.add(record, seq, known);
        loading.offer(active, ordinal, seq, dueAtMs, known);
        return seq;
    }

    /** The loaded timers of a queue are claimed. */
    private void claim(String queue) {
        loaded.values().stream().filter(each -> each.name.equals(queue)).forEach(each -> each.loaded = 0);
    }

    @Test
    void timersAreLoadedInOrderUpToTheGivenTime() {
        newMemtable();
        add("q", 30);
        add("q", 10);
        newMemtable();
        add("q", 20);
        assertThat(loading.load(10, 10, 10, 10)).isTrue();
        assertThat(told).isEmpty();
        assertThat(loading.load(25, 25, 10, 10)).isTrue();
        assertThat(told).containsExactly("q@10", "q@20");
        assertThat(loading.loadedTo()).isEqualTo(25);
        add("q", 24);
        assertThat(told).as("within the loaded range").containsExactly("q@10", "q@20", "q@24");
    }

    @Test
    void queueWithABacklogLeavesRoomForOthers() {
        newMemtable();
        for (int i = 0; i < 100; i++) {
            add("bulk", i);
        }
        add("late", 200);
        assertThat(loading.load(1_000, 1_000, 20, 10)).isFalse();
        assertThat(told).filteredOn(timer -> timer.startsWith("bulk")).hasSizeBetween(1, 10);
        assertThat(told).contains("late@200");
    }

    @Test
    void backlogTakesTurnsWithFreshTimersOfItsOwnQueue() {
        newMemtable();
        for (int i = 0; i < 100; i++) {
            add("bulk", i);
        }
        loading.load(1_000, 1_000, 20, 10);
        claim("bulk");
        told.clear();
        add("bulk", 1_500);
        assertThat(loading.load(2_000, 2_000, 20, 10)).isFalse();
        assertThat(told).contains("bulk@1500").hasSizeGreaterThan(1);
    }

    @Test
    void nothingIsLeftBehindInTheMillisecondWhereTheMergeStands() {
        loading = newLoading(8);
        newMemtable();
        for (int i = 0; i < 30; i++) {
            add(i < 12 ? "bulk" : "other", 5);
        }
        loading.load(10, 10, 40, 2);
        claim("bulk");
        for (int turn = 0; turn < 100; turn++) {
            loading.load(10, 10, 40, 40);
            claim("bulk");
            claim("other");
        }
        assertThat(told).hasSize(30);
    }

    @Test
    void whatIsGoneIsPassed() {
        newMemtable();
        gone.add(add("q", 5));
        add("q", 6);
        assertThat(loading.load(10, 10, 10, 10)).isTrue();
        assertThat(told).containsExactly("q@6");
    }

    @Test
    void firstTimerInYearsDoesNotMakeAllBeforeItLoadEarly() {
        newMemtable();
        add("q", 1_000_000);
        loading.startAt(1_000_000);
        assertThat(loading.load(0, 100, 10, 10)).isTrue();
        add("q", 5_000);
        assertThat(told).isEmpty();
        assertThat(loading.loadedTo()).isEqualTo(100);
    }

    @Test
    void everyTimerOfRandomCoursesIsLoadedOnce() {
        for (long seed = 0; seed < 500; seed++) {
            new LoadingTest().course(new SplittableRandom(seed));
        }
    }

    private void course(SplittableRandom random) {
        loading = newLoading(1 + random.nextInt(20));
        newMemtable();
        TreeMap<Long, Long> live = new TreeMap<>();
        long nowMs = 0;
        for (int i = 0; i < 300; i++) {
            switch (random.nextInt(6)) {
                case 0, 1, 2 -> {
                    long dueAtMs = nowMs + random.nextInt(20) - 5;
                    live.put(add("q" + random.nextInt(3), dueAtMs), dueAtMs);
                }
                case 3 -> {
                    nowMs += random.nextInt(6);
                    load(nowMs, random);
                    long toMs = loading.loadedTo();
                    live.forEach((seq, due) -> assertThat(loaded.containsKey(seq) || due >= toMs)
                            .as("due %d, loaded to %d", due, toMs)
                            .isTrue());
                }
                case 4 -> claim("q" + random.nextInt(3));
                default -> {
                    if (random.nextInt(10) == 0) {
                        newMemtable();
                    }
                }
            }
        }
        for (int turn = 0; turn < 3_000 && !load(nowMs + 100, random); turn++) {
            for (int queue = 0; queue < 3; queue++) {
                claim("q" + queue);
            }
        }
        assertThat(loaded.keySet()).isEqualTo(live.keySet());
    }

    private boolean load(long nowMs, SplittableRandom random) {
        return loading.load(nowMs, nowMs + random.nextInt(3), 1 + random.nextInt(8), 1 + random.nextInt(8));
    }
}
