package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;

/** beanstalkd with an fsync for each write ({@code -f0}). Its delays are whole seconds, here rounded up. */
final class BeanstalkdPeer implements Peer {

    private static final int RECEIVERS = 4;
    private static final String PUT = "put 0 %d 3600 %d\r\n";

    private final InetSocketAddress address = Loopback.freePort();
    private final PeerProcess process;

    BeanstalkdPeer(Path program, Path directory) throws IOException, InterruptedException {
        List<String> command = List.of(
                program.toString(),
                "-b",
                directory.toString(),
                "-f0",
                "-l",
                address.getAddress().getHostAddress(),
                "-p",
                Integer.toString(address.getPort()));
        process = PeerProcess.start(command, address, directory.resolveSibling("beanstalkd.out"));
    }

    @Override
    public Connection connect() throws IOException {
        return new Client(address);
    }

    @Override
    public void receive(Receiver receiver) throws IOException {
        for (int i = 0; i < RECEIVERS; i++) {
            Client client = new Client(address);
            Thread thread = new Thread(() -> reserveAll(client, receiver), "beanstalkd-receiver");
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Override
    public void close() {
        process.close();
    }

    private static void reserveAll(Client client, Receiver receiver) {
        try (client) {
            while (true) {
                client.receive(receiver);
            }
        } catch (IOException closed) {
            // The server was ended.
        }
    }

    /** The text protocol. Not thread-safe. */
    private static final class Client implements Connection {

        private final Socket socket;
        private final InputStream in;
        private final OutputStream out;

        Client(InetSocketAddress address) throws IOException {
            socket = new Socket(address.getAddress(), address.getPort());
            socket.setTcpNoDelay(true);
            in = new BufferedInputStream(socket.getInputStream());
            out = new BufferedOutputStream(socket.getOutputStream());
        }

        @Override
        public void put(long number, long dueAtMs) throws IOException {
            byte[] payload = new PeerPayload(number, dueAtMs).bytes();
            long delayMs = Math.max(0, dueAtMs - System.currentTimeMillis());
            out.write(PUT.formatted((delayMs + 999) / 1_000, payload.length).getBytes(UTF_8));
            out.write(payload);
            send("\r\n");
            expect("INSERTED");
        }

        void receive(Receiver receiver) throws IOException {
            send("reserve\r\n");
            String[] reserved = expect("RESERVED");
            byte[] payload = in.readNBytes(Integer.parseInt(reserved[2]));
            line();
            receiver.arrived(payload);
            send("delete " + reserved[1] + "\r\n");
            expect("DELETED");
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }

        private void send(String text) throws IOException {
            out.write(text.getBytes(UTF_8));
            out.flush();
        }

        private String[] expect(String word) throws IOException {
            String answer = line();
            String[] words = answer.split(" ", -1);
            if (!words[0].equals(word)) {
                throw new IOException("beanstalkd answered " + answer);
            }
            return words;
        }

        private String line() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int c = in.read(); c != '\n'; c = in.read()) {
                if (c < 0) {
                    throw new IOException("beanstalkd closed the connection");
                }
                line.append((char) c);
            }
            return line.toString().strip();
        }
    }
}
