package io.tickwheel.examples;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Replies of the Redis protocol, one behind the other, as they are sent. */
final class RespReply {

    private static final byte[] LINE_END = {'\r', '\n'};

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    void simple(String text) {
        line("+" + text);
    }

    /** @param text begins with a word in capital letters, by which clients know what it is about */
    void error(String text) {
        line("-" + text.replaceAll("[\\r\\n]", " "));
    }

    void number(long number) {
        line(":" + number);
    }

    void bulk(byte[] value) {
        line("$" + value.length);
        bytes.writeBytes(value);
        bytes.writeBytes(LINE_END);
    }

    /** There is no such value. */
    void noBulk() {
        line("$-1");
    }

    void emptyArray() {
        line("*0");
    }

    private void line(String text) {
        bytes.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
        bytes.writeBytes(LINE_END);
    }

    int size() {
        return bytes.size();
    }

    /** Gives what was added since the last call. */
    byte[] take() {
        byte[] taken = bytes.toByteArray();
        bytes.reset();
        return taken;
    }
}
