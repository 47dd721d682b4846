package io.tickwheel.modules;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisTimerStore;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.wheel.WheelTimer;
import io.tickwheel.wheel.netty.NettyWheelTimer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Uses a bit of each module that a program may embed; ends in an exception if one of them does not work. */
final class ModuleUser {

    private static final long LIMIT_SECONDS = 30;

    private ModuleUser() {}

    /** {@code args} are a directory for the store on files and the URL of a Redis. */
    public static void main(String[] args) throws InterruptedException {
        deliver(FileTimerStore.in(Path.of(args[0])));
        deliver(RedisTimerStore.at(RedisAddress.single(args[1])).withPartitions(4));
        expire(new NettyWheelTimer());
        driveByHand();
        recur();
    }

    private static void deliver(TimerStore store) throws InterruptedException {
        CountDownLatch delivered = new CountDownLatch(1);
        try (Tickwheel timers = Tickwheel.open(store)) {
            timers.handle("q", attempt -> delivered.countDown());
            timers.schedule("q", "k", Duration.ofMillis(1), new byte[0]).join();
            await(delivered, store.toString());
        }
    }

    private static void expire(NettyWheelTimer timer) throws InterruptedException {
        CountDownLatch expired = new CountDownLatch(1);
        timer.newTimeout(timeout -> expired.countDown(), 1, TimeUnit.MILLISECONDS);
        await(expired, "Netty's timer");
        timer.stop();
    }

    private static void driveByHand() {
        ManualClock clock = new ManualClock();
        AtomicBoolean expired = new AtomicBoolean();
        try (WheelTimer timer = clock.timerBuilder().build()) {
            timer.schedule(() -> expired.set(true), 1, TimeUnit.SECONDS);
            clock.advance(Duration.ofSeconds(1));
        }
        if (!expired.get()) {
            throw new IllegalStateException("the manual clock expires nothing");
        }
    }

    private static void recur() {
        if (Recurrence.parse("cron @hourly; zone UTC").first(0).isEmpty()) {
            throw new IllegalStateException("nothing recurs");
        }
    }

    private static void await(CountDownLatch done, String what) throws InterruptedException {
        if (!done.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(what + " does nothing");
        }
    }
}
