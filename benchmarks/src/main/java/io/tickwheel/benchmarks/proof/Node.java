package io.tickwheel.benchmarks.proof;

import io.tickwheel.benchmarks.Loopback;
import io.tickwheel.benchmarks.ServerProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/** A server that is killed and started again, always on the same port and with the same store. Used by one thread. */
final class Node implements AutoCloseable {

    private static final String RECEIVERS = "targets: {http: {allow: 127.0.0.0/8, ports: 1-65535}}\n";

    private final Path config;
    private final InetSocketAddress address;
    private final Path output;
    private final String jvmOptions;
    private ServerProcess process;

    /** Starts it. */
    Node(Path directory, String name, String store, String jvmOptions) throws IOException, InterruptedException {
        address = Loopback.freePort();
        config = Files.writeString(
                directory.resolve(name + ".yaml"), "server:\n  port: " + address.getPort() + "\n" + RECEIVERS + store);
        output = directory.resolve(name + ".out");
        this.jvmOptions = jvmOptions;
        process = ServerProcess.serve(config, address, output, jvmOptions);
    }

    /** The store on files below that directory. */
    static String onFiles(Path directory, String durability) {
        return """
               store:
                 file:
                   directory: %s
                   durability: %s
               """.formatted(directory.resolve("store").toAbsolutePath(), durability);
    }

    InetSocketAddress address() {
        return address;
    }

    ServerProcess process() {
        return process;
    }

    void kill() throws InterruptedException {
        process.kill();
    }

    void start() throws IOException, InterruptedException {
        process = ServerProcess.serve(config, address, output, jvmOptions);
    }

    @Override
    public void close() throws IOException {
        process.close();
    }
}
