package io.tickwheel.server.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version of this build, from a file that the build fills in. */
final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() {
        return new String[] {"tickwheel " + text()};
    }

    static String text() {
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            Properties properties = new Properties();
            if (in != null) {
                properties.load(in);
            }
            return properties.getProperty("version", "unknown");
        } catch (IOException e) {
            throw new UncheckedIOException("version.properties cannot be read", e);
        }
    }
}
