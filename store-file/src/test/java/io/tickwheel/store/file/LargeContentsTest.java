package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that look at contents are many times larger on their way back than when they were given: far more of them wait than fit into a small heap. */
class LargeContentsTest {

    private static final int TIMERS = 80;

    @TempDir
    Path directory;

    @Test
    void manyThatAreLookedAtTogetherFitIntoASmallHeap() throws Exception {
        String printed =
                ChildJvm.run(Toucher.class, List.of("-Xmx64m", "-XX:+ExitOnOutOfMemoryError"), directory.toString());
        assertThat(printed.strip()).endsWith(TIMERS + " touched, " + TIMERS + " read");
    }

    /** A consumer may work for an hour on each of a million. */
    @Test
    void contentsOfWhatIsLeasedAreNotKept() throws Exception {
        String printed =
                ChildJvm.run(Consumer.class, List.of("-Xmx64m", "-XX:+ExitOnOutOfMemoryError"), directory.toString());
        assertThat(printed.strip()).endsWith(TIMERS + " leased, " + TIMERS + " again with their contents");
    }

    /** What leases all, gives all of them back as failed, and leases them again. */
    static final class Consumer {

        private Consumer() {}

        public static void main(String... arguments) {
            try (Tickwheel timers = Tickwheel.open(FileTimerStore.in(Path.of(arguments[0])))) {
                byte[] payload = new byte[1 << 20];
                for (int i = 0; i < TIMERS; i++) {
                    timers.schedule(TimerRequest.after("q", "k" + i, Duration.ZERO)
                                    .withPayload(payload))
                            .join();
                }
                List<String> leased = new ArrayList<>();
                while (leased.size() < TIMERS) {
                    lease(timers).forEach(lease -> leased.add(lease.id()));
                }
                for (String lease : leased) {
                    timers.nack(lease, Duration.ZERO, "again").join();
                }
                int seen = 0;
                int again = 0;
                while (seen < TIMERS) {
                    for (Lease lease : lease(timers)) {
                        seen++;
                        again += lease.attempt().payload().length == payload.length ? 1 : 0;
                        timers.acknowledge(lease.id()).join();
                    }
                }
                System.out.println(leased.size() + " leased, " + again + " again with their contents");
            }
        }

        private static List<Lease> lease(Tickwheel timers) {
            return timers.lease(LeaseRequest.of("q")
                            .withWait(Duration.ofSeconds(60))
                            .withTtl(Duration.ofHours(1)))
                    .join();
        }
    }

    /** What runs in the small heap. */
    static final class Toucher {

        private Toucher() {}

        public static void main(String... arguments) {
            try (Tickwheel timers = Tickwheel.open(FileTimerStore.in(Path.of(arguments[0])))) {
                byte[] payload = new byte[1 << 20];
                for (int i = 0; i < TIMERS; i++) {
                    timers.schedule(TimerRequest.after("q", "k" + i, Duration.ofHours(1))
                                    .withPayload(payload)
                                    .withTouchable())
                            .join();
                }
                List<CompletableFuture<?>> touched = new ArrayList<>();
                List<CompletableFuture<Boolean>> read = new ArrayList<>();
                for (int i = 0; i < TIMERS; i++) {
                    touched.add(timers.touch("q", "k" + i));
                    read.add(timers.read("q", "k" + i)
                            .thenApply(found -> found.orElseThrow().content() != null));
                }
                touched.forEach(CompletableFuture::join);
                long found = read.stream().filter(CompletableFuture::join).count();
                System.out.println(touched.size() + " touched, " + found + " read");
            }
        }
    }
}
