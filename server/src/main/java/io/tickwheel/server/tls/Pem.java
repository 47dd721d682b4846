package io.tickwheel.server.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/** Reads PEM. What is wrong with it is named, and nothing of it shown. */
final class Pem {

    private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String END = "-----END PRIVATE KEY-----";
    /** How PKCS #1 and SEC 1 begin. */
    private static final List<String> OTHER_FORMS =
            List.of("-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN EC PRIVATE KEY-----");

    private static final List<String> ALGORITHMS = List.of("EC", "RSA", "EdDSA");

    private Pem() {}

    /**
     * The certificates, in their order.
     *
     * @param name of the file, for messages
     * @throws IllegalArgumentException with the name and the rule, when there are none
     */
    static List<X509Certificate> certificates(String name, byte[] bytes) {
        List<X509Certificate> certificates;
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            certificates = factory.generateCertificates(new ByteArrayInputStream(bytes)).stream()
                    .map(X509Certificate.class::cast)
                    .toList();
        } catch (CertificateException e) {
            throw new IllegalArgumentException(name + " cannot be read, must be certificates in PEM", e);
        }
        if (certificates.isEmpty()) {
            throw new IllegalArgumentException(name + " has no certificate, must have one in PEM");
        }
        return certificates;
    }

    /**
     * The key.
     *
     * @param name of the file, for messages
     * @throws IllegalArgumentException with the name and the rule, when there is none
     */
    static PrivateKey key(String name, byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int from = text.indexOf(BEGIN);
        int to = text.indexOf(END);
        if (from < 0 && OTHER_FORMS.stream().anyMatch(text::contains)) {
            throw new IllegalArgumentException(name
                    + " has its key in another form, must have it as PKCS #8: openssl pkcs8 -topk8 -nodes -in FILE");
        }
        if (from < 0 || to < from) {
            throw noKey(name);
        }
        PKCS8EncodedKeySpec encoded;
        try {
            encoded =
                    new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(text.substring(from + BEGIN.length(), to)));
        } catch (IllegalArgumentException e) {
            // Without the cause: its message has a piece of the key.
            throw noKey(name);
        }
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException e) {
                // It is a key of another algorithm, or of none: then it is refused below.
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("every Java has " + algorithm, e);
            }
        }
        throw noKey(name);
    }

    private static IllegalArgumentException noKey(String name) {
        return new IllegalArgumentException(
                name + " has no key, must have one of RSA, EC or Ed25519 in PEM as PKCS #8, not encrypted");
    }
}
