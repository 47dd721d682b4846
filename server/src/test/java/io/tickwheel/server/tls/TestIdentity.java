package io.tickwheel.server.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Certificates that sign themselves, made by keytool, as PEM files. */
public record TestIdentity(Path certificate, Path key) {

    private static final String PASSWORD = "password";

    /** For localhost and 127.0.0.1. */
    public static TestIdentity make(Path directory, String name, String algorithm, String... more) {
        Path store = directory.resolve(name + ".p12");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "it",
                "-keyalg",
                algorithm,
                "-dname",
                "CN=" + name,
                "-ext",
                "SAN=dns:localhost,ip:127.0.0.1",
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD));
        command.addAll(List.of(more));
        try {
            Process keytool = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve(name + ".log").toFile())
                    .start();
            if (keytool.waitFor() != 0) {
                throw new IllegalStateException(Files.readString(directory.resolve(name + ".log")));
            }
            KeyStore made = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            return new TestIdentity(
                    write(
                            directory,
                            name + ".crt",
                            "CERTIFICATE",
                            made.getCertificate("it").getEncoded()),
                    write(
                            directory,
                            name + ".key",
                            "PRIVATE KEY",
                            made.getKey("it", PASSWORD.toCharArray()).getEncoded()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path write(Path directory, String file, String type, byte[] encoded) throws IOException {
        return Files.writeString(
                directory.resolve(file),
                "-----BEGIN " + type + "-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded) + "\n-----END " + type
                        + "-----\n");
    }
}
