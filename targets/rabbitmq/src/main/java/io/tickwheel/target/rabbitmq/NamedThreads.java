package io.tickwheel.target.rabbitmq;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Daemon threads with a name and a number. */
final class NamedThreads implements ThreadFactory {

    private final String name;
    private final AtomicInteger count = new AtomicInteger();

    NamedThreads(String name) {
        this.name = name;
    }

    @Override
    @SuppressForbidden(reason = "the client of RabbitMQ blocks, so what calls it has threads of its own")
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }
}
