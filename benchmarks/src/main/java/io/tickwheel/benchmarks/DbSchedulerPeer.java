package io.tickwheel.benchmarks;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** db-scheduler on PostgreSQL, with the table that its documentation gives, polling as often as it is well advised to. */
final class DbSchedulerPeer implements Peer {

    static final String TABLE = """
            create table scheduled_tasks (task_name text not null, task_instance text not null, task_data bytea,
              execution_time timestamp with time zone not null, picked boolean not null, picked_by text,
              last_success timestamp with time zone, last_failure timestamp with time zone, consecutive_failures int,
              last_heartbeat timestamp with time zone, version bigint not null, priority smallint,
              primary key (task_name, task_instance));
            create index execution_time_idx on scheduled_tasks (execution_time);
            create index last_heartbeat_idx on scheduled_tasks (last_heartbeat);
            """;
    private static final Duration POLL = Duration.ofMillis(50);
    private static final int THREADS = 20;
    private static final double LOWER = 0.5;
    private static final double UPPER = 4.0;

    private final PostgresServer server;
    private final HikariDataSource pool;
    private final OneTimeTask<byte[]> task =
            Tasks.oneTime("timer", byte[].class).execute((instance, context) -> received(instance.getData()));
    private final SchedulerClient client;
    private volatile @Nullable Receiver receiver;
    private @Nullable Scheduler scheduler;

    DbSchedulerPeer(PostgresServer server, int connections) {
        this.server = server;
        this.pool = server.pool(connections + THREADS);
        this.client = SchedulerClient.Builder.create(pool, task).build();
    }

    private void received(byte[] payload) {
        Receiver known = receiver;
        if (known != null) {
            known.arrived(payload);
        }
    }

    @Override
    public Connection connect() {
        return new Connection() {
            @Override
            public void put(long number, long dueAtMs) {
                byte[] payload = new PeerPayload(number, dueAtMs).bytes();
                client.scheduleIfNotExists(
                        task.instance(Long.toString(number), payload), Instant.ofEpochMilli(dueAtMs));
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void receive(Receiver told) {
        receiver = told;
        Scheduler made = Scheduler.create(pool, task)
                .threads(THREADS)
                .pollingInterval(POLL)
                .pollUsingLockAndFetch(LOWER, UPPER)
                .build();
        made.start();
        scheduler = made;
    }

    @Override
    public void close() {
        if (scheduler != null) {
            scheduler.stop();
        }
        pool.close();
        server.close();
    }
}
