package io.tickwheel.server.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/** A certificate with those that stand behind it, and its key. Immutable; nothing shows the key. */
public final class Identity {

    private static final char[] NO_PASSWORD = {};
    private static final byte[] PROBE = {1, 2, 3};

    private final List<X509Certificate> chain;
    private final PrivateKey key;

    private Identity(List<X509Certificate> chain, PrivateKey key) {
        this.chain = chain;
        this.key = key;
    }

    /**
     * Reads both files, and whether they belong together.
     *
     * @param certificateName of the file of the certificates, for messages
     * @param keyName of that of the key
     * @throws IllegalArgumentException with the name and the rule, when they are not what they must be
     */
    public static Identity read(String certificateName, byte[] certificates, String keyName, byte[] key, Instant now) {
        Identity read = new Identity(Pem.certificates(certificateName, certificates), Pem.key(keyName, key));
        X509Certificate first = read.chain.get(0);
        try {
            first.checkValidity(Date.from(now));
        } catch (CertificateExpiredException | CertificateNotYetValidException e) {
            throw new IllegalArgumentException(
                    certificateName + " is good from " + first.getNotBefore().toInstant() + " to "
                            + first.getNotAfter().toInstant() + ", must be good now",
                    e);
        }
        if (!isChain(read.chain)) {
            throw new IllegalArgumentException(certificateName + " has certificates that are no chain, must have each"
                    + " once, and behind it the one of its issuer");
        }
        if (!isPair(first.getPublicKey(), read.key)) {
            throw new IllegalArgumentException(keyName + " has another key than the first certificate of "
                    + certificateName + ", must have its key");
        }
        return read;
    }

    private static boolean isChain(List<X509Certificate> certificates) {
        for (int i = 1; i < certificates.size(); i++) {
            X500Principal issuer = certificates.get(i - 1).getIssuerX500Principal();
            if (!issuer.equals(certificates.get(i).getSubjectX500Principal())) {
                return false;
            }
        }
        return Set.copyOf(certificates).size() == certificates.size();
    }

    private static boolean isPair(PublicKey open, PrivateKey secret) {
        String algorithm = switch (secret.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> "EdDSA";
        };
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(secret);
            signature.update(PROBE);
            byte[] signed = signature.sign();
            signature.initVerify(open);
            signature.update(PROBE);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            // What the one signs the other cannot even look at.
            return false;
        }
    }

    /** Until when the certificate is good. */
    Instant goodUntil() {
        return chain.get(0).getNotAfter().toInstant();
    }

    public KeyManagerFactory keys() {
        try {
            KeyStore store = empty();
            store.setKeyEntry("tickwheel", key, NO_PASSWORD, chain.toArray(X509Certificate[]::new));
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, NO_PASSWORD);
            return keys;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a key and its certificate are taken by every Java", e);
        }
    }

    /**
     * Those who are to be trusted, and nobody else.
     *
     * @param name of the file, for messages
     * @throws IllegalArgumentException with the name and the rule, when it has no certificates
     */
    public static TrustManagerFactory trusted(String name, byte[] certificates) {
        try {
            KeyStore store = empty();
            for (X509Certificate each : Pem.certificates(name, certificates)) {
                store.setCertificateEntry("c" + store.size(), each);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            return trust;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("certificates are taken by every Java", e);
        }
    }

    /**
     * What clients connect with.
     *
     * @param identity what they show; null for nothing
     * @param trust whom they trust; null for whom the JVM does
     */
    public static SSLContext context(@Nullable Identity identity, @Nullable TrustManagerFactory trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    identity == null ? null : identity.keys().getKeyManagers(),
                    trust == null ? null : trust.getTrustManagers(),
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has TLS", e);
        }
    }

    private static KeyStore empty() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException e) {
            throw new IllegalStateException("an empty store reads nothing", e);
        }
        return store;
    }
}
