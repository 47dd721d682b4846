package io.tickwheel.store.redis.link;

import java.nio.file.Path;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import org.jspecify.annotations.Nullable;

/** Says why the certificate of a server was not taken, in words of those who set the address: those of the JVM do not even say that it is about a certificate. */
final class CertificateRefusal {

    private CertificateRefusal() {}

    /**
     * What to say of a failure, or null when it is about no certificate.
     *
     * @param root what is at the bottom of it
     * @param said what that says
     * @param authority the certificates that are trusted; null for those of the JVM
     */
    static @Nullable String of(Throwable root, String said, @Nullable Path authority) {
        if (root instanceof CertPathBuilderException || root instanceof CertPathValidatorException) {
            return "its certificate is not trusted (" + said + "), must be vouched for by "
                    + (authority == null
                            ? "one that the JVM trusts, unless a certificate authority is set"
                            : "one in " + authority);
        }
        return root instanceof CertificateException
                ? "its certificate is not taken (" + said + "), must be for this host and valid today"
                : null;
    }
}
