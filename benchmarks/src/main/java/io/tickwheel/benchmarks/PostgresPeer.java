package io.tickwheel.benchmarks;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A table in PostgreSQL with an index by due time: a transaction for each insert, and pollers that skip locked rows. */
final class PostgresPeer implements Peer {

    static final String TABLE = """
            create table timers (key bigint primary key, due_ms bigint not null, payload bytea not null);
            create index timers_due on timers (due_ms);
            """;
    private static final String INSERT = "insert into timers values (?, ?, ?)"
            + " on conflict (key) do update set due_ms = excluded.due_ms, payload = excluded.payload";
    private static final String TAKE = "delete from timers where key in (select key from timers where due_ms <= ?"
            + " order by due_ms limit 500 for update skip locked) returning payload";
    private static final int POLLERS = 2;
    private static final long POLL_MS = 5;

    private final PostgresServer server;
    private final List<java.sql.Connection> polling = new ArrayList<>();

    PostgresPeer(PostgresServer server) {
        this.server = server;
    }

    @Override
    public Connection connect() throws SQLException {
        return new Client(server.open());
    }

    @Override
    public void receive(Receiver receiver) throws SQLException {
        for (int i = 0; i < POLLERS; i++) {
            java.sql.Connection connection = server.open();
            polling.add(connection);
            Thread thread = new Thread(() -> poll(connection, receiver), "postgresql-poller");
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Override
    public void close() {
        polling.forEach(PostgresPeer::end);
        server.close();
    }

    private static void end(java.sql.Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException("a connection does not close", e);
        }
    }

    private static void poll(java.sql.Connection connection, Receiver receiver) {
        try (PreparedStatement take = connection.prepareStatement(TAKE)) {
            while (true) {
                if (!takeSome(take, receiver)) {
                    Thread.sleep(POLL_MS);
                }
            }
        } catch (SQLException closed) {
            // The server was ended.
        } catch (InterruptedException e) {
            // The round is over: this thread just ends.
            Thread.currentThread().interrupt();
        }
    }

    private static boolean takeSome(PreparedStatement take, Receiver receiver) throws SQLException {
        take.setLong(1, System.currentTimeMillis());
        boolean some = false;
        try (ResultSet taken = take.executeQuery()) {
            while (taken.next()) {
                some = true;
                receiver.arrived(taken.getBytes(1));
            }
        }
        return some;
    }

    private record Client(java.sql.Connection connection, PreparedStatement insert) implements Connection {

        Client(java.sql.Connection connection) throws SQLException {
            this(connection, connection.prepareStatement(INSERT));
        }

        @Override
        public void put(long number, long dueAtMs) throws SQLException {
            insert.setLong(1, number);
            insert.setLong(2, dueAtMs);
            insert.setBytes(3, new PeerPayload(number, dueAtMs).bytes());
            insert.executeUpdate();
        }

        @Override
        public void close() {
            end(connection);
        }
    }
}
