package io.tickwheel.target.kafka;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * What comes out of a record that came in, beside its value: the key, whether it had a value at all, and the headers, all in the bytes that they had. As a text it is in Base64
 * for URLs without padding.
 *
 * <pre>
 *   | version: 1 | 1 without a value, else 0 | key | headers: int32 | name, value | name, value | ...
 *   key, name, value: int32 length, -1 for none, and the bytes
 * </pre>
 *
 * @param key null for none
 * @param hasValue whether an empty payload is a value, and not the lack of one
 * @param headers in their order, with those of one name
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record StoredRecord(byte @Nullable [] key, boolean hasValue, List<Header> headers) {

    private static final int VERSION = 1;
    static final String RULE = "must be a record as the source for Kafka writes it";

    StoredRecord {
        headers = List.copyOf(headers);
    }

    String text() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeByte(VERSION);
            out.writeByte(hasValue ? 0 : 1);
            write(out, key);
            out.writeInt(headers.size());
            for (Header header : headers) {
                write(out, Text.bytes(header.key()));
                write(out, header.value());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray());
    }

    private static void write(DataOutputStream out, byte @Nullable [] bytes) throws IOException {
        out.writeInt(bytes == null ? -1 : bytes.length);
        if (bytes != null) {
            out.write(bytes);
        }
    }

    static boolean isValid(String text) {
        try {
            parse(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Reads what {@link #text} wrote.
     *
     * @throws IllegalArgumentException with the rule
     */
    static StoredRecord parse(String text) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(decode(text)))) {
            if (in.readUnsignedByte() != VERSION) {
                throw new IllegalArgumentException(RULE);
            }
            int flag = in.readUnsignedByte();
            byte[] key = read(in);
            List<Header> headers = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                byte[] name = read(in);
                if (name == null) {
                    throw new IllegalArgumentException(RULE);
                }
                headers.add(new RecordHeader(Text.of(name), read(in)));
            }
            StoredRecord record = new StoredRecord(key, flag == 0, headers);
            if (in.available() > 0 || !record.text().equals(text)) {
                throw new IllegalArgumentException(RULE);
            }
            return record;
        } catch (IOException e) {
            throw new IllegalArgumentException(RULE, e);
        }
    }

    private static byte[] decode(String text) {
        try {
            return Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(RULE, e);
        }
    }

    private static byte @Nullable [] read(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < -1 || length > in.available()) {
            throw new IllegalArgumentException(RULE);
        }
        return length < 0 ? null : in.readNBytes(length);
    }
}
