package io.tickwheel.server;

import com.sun.management.UnixOperatingSystemMXBean;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TickwheelBuilder;
import io.tickwheel.engine.WhenFull;
import io.tickwheel.opentelemetry.AttemptSpans;
import io.tickwheel.server.access.Tokens;
import io.tickwheel.server.audit.AuditConfig;
import io.tickwheel.server.audit.AuditLog;
import io.tickwheel.server.cli.TickwheelCommand;
import io.tickwheel.server.config.EdgeConfig;
import io.tickwheel.server.config.EngineLimits;
import io.tickwheel.server.config.LogConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.http.AccessLog;
import io.tickwheel.server.http.Api;
import io.tickwheel.server.http.BodyBudget;
import io.tickwheel.server.http.Connections;
import io.tickwheel.server.http.Guard;
import io.tickwheel.server.http.Limits;
import io.tickwheel.server.http.RandomKeys;
import io.tickwheel.server.http.Readiness;
import io.tickwheel.server.http.Traffic;
import io.tickwheel.server.http.WatchedTransport;
import io.tickwheel.server.logs.LibraryLogs;
import io.tickwheel.server.targets.RunningAttempts;
import io.tickwheel.server.tls.ServerCertificate;
import io.tickwheel.server.tls.TlsFiles;
import io.tickwheel.server.wire.TargetKinds;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFormatException;
import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.NoSuchFileException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server: the HTTP edge on one event loop, the targets and the engine on threads of their own. The port is open before
 * the timers are read, so that a load balancer sees a server that lives and is not ready yet. For one start and one stop.
 */
final class Server {

    private static final Logger LOG = LoggerFactory.getLogger(Server.class);
    private static final int EVENT_LOOPS = 1;

    /** So many times the attempts may be connections to receivers, kept ones among them; clients may have half of the files that may be open. */
    private static final int FILES_OF_ATTEMPT = 8;

    private final ServerConfig config;
    private final TargetKinds kinds;
    private final Vertx vertx;
    private final Clock clock;
    private final Readiness readiness = new Readiness();
    private final RunningAttempts attempts = new RunningAttempts();
    private final int attemptsInAll;
    private final OpenKinds open;
    private final MetricsPage metrics;
    private final RandomKeys keys;
    private final Tokens tokens;
    private final @Nullable ServerCertificate certificate;
    private final @Nullable AuditLog audit;
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> stopped = new CompletableFuture<>();
    private final CompletableFuture<Tickwheel> engine = new CompletableFuture<>();

    /** Complete when the start is not refused any more on account of tokens; timers wait for it. */
    private final CompletableFuture<@Nullable Void> admitted = new CompletableFuture<>();

    private volatile @Nullable HttpServer http;
    private volatile @Nullable AttemptSpans spans;
    private boolean toldLeftOpen;

    /**
     * @param kinds all of them are opened
     * @param random 64 random bits at each call, from any thread
     */
    Server(ServerConfig config, TargetKinds kinds, Clock clock, LongSupplier random) {
        this.config = config;
        this.kinds = kinds.configured(config.targetOptions());
        this.clock = clock;
        this.metrics = new MetricsPage(clock);
        this.attemptsInAll = attemptsInAll(config.limits().attemptsInAll(), openFilesLeft());
        this.open = new OpenKinds(this.kinds, config, attemptsInAll, metrics, clock, random);
        this.keys = new RandomKeys(random);
        this.tokens =
                new Tokens(clock, random, config.edge().admin(), config.edge().insecure());
        TlsFiles tls = config.edge().tls();
        this.certificate = tls == null ? null : new ServerCertificate(tls, clock);
        VertxOptions options = new VertxOptions()
                .setEventLoopPoolSize(EVENT_LOOPS)
                .setFileSystemOptions(new FileSystemOptions()
                        .setClassPathResolvingEnabled(false)
                        .setFileCachingEnabled(false));
        this.vertx = Vertx.builder()
                .with(options)
                .withTransport(new WatchedTransport(Limits.HEAD_MS, connections()))
                .build();
        AuditConfig audited = config.edge().audit();
        this.audit = audited == null ? null : new AuditLog(audited, vertx, clock);
    }

    /**
     * Opens the port and, meanwhile, the targets, which blocks until they are open; then the store.
     *
     * @return the port, when the server is ready; or a {@link StartException}
     */
    CompletableFuture<Integer> start() {
        Future<Context> listening = deployed(this::listen);
        // Here and not on a thread of Vert.x: a target may have a Vert.x of its own.
        try {
            open.targets();
        } catch (StartException e) {
            engine.completeExceptionally(e);
            open.closeTargets();
            return CompletableFuture.failedFuture(e);
        }
        Future<Integer> started = listening
                .compose(api -> vertx.executeBlocking(() -> open(api)).compose(timers -> withTokens(api, timers)))
                .compose(timers -> vertx.executeBlocking(() -> open.sources(timers)))
                .compose(Server::withSettings)
                .onComplete(engine::complete, failure -> {
                    engine.completeExceptionally(failure);
                    open.closeTargets();
                })
                .map(timers -> {
                    readiness.opened(timers);
                    open.prepareTargets();
                    return port();
                });
        return started.toCompletionStage().toCompletableFuture();
    }

