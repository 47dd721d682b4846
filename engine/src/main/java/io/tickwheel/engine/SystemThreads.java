package io.tickwheel.engine;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Real threads: one per loop and per serial executor, all daemons; for handlers virtual ones where the JVM has them, else as
 * many as are needed. No thread is ever interrupted, because an interrupt closes the file that its thread writes.
 *
 * <p>A loop takes a turn at least every {@value #LONGEST_SLEEP_NANOS} ns: nobody tells it that the wall clock was stepped.
 */
@SuppressForbidden(reason = "this is where the engine's threads are made")
final class SystemThreads implements Threads {

    private static final Logger LOG = LoggerFactory.getLogger(SystemThreads.class);

    private static final long LONGEST_SLEEP_NANOS = 500_000_000;

    /** As many reads as a disk serves at once, and gets faster by. */
    private static final int READERS = 15;

    private final List<ExecutorService> executors = new ArrayList<>();
    private final List<Thread> loops = new ArrayList<>();
    private final ExecutorService handlers = handlerThreads();
    private final ExecutorService readers = readerThreads();

    @Override
    public synchronized Executor serial(String name) {
        ExecutorService executor = Executors.newSingleThreadExecutor(task -> daemon("tickwheel-" + name, task));
        executors.add(executor);
        return executor;
    }

    @Override
    public Executor handlers() {
        return handlers;
    }

    @Override
    public Executor readers() {
        return readers;
    }

    @Override
    public synchronized Running run(String name, Loop loop) {
        LoopThread running = new LoopThread(loop);
        Thread thread = daemon("tickwheel-" + name, running);
        running.thread = thread;
        loops.add(thread);
        thread.start();
        return running;
    }

    @Override
    public void close() {
        List<Thread> running;
        List<ExecutorService> serving;
        synchronized (this) {
            running = List.copyOf(loops);
            serving = List.copyOf(executors);
        }
        try {
            for (Thread thread : running) {
                if (thread != Thread.currentThread()) {
                    thread.join();
                }
            }
            handlers.shutdown();
            readers.shutdown();
            serving.forEach(ExecutorService::shutdown);
            for (ExecutorService executor : serving) {
                if (!executor.awaitTermination(1, TimeUnit.SECONDS)) {
                    LOG.debug("A thread of the engine is still busy, or is the one that closes it");
                }
            }
        } catch (InterruptedException e) {
            // Whoever closes waits no longer. The threads are daemons, and do not keep the process.
            Thread.currentThread().interrupt();
        }
    }

    private static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** None while nothing is to be read. */
    private static ExecutorService readerThreads() {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                READERS,
                READERS,
                1,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> daemon("tickwheel-read", task));
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** Virtual threads are not in the language level that this is compiled for. */
    private static ExecutorService handlerThreads() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            return Executors.newCachedThreadPool(task -> daemon("tickwheel-handler", task));
        }
    }

    /**
     * Parks between turns. The flag closes the gap between deciding to park and parking: whoever wakes sets it first, and the
     * loop looks at it last.
     */
    private static final class LoopThread implements Running, Runnable {

        private static final int RUNNING = 0;
        private static final int PARKED = 1;
        private static final int WOKEN = 2;

        private final Loop loop;
        private final AtomicInteger state = new AtomicInteger(RUNNING);
        private volatile Thread thread;

        LoopThread(Loop loop) {
            this.loop = loop;
            this.thread = Thread.currentThread();
        }

        @Override
        public void run() {
            while (true) {
                state.set(RUNNING);
                long waitNanos = loop.turn();
                if (waitNanos == Loop.DONE) {
                    return;
                }
                long gatherNanos = loop.gatherNanos();
                if (gatherNanos > 0) {
                    // Whoever wakes it now sees it running, and leaves it to the next turn.
                    LockSupport.parkNanos(this, gatherNanos);
                } else if (waitNanos > 0 && state.compareAndSet(RUNNING, PARKED)) {
                    LockSupport.parkNanos(this, Math.min(waitNanos, LONGEST_SLEEP_NANOS));
                }
            }
        }

        @Override
        public void wake() {
            if (state.get() != WOKEN && state.getAndSet(WOKEN) == PARKED) {
                LockSupport.unpark(thread);
            }
        }
    }
}
