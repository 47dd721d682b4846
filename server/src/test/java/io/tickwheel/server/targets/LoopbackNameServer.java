package io.tickwheel.server.targets;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

/** A name server on a loopback address that answers as a test wants, with answers that nobody may keep. */
final class LoopbackNameServer implements AutoCloseable {

    private static final int A = 1;
    private static final int AAAA = 28;

    private final DatagramSocket socket;
    private final BiFunction<String, Integer, List<String>> zone;
    private final Map<String, AtomicInteger> questions = new ConcurrentHashMap<>();

    /**
     * Answers from now on.
     *
     * @param zone gives the addresses of a name, by how often it was asked for before; none for a name that there is not, null for no answer
     */
    LoopbackNameServer(BiFunction<String, Integer, List<String>> zone) {
        this.zone = zone;
        try {
            socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
        Thread answering = new Thread(this::answerAll, "name-server");
        answering.setDaemon(true);
        answering.start();
    }

    /** As the option of callbacks has it. */
    String address() {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    /** How often the address of IPv4 of a name was asked for. */
    int questions(String name) {
        AtomicInteger count = questions.get(name);
        return count == null ? 0 : count.get();
    }

    private void answerAll() {
        byte[] buffer = new byte[1_500];
        while (!socket.isClosed()) {
            DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
            try {
                socket.receive(packet);
                byte[] answer = answer(packet.getData());
                if (answer != null) {
                    socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
                }
            } catch (IOException e) {
                // The end of the test, or of who asked.
            }
        }
    }

    private byte[] answer(byte[] question) throws IOException {
        StringBuilder name = new StringBuilder();
        int at = 12;
        while (question[at] != 0) {
            name.append(name.isEmpty() ? "" : ".")
                    .append(new String(question, at + 1, question[at], StandardCharsets.US_ASCII));
            at += question[at] + 1;
        }
        int type = question[at + 2];
        int end = at + 5;
        AtomicInteger count = questions.computeIfAbsent(name.toString(), asked -> new AtomicInteger());
        List<String> addresses = zone.apply(name.toString(), type == A ? count.getAndIncrement() : count.get());
        if (addresses == null) {
            return null;
        }
        ByteArrayOutputStream found = new ByteArrayOutputStream();
        int records = 0;
        for (String address : addresses) {
            byte[] bytes = bytes(address);
            if (type == (bytes.length == 4 ? A : AAAA)) {
                found.write(new byte[] {(byte) 0xC0, 12, 0, (byte) type, 0, 1, 0, 0, 0, 0, 0, (byte) bytes.length});
                found.write(bytes);
                records++;
            }
        }
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.write(question, 0, 2);
        answer.write(
                new byte[] {(byte) 0x81, (byte) (addresses.isEmpty() ? 0x83 : 0x80), 0, 1, 0, (byte) records, 0, 0, 0, 0
                });
        answer.write(question, 12, end - 12);
        found.writeTo(answer);
        return answer.toByteArray();
    }

    private static byte[] bytes(String address) throws IOException {
        byte[] bytes = InetAddress.getByName(address).getAddress();
        if (address.indexOf(':') < 0 || bytes.length == 16) {
            return bytes;
        }
        // The JDK makes an IPv4 address of a mapped one.
        byte[] mapped = new byte[16];
        mapped[10] = -1;
        mapped[11] = -1;
        System.arraycopy(bytes, 0, mapped, 12, 4);
        return mapped;
    }

    @Override
    public void close() {
        socket.close();
    }
}
