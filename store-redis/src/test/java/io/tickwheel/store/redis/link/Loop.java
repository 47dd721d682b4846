package io.tickwheel.store.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.Servers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A loop with a link, turned by the test. */
public final class Loop implements AutoCloseable {

    /** Longer than a busy machine takes. */
    static final Duration PATIENT = Duration.ofSeconds(10);

    static final Duration SHORT = Duration.ofMillis(800);

    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Appends to a list, and answers its length. */
    static final Script PUSH = script("push", "return redis.call('RPUSH', KEYS[1], ARGV[1])");

    static final Script LAST = script("last", "return redis.call('LINDEX', KEYS[1], -1)");

    final LettuceLink link;
    private final Semaphore wakes;

    private Loop(LettuceLink link, Semaphore wakes) {
        this.link = link;
        this.wakes = wakes;
    }

    static Loop open(RedisAddress address) {
        return open(address, PATIENT, PATIENT);
    }

    /**
     * @param timeout for replies
     * @param waitLimit for replicas
     */
    static Loop open(RedisAddress address, Duration timeout, Duration waitLimit) {
        Semaphore wakes = new Semaphore(0);
        return new Loop(
                LettuceLink.open(
                        Servers.of(address),
                        timeout,
                        waitLimit,
                        System::nanoTime,
                        ThreadLocalRandom.current()::nextLong,
                        wakes::release),
                wakes);
    }

    static Loop open(int port) {
        return open(RedisAddress.single("redis://127.0.0.1:" + port));
    }

    /** One that soon gives up. */
    static Loop impatient(int port) {
        return open(RedisAddress.single("redis://127.0.0.1:" + port), SHORT, SHORT);
    }

    /** A call whose reply is kept. */
    static final class Kept extends Call {

        Reply reply;
        private final List<? super Kept> control;

        Kept(int slot, Script script, String key, String argument, Durability level, List<? super Kept> control) {
            super(slot, script, bytes(key), bytes(argument), level);
            this.control = control;
        }

        Kept(int slot, Script script, List<String> keys) {
            super(slot, script, bytes(keys.toArray(String[]::new)), List.of(), Durability.MEMORY);
            this.control = new ArrayList<>();
        }

        Kept(int slot, String command, String... keys) {
            super(slot, command, bytes(keys), List.of());
            this.control = new ArrayList<>();
        }

        @Override
        public void answered(Reply answer) {
            assertThat(reply).isNull();
            reply = answer;
            control.add(this);
        }

        String argument() {
            return new String(arguments.get(0), StandardCharsets.UTF_8);
        }

        boolean is(Reply.Outcome outcome) {
            return reply != null && reply.outcome() == outcome;
        }

        @Override
        public String toString() {
            return String.valueOf(reply);
        }
    }

    static List<byte[]> bytes(String... texts) {
        List<byte[]> all = new ArrayList<>();
        for (String each : texts) {
            all.add(each.getBytes(StandardCharsets.UTF_8));
        }
        return all;
    }

    public static Script script(String name, String source) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
            return new Script(name, source, HexFormat.of().formatHex(hash));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static Kept push(int slot, String key, String argument, Durability level) {
        return new Kept(slot, PUSH, key, argument, level, new ArrayList<>());
    }

    /** Sends, without a flush. */
    Kept send(Kept call) {
        link.send(call);
        return call;
    }

    /** Sends and waits for the reply. */
    Reply call(Kept call) {
        send(call);
        link.flush();
        until(() -> call.reply != null);
        return call.reply;
    }

    /** Waits until the loop is woken by something that has come since it turned last, and turns it. */
    void turnWhenWoken() throws InterruptedException {
        assertThat(wakes.tryAcquire(LIMIT_NANOS, TimeUnit.NANOSECONDS)).isTrue();
        link.deliver(1_000);
        link.flush();
    }

    /** Turns the loop, when it is woken and as often as the link asks for, until something holds. */
    void until(BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT_NANOS;
        link.deliver(1_000);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("time to wait").isLessThan(end);
            try {
                var unused = wakes.tryAcquire(link.idleNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            wakes.drainPermits();
            link.deliver(1_000);
            link.flush();
        }
    }

    /** Calls again and again until one is done. */
    Reply untilDone(Supplier<Kept> calls) {
        Reply[] last = new Reply[1];
        until(() -> {
            if (last[0] == null || last[0].outcome() != Reply.Outcome.DONE) {
                last[0] = call(calls.get());
            }
            return last[0].outcome() == Reply.Outcome.DONE;
        });
        return last[0];
    }

    @Override
    public void close() {
        link.close();
    }
}
