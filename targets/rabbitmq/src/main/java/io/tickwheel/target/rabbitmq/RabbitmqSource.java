package io.tickwheel.target.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Source;
import io.tickwheel.engine.SourceCounts;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Scheduled;
import io.tickwheel.target.message.RefusalLog;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes messages in, schedules a timer of each, and acknowledges the message when its timer is durable. What cannot be scheduled for the moment stays unacknowledged and is
 * tried again; what never can be goes to the queue for refused messages, and is acknowledged when that is confirmed. Everything runs on one thread, so that messages of one
 * key are scheduled in their order.
 */
final class RabbitmqSource implements Source {

    private static final Logger LOG = LoggerFactory.getLogger(RabbitmqSource.class);
    static final String THREADS = "tickwheel-rabbitmq-source";
    private static final String CLOSED = "is closed";
    private static final long RECONNECT_MS = 1_000;
    private static final long AGAIN_MS = 500;
    private static final long REFUSAL_TIMEOUT_MS = 5_000;
    private static final int ABORT_MS = 500;

    private final ConnectionFactory factory;
    private final String place;
    private final SourceSettings settings;
    private final Clock clock;
    private final LongSupplier random;
    private final Tickwheel timers;
    private final RefusalLog refusalLog;
    private final ScheduledThreadPoolExecutor worker =
            new ScheduledThreadPoolExecutor(1, new NamedThreads(THREADS + "-work"));
    private final AtomicLong scheduled = new AtomicLong();
    private final AtomicLong known = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong postponed = new AtomicLong();

    /** Whether no queue has taken the refused message that is being confirmed: the broker confirms it all the same, behind that word. */
    private final AtomicBoolean untaken = new AtomicBoolean();

    private volatile @Nullable String unready = "is connecting";
    private volatile @Nullable Connection connection;
    private volatile boolean closed;

    /** @param factory makes connections, which have threads of the name {@value #THREADS} */
    RabbitmqSource(
            ConnectionFactory factory, SourceSettings settings, Clock clock, LongSupplier random, Tickwheel timers) {
        this.factory = factory;
        this.place = BrokerOptions.place(factory);
        this.settings = settings;
        this.clock = clock;
        this.random = random;
        this.timers = timers;
        this.refusalLog = new RefusalLog(clock, LOG::warn);
    }

    void start() {
        worker.execute(this::connect);
    }

    @Override
    public Optional<String> unready() {
        return Optional.ofNullable(unready);
    }

    @Override
    public SourceCounts counts() {
        return new SourceCounts(scheduled.get(), known.get(), refused.get(), postponed.get());
    }

    /** Does not wait for a connection that is being opened: it is closed as soon as it is there. */
    @Override
    public void close() {
        closed = true;
        unready = CLOSED;
        worker.shutdownNow();
        Connection open = connection;
        if (open != null) {
            open.abort(ABORT_MS);
        }
    }

    private void connect() {
        Connection open = null;
        try {
            open = factory.newConnection();
            connection = open;
            Topology.make(open, settings);
            Channel channel = open.createChannel();
            Channel refusals = open.createChannel();
            refusals.confirmSelect();
            refusals.addReturnListener(returned -> untaken.set(true));
            channel.basicQos(settings.prefetch());
            channel.basicConsume(settings.queue(), false, new Consumer(channel, refusals));
            unready = null;
            LOG.info("takes messages in from the queue {} of {}", settings.queue(), place);
        } catch (IOException | TimeoutException | RuntimeException | Error e) {
            // Whatever it is, nobody else tries again.
            lost(open, "the broker " + place + " is away: " + Broker.reason(e));
        }
        if (closed && open != null) {
            // Whoever closed it may have come before the connection was there.
            unready = CLOSED;
            open.abort(ABORT_MS);
        }
    }

