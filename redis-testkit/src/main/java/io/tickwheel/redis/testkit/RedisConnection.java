package io.tickwheel.redis.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a Redis server of this machine that speaks RESP2 and waits for each reply. Not thread-safe.
 *
 * <p>It is reset when it is closed, so that the thousands of short connections of a test that polls do not use up the
 * ports of the machine.
 */
final class RedisConnection implements AutoCloseable {

    private final Socket socket;
    private final InputStream in;
    private final Charset charset;

    /**
     * Connects to the loopback address.
     *
     * @param timeout for connecting, and for each wait for bytes of a reply
     * @param charset what strings are made of in requests and replies
     */
    RedisConnection(int port, Duration timeout, Charset charset) throws IOException {
        this.charset = charset;
        socket = new Socket();
        try {
            int timeoutMs = Math.toIntExact(timeout.toMillis());
            socket.setTcpNoDelay(true);
            socket.setSoLinger(true, 0);
            socket.setSoTimeout(timeoutMs);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), timeoutMs);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Sends a command and waits for its reply: a string, a {@link Long}, a list of replies, or null.
     *
     * @throws RedisError if the reply is an error; one inside a list is an element of the list
     * @throws IOException if the connection breaks, or no reply comes in time
     */
    @Nullable
    Object call(String... command) throws IOException {
        send(command);
        Object reply = readReply();
        if (reply instanceof RedisError error) {
            throw error;
        }
        return reply;
    }

    void send(String... command) throws IOException {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(ascii("*" + command.length + "\r\n"));
        for (String word : command) {
            byte[] bytes = word.getBytes(charset);
            request.writeBytes(ascii("$" + bytes.length + "\r\n"));
            request.writeBytes(bytes);
            request.writeBytes(ascii("\r\n"));
        }
        request.writeTo(socket.getOutputStream());
    }

    private @Nullable Object readReply() throws IOException {
        String line = readLine();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case '-' -> new RedisError(rest);
            case ':' -> Long.valueOf(rest);
            case '$' -> readString(Integer.parseInt(rest));
            case '*' -> readList(Integer.parseInt(rest));
            default -> throw new IOException("not a reply of RESP2: " + line);
        };
    }

    private @Nullable String readString(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length || !readLine().isEmpty()) {
            throw new EOFException("the reply ended after " + bytes.length + " of " + length + " bytes");
        }
        return new String(bytes, charset);
    }

    private @Nullable List<@Nullable Object> readList(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> replies = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            replies.add(readReply());
        }
        return Collections.unmodifiableList(replies);
    }

    private String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the server has closed the connection");
            }
            if (next != '\r') {
                line.write(next);
            }
        }
        return line.toString(charset);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
