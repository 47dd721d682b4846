package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who waits for a lock, and comes when. */
@Tag("races")
final class StripeLockTest {

    private final StripeLock lock = new StripeLock() {};
    private final List<String> owners = Collections.synchronizedList(new ArrayList<>());

    /** A thread that waits in the queue of the lock, and keeps it until it may leave. */
    private final class Visitor {

        private final CountDownLatch mayLeave = new CountDownLatch(1);
        private final Thread thread;
        private volatile boolean interrupted;

        Visitor(String name) {
            thread = new Thread(() -> visit(name), name);
            thread.start();
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                assertThat(thread.getState()).isNotEqualTo(Thread.State.TERMINATED);
                Thread.onSpinWait();
            }
        }

        private void visit(String name) {
            lock.lock();
            try {
                owners.add(name);
                interrupted = Thread.interrupted();
                mayLeave.await();
                lock.unlockForOthers();
            } catch (Throwable thrown) {
                lock.locked = StripeLock.FREE;
                throw new AssertionError(thrown);
            }
        }

        void leave() throws InterruptedException {
            mayLeave.countDown();
            thread.join();
        }
    }

    private void awaitOwners(int count) {
        while (owners.size() < count) {
            Thread.onSpinWait();
        }
    }

    @Test
    void thoseWhoWaitGetTheLockInTheOrderInWhichTheyCame() throws InterruptedException {
        lock.lock();
        Visitor a = new Visitor("a");
        Visitor b = new Visitor("b");
        Visitor c = new Visitor("c");
        lock.unlockForOthers();
        awaitOwners(1);
        Visitor d = new Visitor("d");
        Visitor e = new Visitor("e");
        a.leave();
        awaitOwners(2);
        Visitor f = new Visitor("f");
        List<Visitor> others = List.of(b, c, d, e, f);
        others.forEach(next -> next.mayLeave.countDown());
        for (Visitor next : others) {
            next.leave();
        }
        assertThat(owners).containsExactly("a", "b", "c", "d", "e", "f");
    }

    @Test
    void interruptOfOneWhoWaitsIsKept() throws InterruptedException {
        lock.lock();
        Visitor a = new Visitor("a");
        a.thread.interrupt();
        lock.unlockForOthers();
        a.leave();
        assertThat(a.interrupted).isTrue();
    }
}
