package io.tickwheel.server.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/** Certificates that sign themselves, as PEM files. */
public record TestIdentity(Path certificate, Path key) {

    /** For localhost and 127.0.0.1, good since yesterday and until tomorrow, with a key of an elliptic curve. */
    public static TestIdentity make(Path directory, String name) {
        return make(directory, name, UnaryOperator.identity());
    }

    /** The same but for what {@code changed} says. */
    public static TestIdentity make(Path directory, String name, UnaryOperator<CertificateBuilder> changed) {
        CertificateBuilder builder = new CertificateBuilder()
                .ecp256()
                .subject("CN=" + name)
                .setIsCertificateAuthority(true)
                .addSanDnsName("localhost")
                .addSanIpAddress("127.0.0.1");
        try {
            X509Bundle made = changed.apply(builder).buildSelfSigned();
            return new TestIdentity(
                    Files.writeString(directory.resolve(name + ".crt"), made.getCertificatePEM()),
                    Files.writeString(directory.resolve(name + ".key"), made.getPrivateKeyPEM()));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
