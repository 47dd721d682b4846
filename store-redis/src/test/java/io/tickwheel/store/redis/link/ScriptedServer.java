package io.tickwheel.store.redis.link;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A server that answers what it is told to, for what no real one here does. */
final class ScriptedServer implements AutoCloseable {

    private final ServerSocket socket;
    private final List<Socket> clients = new CopyOnWriteArrayList<>();
    private final String info;
    private volatile String laterInfo = "";
    private volatile int lowMasterPort;
    private volatile int highMasterPort;
    private volatile boolean tellsMaster = true;
    private volatile Function<List<String>, String> replies = command -> "-ERR not scripted " + command;

    private ScriptedServer(String info) {
        this.info = info;
        try {
            socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
            lowMasterPort = socket.getLocalPort();
            highMasterPort = socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(() -> {
            while (true) {
                Socket client = socket.accept();
                clients.add(client);
                start(() -> serve(client));
            }
        });
    }

    /** One that says of itself what a good master does, but for these lines. */
    static ScriptedServer with(String... lines) {
        return new ScriptedServer(String.join("\r\n", lines) + "\r\nmaxmemory_policy:noeviction\r\nrole:master\r\n");
    }

    int port() {
        return socket.getLocalPort();
    }

    /** What it answers to all but {@code INFO} and what is part of the greeting: a line of its protocol, or several; empty for nothing at all. */
    void replies(Function<List<String>, String> function) {
        replies = function;
    }

    /** As a node of a cluster: the port of the master of the lower half of the slots from now on; that of all is its own before. */
    void lowMaster(int port) {
        lowMasterPort = port;
    }

    /** As a node of a cluster: the port of the master of all slots from now on. */
    void master(int port) {
        lowMasterPort = port;
        highMasterPort = port;
    }

    /** As a node of a cluster: says nothing when it is asked for the masters, and leaves the connection open. */
    void keepQuiet() {
        tellsMaster = false;
    }

    /** What it says of itself from now on, behind what it has said before. */
    void info(String line) {
        laterInfo = line + "\r\n";
    }

    /** How many connections there have been. */
    int connections() {
        return clients.size();
    }

    /** Ends all connections that there are. */
    void cut() {
        try {
            for (Socket client : clients) {
                client.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException closed) {
                // That is how it ends.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private void serve(Socket client) throws IOException {
        InputStream in = new BufferedInputStream(client.getInputStream());
        while (true) {
            List<String> command = new ArrayList<>();
            int words = Integer.parseInt(line(in).substring(1));
            for (int i = 0; i < words; i++) {
                int length = Integer.parseInt(line(in).substring(1));
                command.add(new String(in.readNBytes(length), StandardCharsets.UTF_8));
                line(in);
            }
            String reply = reply(command);
            if (!reply.isEmpty()) {
                client.getOutputStream().write((reply + "\r\n").getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private String reply(List<String> command) {
        return switch (command.get(0)) {
            case "INFO" -> {
                String text = info + laterInfo;
                yield "$" + text.length() + "\r\n" + text;
            }
            case "PING" -> "+PONG";
            case "CLIENT", "ASKING" -> "+OK";
            case "CLUSTER" ->
                !tellsMaster
                        ? ""
                        : "*2\r\n" + slots(0, 8_191, lowMasterPort) + "\r\n" + slots(8_192, 16_383, highMasterPort);
            default -> replies.apply(command);
        };
    }

    private static String slots(int first, int last, int masterPort) {
        return "*3\r\n:" + first + "\r\n:" + last + "\r\n*2\r\n$0\r\n\r\n:" + masterPort;
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("end");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }
}