    /** Waits until it is known what is set of queues, so that no request is refused for that right after the start, or until the store cannot say so. */
    private static Future<Tickwheel> withSettings(Tickwheel timers) {
        return Future.fromCompletionStage(timers.queues()).transform(known -> Future.succeededFuture(timers));
    }

    int port() {
        return Objects.requireNonNull(http).actualPort();
    }

    boolean hasStopped() {
        return stopped.isDone();
    }

    void awaitStop() {
        stopped.join();
    }

    /**
     * Is not ready from now on, lets running attempts end, closes the store and then the port. Blocks until that is done; not
     * to be called on an event loop. Idempotent.
     *
     * @param reason for the log
     */
    void stop(String reason) {
        if (stopping.getAndSet(true)) {
            stopped.join();
            return;
        }
        readiness.draining();
        LOG.info(
                "stopping, because of {}; attempts that are running: {}, and have {} to end",
                reason,
                attempts.count(),
                config.drainTimeout());
        try {
            engine.thenAccept(opened -> open.closeSources())
                    .thenCompose(closed -> engine.thenCompose(Tickwheel::closeAsync))
                    .join();
            int left = attempts.count();
            if (left == 0) {
                LOG.info("drained, no attempt is running");
            } else {
                LOG.info(
                        "not drained, attempts that are running after {}: {}; they are made again",
                        config.drainTimeout(),
                        left);
            }
        } catch (CompletionException e) {
            // An engine that did not open has nothing to close, and the start has told why.
            if (!engine.isCompletedExceptionally()) {
                LOG.error("the engine did not close cleanly", e);
            }
        }
        open.closeTargets();
        AttemptSpans opened = spans;
        if (opened != null) {
            opened.close();
        }
        if (audit != null) {
            audit.close().join();
        }
        vertx.close().toCompletionStage().toCompletableFuture().join();
        LOG.info("stopped");
        stopped.complete(null);
    }

    private Future<Context> deployed(Function<Context, Future<?>> begin) {
        Promise<Context> deployed = Promise.promise();
        Deployable deployable = context -> begin.apply(context).onSuccess(begun -> deployed.complete(context));
        vertx.deployVerticle(deployable).onFailure(deployed::fail);
        return deployed.future();
    }

    private Future<?> listen(Context context) {
        HttpServerOptions options;
        try {
            openAudit();
            options = options();
        } catch (StartException e) {
            return Future.failedFuture(e);
        }
        long heapBytes = Runtime.getRuntime().maxMemory();
        Guard guard = new Guard(tokens, config.edge().openMetrics(), audit, clock);
        LogConfig log = config.log();
        Traffic traffic = new Traffic(
                metrics::refused, metrics::broken, log.hasAccess() ? new AccessLog(log.isJson(), clock) : null);
        Api api = new Api(vertx, readiness, metrics::scrape, keys, BodyBudget.ofHeap(heapBytes), kinds, guard, traffic);
        return vertx.createHttpServer(options)
                .exceptionHandler(cause -> traffic.broken(Traffic.Break.HANDSHAKE, cause))
                .connectionHandler(traffic::opened)
                .requestHandler(api::handle)
                .invalidRequestHandler(api::handleUnreadable)
                .listen()
                .onSuccess(this::listening)
                .recover(failure -> Future.failedFuture(new StartException(
                        "cannot listen on " + config.host() + ":" + config.port() + ": " + reason(failure), failure)));
    }

    private Connections connections() {
        int all = BodyBudget.connections(Runtime.getRuntime().maxMemory(), openFilesLeft());
        Integer perAddress = config.edge().connectionsPerAddress();
        return new Connections(all, perAddress == null ? Math.max(1, all / 2) : perAddress, clock);
    }

    /** Receivers that never answer would keep a connection for each attempt, until there were none for clients and no file for the store. */
    private static int attemptsInAll(int wanted, long openFilesLeft) {
        int most = (int) Math.max(1, Math.min(wanted, openFilesLeft / FILES_OF_ATTEMPT));
        if (most < wanted) {
            LOG.warn(
                    "at most {} attempts run at once, and not {} as limits.attemptsInAll has it: the process may open {} files more, of which they may have an eighth",
                    most,
                    wanted,
                    openFilesLeft);
        }
        return most;
    }

