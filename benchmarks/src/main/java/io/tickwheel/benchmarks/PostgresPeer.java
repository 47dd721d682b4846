package io.tickwheel.benchmarks;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A table in PostgreSQL with an index by due time: a transaction for each insert, and pollers that skip locked rows. */
final class PostgresPeer implements Peer {

    private static final String TABLE = """
            create table timers (key bigint primary key, due_ms bigint not null, payload bytea not null);
            create index timers_due on timers (due_ms);
            """;
    private static final String INSERT = "insert into timers values (?, ?, ?)"
            + " on conflict (key) do update set due_ms = excluded.due_ms, payload = excluded.payload";
    private static final String TAKE = "delete from timers where key in (select key from timers where due_ms <= ?"
            + " order by due_ms limit 500 for update skip locked) returning payload";
    private static final int POLLERS = 2;
    private static final long POLL_MS = 5;

    private final InetSocketAddress address = Loopback.freePort();
    private final List<java.sql.Connection> polling = new ArrayList<>();
    private final PeerProcess process;

    PostgresPeer(Path postgres, Path initdb, Path directory) throws IOException, InterruptedException, SQLException {
        Path output = directory.resolveSibling("postgresql.out");
        run(command(initdb, "-D", directory.toString(), "-U", "bench", "--auth=trust"), output);
        process = PeerProcess.start(
                command(
                        postgres,
                        "-D",
                        directory.toAbsolutePath().toString(),
                        "-h",
                        address.getAddress().getHostAddress(),
                        "-p",
                        Integer.toString(address.getPort()),
                        "-c",
                        "unix_socket_directories=",
                        "-c",
                        "max_connections=200"),
                address,
                output);
        try (java.sql.Connection connection = open();
                Statement statement = connection.createStatement()) {
            statement.execute(TABLE);
        }
    }

    @Override
    public Connection connect() throws SQLException {
        return new Client(open());
    }

    @Override
    public void receive(Receiver receiver) throws SQLException {
        for (int i = 0; i < POLLERS; i++) {
            java.sql.Connection connection = open();
            polling.add(connection);
            Thread thread = new Thread(() -> poll(connection, receiver), "postgresql-poller");
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Override
    public void close() {
        // It waits for all connections to end before it does.
        polling.forEach(PostgresPeer::end);
        process.close();
    }

    private static void end(java.sql.Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException("a connection does not close", e);
        }
    }

    /** It refuses to run as root, but not as root of whom it sees nothing. */
    private static List<String> command(Path program, String... arguments) {
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("unshare", "-U"));
        }
        command.add(program.toString());
        command.addAll(List.of(arguments));
        return command;
    }

    private static void run(List<String> command, Path output) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (process.waitFor() != 0) {
            throw new IOException(command + " failed, see " + output);
        }
    }

    private java.sql.Connection open() throws SQLException {
        String url = "jdbc:postgresql://" + Loopback.authority(address) + "/postgres?user=bench";
        for (int attempt = 1; ; attempt++) {
            try {
                return DriverManager.getConnection(url);
            } catch (SQLException stillStarting) {
                if (attempt == 100) {
                    throw stillStarting;
                }
            }
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
