package io.tickwheel.server.cli;

import io.tickwheel.server.wire.Excerpt;
import java.io.IOException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/** What it means for whoever runs a command that a connection did not come to be on account of TLS: the server was told nothing then. */
final class TlsFailure {

    private static final String NOTHING_DONE = "; nothing was done";
    private static final int DEEPEST = 20;

    private TlsFailure() {}

    /** What goes after the address of the server; null when the failure is another one. */
    static @Nullable String text(IOException failure) {
        String text = reason(failure);
        return text == null ? null : text + NOTHING_DONE;
    }

    /** What goes after the news that a server has broken the connection off, as one does that is called with the other scheme. */
    static String hint(String address) {
        return address.toLowerCase(Locale.ROOT).startsWith("https:")
                ? ", and if it speaks no TLS, its address must begin with http://"
                : ", and if it speaks TLS, its address must begin with https://";
    }

    private static @Nullable String reason(IOException failure) {
        Throwable path = find(failure, CertPathBuilderException.class);
        if (path == null) {
            path = find(failure, CertPathValidatorException.class);
        }
        if (path != null) {
            return "shows a certificate that is not trusted (" + line(path)
                    + "), must be one of those that --ca names, or that the JVM trusts";
        }
        Throwable certificate = find(failure, CertificateException.class);
        if (certificate != null) {
            return "shows a certificate that is not good for this address (" + line(certificate) + ")";
        }
        Throwable tls = find(failure, SSLException.class);
        String said = tls == null ? "" : line(tls);
        if (said.contains("Unsupported or unrecognized SSL message")) {
            return "does not speak TLS, must be http:// if it is to be called so";
        }
        if (said.contains("certificate_required") || said.contains("bad_certificate")) {
            return "wants a certificate that it knows (" + said + "), must be shown with --cert and --key";
        }
        if (said.contains("unknown_ca") || said.contains("certificate_unknown")) {
            return "does not trust the certificate that --cert names (" + said + ")";
        }
        return tls instanceof SSLHandshakeException ? "and this command agree on no TLS (" + said + ")" : null;
    }

    private static String line(Throwable failure) {
        return Excerpt.line(String.valueOf(failure.getMessage()));
    }

    /** The innermost cause of a kind; null when there is none. */
    private static @Nullable Throwable find(Throwable failure, Class<? extends Throwable> kind) {
        Throwable found = null;
        Throwable each = failure;
        for (int i = 0; i < DEEPEST && each != null; i++) {
            if (kind.isInstance(each)) {
                found = each;
            }
            each = each.getCause();
        }
        return found;
    }
}