    private static long openFilesLeft() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount() - unix.getOpenFileDescriptorCount()
                : Long.MAX_VALUE;
    }

    private void openAudit() {
        if (audit != null) {
            try {
                audit.open(TickwheelCommand.version());
            } catch (IOException e) {
                throw new StartException("cannot write the audit log: " + fileReason(e), e);
            }
        }
    }

    private HttpServerOptions options() {
        HttpServerOptions options = new HttpServerOptions()
                .setHost(config.host())
                .setPort(config.port())
                .setIdleTimeout(Limits.IDLE_SECONDS)
                .setSslHandshakeTimeout(Limits.HEAD_MS)
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                .setMaxInitialLineLength(Limits.REQUEST_LINE)
                .setMaxHeaderSize(Limits.HEADERS)
                .setHandle100ContinueAutomatically(false)
                .setHttp2ClearTextEnabled(false)
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false);
        if (certificate != null) {
            try {
                certificate.apply(options);
            } catch (IOException e) {
                throw new StartException("cannot read the files of tls: " + fileReason(e), e);
            } catch (IllegalArgumentException e) {
                throw new StartException("cannot use the files of tls: " + reason(e), e);
            }
        }
        return options;
    }

    private void listening(HttpServer listening) {
        http = listening;
        if (certificate != null) {
            certificate.watch(vertx, listening);
        }
        String host = config.host();
        boolean isAsked = tokens.isAsked();
        if (config.edge().tlsElsewhere()) {
            LOG.info("tls is terminated-elsewhere: what is before this server must be the only one who reaches it");
        }
        if (config.edge().insecure()) {
            LOG.warn("insecure is true: others may reach this server without tokens, and without TLS");
        }
        if (!isAsked && !EdgeConfig.isLoopback(host)) {
            LOG.warn("listening on {}: everybody who reaches it can schedule and cancel, there is no login", host);
        }
    }

    /** Reads the tokens, before anything is delivered and the server is ready, and looks at them from then on. */
    private Future<Tickwheel> withTokens(Context api, Tickwheel timers) {
        Promise<Tickwheel> loaded = Promise.promise();
        api.runOnContext(turn -> {
            var unused = tokens.look(timers).whenComplete((done, failure) -> {
                boolean isOpen = tokens.areLeftOpen();
                if (failure == null && !isOpen) {
                    vertx.setPeriodic(Tokens.LOOK_MS, id -> look(timers));
                    admitted.complete(null);
                    loaded.complete(timers);
                    return;
                }
                StartException refusal = isOpen
                        ? new StartException(Guard.LEFT_OPEN)
                        : new StartException("cannot read the tokens: " + reason(failure), failure);
                var unusedToo = timers.closeAsync().whenComplete((closed, unclean) -> loaded.fail(refusal));
            });
        });
        return loaded.future();
    }

    private void look(Tickwheel timers) {
        var unused = tokens.look(timers).whenComplete((done, failure) -> {
            if (tokens.areLeftOpen() && !toldLeftOpen) {
                toldLeftOpen = true;
                LOG.error("calls are refused: {}", Guard.LEFT_OPEN);
            }
        });
    }

    /** Runs on a worker thread: reading the store back takes as long as it takes. */
    private Tickwheel open(Context api) {
        EngineLimits limits = config.limits();
        TickwheelBuilder builder = Tickwheel.builder(config.store().store())
                .clock(clock)
                .answers(task -> api.runOnContext(turn -> task.run()))
                .listener(metrics.timers())
                .retry(config.retry())
                .whenFull(WhenFull.REFUSE)
                .drainTimeout(config.drainTimeout())
                .attemptsPerQueue(limits.attemptsPerQueue())
                .attemptsInAll(attemptsInAll)
                .deadTimers(limits.deadFor(), limits.deadPerQueue())
                .deliverAfter(admitted);
        open.eachTarget((name, target) -> builder.target(name, attempts.of(target)));
        Long attemptBytes = limits.attemptBytes();
        if (attemptBytes != null) {
            builder.attemptBytes(attemptBytes);
        }
        Long loadedBytes = limits.loadedBytes();
        if (loadedBytes != null) {
            builder.loadedBytes(loadedBytes);
        }
        config.queues().forEach(builder::queue);
        if (config.hasTraces()) {
            builder.listener(openSpans());
        }
        try {
            Tickwheel timers = builder.open();
            metrics.timers().watch(timers);
            return timers;
        } catch (StoreCorruptedException | StoreFormatException e) {
            throw new StartException(cannotOpen(e), StartException.DATA_ERROR, e);
        } catch (StoreException e) {
            throw new StartException(cannotOpen(e), e);
        }
    }

    private AttemptSpans openSpans() {
        try {
            LibraryLogs.join();
            AttemptSpans opened = AttemptSpans.configured();
            spans = opened;
            return opened;
        } catch (IllegalArgumentException e) {
            throw new StartException(reason(e), e);
        }
    }

    private String cannotOpen(StoreException e) {
        return "cannot open " + config.store().place() + ": " + reason(e);
    }

    private static String fileReason(IOException failure) {
        return failure instanceof NoSuchFileException
                ? reason(failure) + ", there is no such file or directory"
                : failure.toString();
    }

    static String reason(Throwable failure) {
        String message = failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : message;
    }
}
