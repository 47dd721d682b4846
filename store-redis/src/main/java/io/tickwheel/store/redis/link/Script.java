package io.tickwheel.store.redis.link;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script of this store, a resource of its name in the folder {@code scripts}. Immutable and thread-safe.
 *
 * @param source its Lua
 * @param sha1 the name by which the server knows it, in hexadecimal
 */
public record Script(String name, String source, String sha1) {

    private static final String PLACE = "/io/tickwheel/store/redis/scripts/";

    public static Script named(String name) {
        return of(name, source(name));
    }

    /** One that reads members or records: with the functions of {@code record.lua}. */
    public static Script reading(String name) {
        return of(name, source("record") + source(name));
    }

    private static Script of(String name, String source) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
            return new Script(name, source, HexFormat.of().formatHex(hash));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String source(String name) {
        try (InputStream in = Script.class.getResourceAsStream(PLACE + name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("there is no script " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