    /** Begins anew, a little later: messages that were not acknowledged come again. */
    private void lost(@Nullable Connection gone, String reason) {
        synchronized (this) {
            if (closed || gone != connection) {
                // Its end was told before, by another of its channels.
                return;
            }
            connection = null;
        }
        if (gone != null) {
            gone.abort(ABORT_MS);
        }
        if (!reason.equals(unready)) {
            LOG.warn("takes no messages in: {}", reason);
        }
        unready = reason;
        try {
            var unused = worker.schedule(this::connect, RECONNECT_MS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed while it connected", e);
        }
    }

    private final class Consumer extends DefaultConsumer {

        private final Channel refusals;

        Consumer(Channel channel, Channel refusals) {
            super(channel);
            this.refusals = refusals;
        }

        @Override
        public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body) {
            InboundMessage message = new InboundMessage(envelope, properties, body, clock.now());
            try {
                worker.execute(() -> take(message, message.hasOwnKey() && !envelope.isRedeliver()));
            } catch (RejectedExecutionException e) {
                LOG.debug("closed while a message came", e);
            }
        }

        @Override
        public void handleCancel(String tag) {
            lost(getChannel().getConnection(), "the queue " + settings.queue() + " is gone");
        }

        @Override
        public void handleShutdownSignal(String tag, ShutdownSignalException cause) {
            lost(getChannel().getConnection(), "the broker " + place + " was lost: " + Broker.reason(cause));
        }

        private void take(InboundMessage message, boolean replaces) {
            if (!getChannel().isOpen()) {
                return;
            }
            CompletableFuture<Scheduled> answer;
            try {
                TimerRequest request =
                        message.request(settings.timerQueue(), settings.exchanges(), this::newKey, replaces);
                answer = timers.schedule(request);
            } catch (RuntimeException | Error e) {
                failed(message, replaces, e);
                return;
            }
            var unused = answer.whenCompleteAsync(
                    (done, failure) -> {
                        if (failure == null) {
                            settle(message, done);
                        } else {
                            failed(message, replaces, failure);
                        }
                    },
                    worker);
        }

        private String newKey() {
            return String.format(Locale.ROOT, "%016x%016x", random.getAsLong(), random.getAsLong());
        }

        private void settle(InboundMessage message, Scheduled done) {
            if (done.outcome() != Scheduled.Outcome.KEPT) {
                scheduled.incrementAndGet();
                acknowledge(message);
            } else if (done.requestHash() == message.hash()) {
                known.incrementAndGet();
                acknowledge(message);
            } else if (message.hasOwnKey()) {
                // It may have come before, and was not the last one under its key: so it never became a timer.
                take(message, true);
            } else {
                refuse(message, "message-id is that of another message, must be its own");
            }
        }

        private void failed(InboundMessage message, boolean replaces, Throwable failure) {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            if (cause instanceof IllegalArgumentException) {
                refuse(message, Broker.reason(cause));
            } else {
                LOG.debug("a message cannot be scheduled at the moment", cause);
                again(() -> take(message, replaces));
            }
        }

        private void refuse(InboundMessage message, String reason) {
            if (!getChannel().isOpen()) {
                return;
            }
            Connection open = getChannel().getConnection();
            try {
                BasicProperties kept = message.refused(reason, open.getFrameMax());
                untaken.set(false);
                refusals.basicPublish("", settings.refusedQueue(), true, kept, message.body);
                refusals.waitForConfirmsOrDie(REFUSAL_TIMEOUT_MS);
                if (untaken.get()) {
                    throw new IOException("the queue " + settings.refusedQueue() + " is gone");
                }
            } catch (IOException | TimeoutException | RuntimeException | Error e) {
                // Never dropped: the message comes again with the next connection.
                lost(open, "a message cannot be refused: " + Broker.reason(e));
                return;
            } catch (InterruptedException e) {
                // The source closes: the message was not acknowledged, and comes again.
                Thread.currentThread().interrupt();
                return;
            }
            refused.incrementAndGet();
            refusalLog.say("refused a message, which is in the queue " + settings.refusedQueue() + " now: " + reason);
            acknowledge(message);
        }

        private void again(Runnable step) {
            postponed.incrementAndGet();
            try {
                var unused = worker.schedule(step, AGAIN_MS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                LOG.debug("closed while a message waited", e);
            }
        }

        private void acknowledge(InboundMessage message) {
            try {
                getChannel().basicAck(message.envelope.getDeliveryTag(), false);
            } catch (IOException | ShutdownSignalException e) {
                // The message comes again, and is known then.
                LOG.debug("a message could not be acknowledged", e);
            } catch (Error e) {
                // It may have been sent in part, and the message would take room until the connection ends.
                lost(getChannel().getConnection(), "a message cannot be acknowledged: " + Broker.reason(e));
            }
        }
    }
}
