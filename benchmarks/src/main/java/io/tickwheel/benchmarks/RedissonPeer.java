package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.config.Config;

/**
 * Redisson's {@code RDelayedQueue} before a blocking queue, from which several threads take. An element is the key and the
 * payload of a timer: it has no other place for a key. What is taken is gone, there is nothing to acknowledge.
 */
@SuppressWarnings("deprecation") // It is deprecated for a class that is sold, and what there is otherwise.
final class RedissonPeer implements RedisNode {

    private static final String QUEUE = "orders";
    private static final int KEY_BYTES = RedisLoad.key(0).length();
    private static final long CLOSE_SECONDS = 10;

    private final RedissonClient client;
    private final RBlockingQueue<byte[]> due;
    private final RDelayedQueue<byte[]> delayed;
    private final ExecutorService takers;
    private final int takerCount;

    private RedissonPeer(RedissonClient client, int takerCount) {
        this.client = client;
        this.due = client.getBlockingQueue(QUEUE);
        this.delayed = client.getDelayedQueue(due);
        this.takers = Executors.newFixedThreadPool(takerCount);
        this.takerCount = takerCount;
    }

    static RedissonPeer open(RedisUnderTest redis, int takerCount) {
        Config config = new Config();
        config.setCodec(ByteArrayCodec.INSTANCE);
        config.useSingleServer().setAddress(redis.uri());
        return new RedissonPeer(Redisson.create(config), takerCount);
    }

    @Override
    public CompletionStage<?> schedule(long number, long dueAtMs) {
        byte[] element = ByteBuffer.allocate(KEY_BYTES + RedisLoad.PAYLOAD_BYTES)
                .put(RedisLoad.key(number).getBytes(US_ASCII))
                .put(RedisLoad.payload(number, dueAtMs))
                .array();
        return delayed.offerAsync(element, dueAtMs - System.currentTimeMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void deliverTo(HandledTimers handled) {
        for (int i = 0; i < takerCount; i++) {
            takers.execute(() -> take(handled));
        }
    }

    private void take(HandledTimers handled) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                byte[] element = due.take();
                byte[] payload = Arrays.copyOfRange(element, KEY_BYTES, element.length);
                handled.arrived(RedisLoad.number(payload), Instant.ofEpochMilli(RedisLoad.dueAtMs(payload)));
            }
        } catch (InterruptedException closing) {
            // The round is over: this taker just ends.
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void awaitAcknowledged() {
        // Taking is all there is.
    }

    @Override
    public long left() {
        return (long) delayed.size() + due.size();
    }

    @Override
    public void close() {
        takers.shutdownNow();
        try {
            if (!takers.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                System.out.println("    Redisson's takers have not ended");
            }
        } catch (InterruptedException e) {
            // Whoever ends this program does not wait for the takers; the client is closed next.
            Thread.currentThread().interrupt();
        }
        delayed.destroy();
        client.shutdown();
    }
}
