package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Quartz on PostgreSQL, with its own tables: one job that is kept, and a trigger for each timer, taken in batches. */
final class QuartzPeer implements Peer {

    private static final String TABLES = "/org/quartz/impl/jdbcjobstore/tables_postgres.sql";
    private static final String PAYLOAD = "payload";
    private static final String RECEIVER = "receiver";
    private static final String POOL = "bench";
    private static final int THREADS = 20;

    private final PostgresServer server;
    private final HikariDataSource pool;
    private final Scheduler scheduler;
    private final JobDetail job =
            JobBuilder.newJob(Timer.class).withIdentity("timer").storeDurably().build();

    QuartzPeer(PostgresServer server, int connections) throws SchedulerException {
        this.server = server;
        this.pool = server.pool(connections + THREADS);
        DBConnectionManager.getInstance().addConnectionProvider(POOL, new Pooled(pool));
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "org.quartz.scheduler.instanceName", "bench",
                "org.quartz.scheduler.skipUpdateCheck", "true",
                "org.quartz.scheduler.batchTriggerAcquisitionMaxCount", Integer.toString(THREADS),
                "org.quartz.threadPool.threadCount", Integer.toString(THREADS),
                "org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX",
                "org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate",
                "org.quartz.jobStore.acquireTriggersWithinLock", "true",
                "org.quartz.jobStore.useProperties", "true",
                "org.quartz.jobStore.dataSource", POOL));
        scheduler = new StdSchedulerFactory(properties).getScheduler();
        scheduler.addJob(job, true);
    }

    /** The tables, as Quartz brings them. */
    static String tables() throws IOException {
        try (InputStream in = Objects.requireNonNull(QuartzPeer.class.getResourceAsStream(TABLES), TABLES)) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    @Override
    public Connection connect() {
        return new Connection() {
            @Override
            public void put(long number, long dueAtMs) throws SchedulerException {
                byte[] payload = new PeerPayload(number, dueAtMs).bytes();
                scheduler.scheduleJob(TriggerBuilder.newTrigger()
                        .withIdentity(Long.toString(number))
                        .forJob(job)
                        .usingJobData(PAYLOAD, Base64.getEncoder().encodeToString(payload))
                        .startAt(Date.from(Instant.ofEpochMilli(dueAtMs)))
                        .build());
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void receive(Receiver receiver) throws SchedulerException {
        scheduler.getContext().put(RECEIVER, receiver);
        scheduler.start();
    }

    @Override
    public void close() {
        try {
            scheduler.shutdown(true);
        } catch (SchedulerException e) {
            throw new IllegalStateException("Quartz does not stop", e);
        } finally {
            pool.close();
            server.close();
        }
    }

    /** Made by Quartz, for each run. */
    public static final class Timer implements Job {

        @Override
        public void execute(JobExecutionContext run) {
            try {
                @Nullable Object receiver = run.getScheduler().getContext().get(RECEIVER);
                if (receiver instanceof Receiver told) {
                    told.arrived(
                            Base64.getDecoder().decode(run.getMergedJobDataMap().getString(PAYLOAD)));
                }
            } catch (SchedulerException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private record Pooled(HikariDataSource pool) implements ConnectionProvider {

        @Override
        public java.sql.Connection getConnection() throws SQLException {
            return pool.getConnection();
        }

        @Override
        public void shutdown() {}

        @Override
        public void initialize() {}
    }
}
