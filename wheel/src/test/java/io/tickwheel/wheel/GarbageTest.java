package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a timer lets go of, and when. */
@Tag("races")
class GarbageTest {
    private static final long MS = 1_000_000;

    private final StrictTime time = new StrictTime(0);
    private final Queue<Runnable> executor = new ArrayDeque<>();
    private final WheelTimer timer =
            WheelTimer.builder().clock(time).driver(time).build();

    private record Scheduled(WeakReference<Runnable> task, Timeout timeout) {}

    private static Scheduled schedule(WheelTimer timer) {
        byte[] payload = new byte[100];
        Runnable task = () -> payload[0]++;
        return new Scheduled(new WeakReference<>(task), timer.schedule(task, Duration.ofMillis(1)));
    }

    private static Scheduled schedulePeriodic(WheelTimer timer) {
        byte[] payload = new byte[100];
        Runnable task = () -> payload[0]++;
        return new Scheduled(
                new WeakReference<>(task), timer.scheduleAtFixedRate(task, Duration.ofMillis(1), Duration.ofMillis(1)));
    }

    /** Collects garbage until the task is gone; a task that stays is an endless loop no sooner than the hundredth time. */
    private static void expectCollected(Scheduled scheduled) {
        for (int tries = 0; tries < 100 && scheduled.task.get() != null; tries++) {
            System.gc();
        }
        assertThat(scheduled.task.get()).as("task of %s", scheduled.timeout).isNull();
    }

    @Test
    void cancelledTaskIsNotReachable() {
        Scheduled scheduled = schedule(timer);
        assertThat(scheduled.timeout.cancel()).isTrue();
        expectCollected(scheduled);
        assertThat(scheduled.timeout.state()).isEqualTo(Timeout.State.CANCELLED);
    }

    @Test
    void taskThatHasRunIsNotReachable() {
        Scheduled scheduled = schedule(timer);
        time.advance(MS);
        expectCollected(scheduled);
        assertThat(scheduled.timeout.state()).isEqualTo(Timeout.State.STARTED);
    }

    @Test
    void periodicTaskThatWasCancelledIsNotReachable() {
        Scheduled scheduled = schedulePeriodic(timer);
        time.advance(5 * MS);
        assertThat(scheduled.task.get()).isNotNull();
        assertThat(scheduled.timeout.cancel()).isTrue();
        expectCollected(scheduled);
    }

    @Test
    void taskThatIsCancelledWhileItWaitsForAThreadIsNotReachable() {
        StrictTime ownTime = new StrictTime(0);
        WheelTimer busy = WheelTimer.builder()
                .clock(ownTime)
                .driver(ownTime)
                .executor(executor::add)
                .build();
        Scheduled scheduled = schedule(busy);
        ownTime.advance(MS);
        assertThat(executor).hasSize(1);
        assertThat(scheduled.timeout.cancel()).isTrue();
        expectCollected(scheduled);
    }

    @Test
    void taskOfAClosedTimerIsNotReachable() {
        Scheduled scheduled = schedule(timer);
        assertThat(timer.shutdownNow()).hasSize(1);
        expectCollected(scheduled);
    }

    /** Also those that are remembered to be fetched ahead, as nodes of a crowd are that has come down. */
    @Test
    void nodesOfAWheelThatWasClearedAreNotReachable() {
        HierarchicalWheel<WheelNode> wheel = new HierarchicalWheel<>(0);
        List<WeakReference<WheelNode>> nodes = new ArrayList<>();
        for (int i = 0; i < 3 * Level.CACHED; i++) {
            WheelNode node = new WheelNode() {};
            wheel.schedule(node, 10_000);
            nodes.add(new WeakReference<>(node));
        }
        int expired = 0;
        while (expired == 0) {
            expired = wheel.advance(10_000, 100, node -> {});
        }
        wheel.clear();
        for (int tries = 0; tries < 100 && isReachable(nodes); tries++) {
            System.gc();
        }
        assertThat(isReachable(nodes)).isFalse();
        // It has been reachable itself.
        assertThat(wheel.size()).isZero();
    }

    private static boolean isReachable(List<WeakReference<WheelNode>> nodes) {
        return nodes.stream().anyMatch(node -> node.get() != null);
    }

    @Test
    void millionsThatComeAndGoFitIntoASmallHeap() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx24m", "-cp", System.getProperty("java.class.path"), ComeAndGo.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("pending 0");
    }

    /** Two million timeouts that are cancelled, of which one in fifty is alive at a time; each is a waste of 80 bytes. */
    static final class ComeAndGo {
        private static final int TIMEOUTS = 2_000_000;

        public static void main(String[] args) {
            try (WheelTimer timer = WheelTimer.create()) {
                Timeout[] alive = new Timeout[TIMEOUTS / 50];
                for (int i = 0; i < TIMEOUTS; i++) {
                    byte[] payload = new byte[16];
                    Timeout before = alive[i % alive.length];
                    if (before != null) {
                        before.cancel();
                    }
                    Timeout timeout = timer.schedule(() -> payload[0]++, Duration.ofMinutes(1 + i % 60));
                    timeout.reschedule(Duration.ofHours(2));
                    alive[i % alive.length] = timeout;
                }
                for (Timeout timeout : alive) {
                    timeout.cancel();
                }
                System.out.println("pending " + timer.pending());
            }
        }
    }
}
