package io.tickwheel.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script of this store, a resource of its name. Immutable and thread-safe.
 *
 * @param source its Lua
 * @param sha1 the name by which the server knows it, in hexadecimal
 */
record Script(String name, String source, String sha1) {

    static Script named(String name) {
        try (InputStream in = Script.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("there is no script " + name);
            }
            byte[] source = in.readAllBytes();
            byte[] hash = MessageDigest.getInstance("SHA-1").digest(source);
            return new Script(
                    name,
                    new String(source, StandardCharsets.UTF_8),
                    HexFormat.of().formatHex(hash));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
