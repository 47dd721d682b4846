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
    private volatile Function<List<String>, String> replies = command -> "-ERR not scripted " + command;

    private ScriptedServer(String info) {
        this.info = info;
        try {
            socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
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

    /** What it answers to all but {@code INFO} and what is part of the greeting: a line of its protocol, or several. */
    void replies(Function<List<String>, String> function) {
        replies = function;
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
            client.getOutputStream().write((reply(command) + "\r\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private String reply(List<String> command) {
        return switch (command.get(0)) {
            case "INFO" -> "$" + info.length() + "\r\n" + info;
            case "PING" -> "+PONG";
            case "CLIENT", "ASKING" -> "+OK";
            case "CLUSTER" -> "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$0\r\n\r\n:" + port();
            default -> replies.apply(command);
        };
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
            for (Socket client : clients) {
                client.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
