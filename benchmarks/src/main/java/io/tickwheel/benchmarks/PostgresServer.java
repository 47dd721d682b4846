package io.tickwheel.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** PostgreSQL with a database of its own in a directory, as it is installed: each transaction is synced. */
final class PostgresServer implements AutoCloseable {

    private static final int ATTEMPTS = 100;

    private final InetSocketAddress address = Loopback.freePort();
    private final PeerProcess process;

    private PostgresServer(Path postgres, Path initdb, Path directory) throws IOException, InterruptedException {
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
    }

    /** Starts one with these tables; none when its programs are not on the path. */
    static Optional<PostgresServer> start(Path directory, String tables)
            throws IOException, InterruptedException, SQLException {
        Optional<Path> postgres = PeerProcess.find("postgres");
        Optional<Path> initdb = PeerProcess.find("initdb");
        if (postgres.isEmpty() || initdb.isEmpty()) {
            return Optional.empty();
        }
        PostgresServer server = new PostgresServer(postgres.get(), initdb.get(), directory);
        try (Connection connection = server.open();
                Statement statement = connection.createStatement()) {
            statement.execute(tables);
        }
        return Optional.of(server);
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

    private String url() {
        return "jdbc:postgresql://" + Loopback.authority(address) + "/postgres?user=bench";
    }

    Connection open() throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                return DriverManager.getConnection(url());
            } catch (SQLException stillStarting) {
                if (attempt == ATTEMPTS) {
                    throw stillStarting;
                }
            }
        }
    }

    /** A pool of so many connections. */
    HikariDataSource pool(int connections) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url());
        pool.setMaximumPoolSize(connections);
        return pool;
    }

    /** It waits for all connections to end before it does. */
    @Override
    public void close() {
        process.close();
    }
}
