package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.net.HostAndPort;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class HttpAddressTest {

    @ParameterizedTest
    @CsvSource({
        "http://x, false, x, 80, /",
        "HTTPS://X.example.org/a?b=c, true, X.example.org, 443, /a?b=c",
        "http://my_service:8080?a, false, my_service, 8080, /?a",
        "http://127.0.0.1:65535/, false, 127.0.0.1, 65535, /",
        "http://[::1]:1/a, false, [::1], 1, /a",
        "http://[0::0001]:1/a, false, [::1], 1, /a",
        "http://[::]/, false, [::], 80, /",
        "http://[2001:DB8:0:0:1:0:0:1]/, false, [2001:db8::1:0:0:1], 80, /",
        "http://[1:2:3:4:5:6:7::]/, false, [1:2:3:4:5:6:7:0], 80, /",
        "http://[fe80::1]/, false, [fe80::1], 80, /",
        "http://[::ffff:127.0.0.1]/, false, 127.0.0.1, 80, /",
        "http://[::FFFF:7f00:1]/, false, 127.0.0.1, 80, /",
        "http://[0:0:0:0:0:ffff:127.0.0.1]/, false, 127.0.0.1, 80, /",
        "http://[64:ff9b::192.0.2.1]:8080/, false, [64:ff9b::c000:201], 8080, /",
        "http://localhost./, false, localhost., 80, /",
        "http://xn--bcher-kva.example/, false, xn--bcher-kva.example, 80, /",
        "http://1and1.example/, false, 1and1.example, 80, /",
        "http://a--b.3c/, false, a--b.3c, 80, /",
        "http://223.255.255.255/, false, 223.255.255.255, 80, /",
        "http://240.0.0.0/, false, 240.0.0.0, 80, /",
        "http://x/!~%41%0a%a0, false, x, 80, /!~%41%0a%a0",
        "http://x/@a:b, false, x, 80, /@a:b"
    })
    void urlsAreTakenApart(String url, boolean tls, String host, int port, String uri) {
        HttpAddress address = HttpAddress.of("POST", url);
        assertThat(address).isEqualTo(new HttpAddress("POST", tls, host, port, uri));
        assertThat(HttpAddress.parse("POST " + url)).isEqualTo(address);
        assertThat(HttpAddress.parse(address.toString())).isEqualTo(address);
        assertThat(HostAndPort.authority(address.host(), port).host()).isEqualTo(host);
    }

    /** Vert.x has a parser of its own, which fails for some of what is right; what gets to it must not be of that. */
    @Test
    void everyIpv6AddressThatIsTakenIsOneForVertx() throws UnknownHostException {
        SplittableRandom random = new SplittableRandom(11);
        int taken = 0;
        for (int i = 0; i < 2_000; i++) {
            String text = ipv6(random);
            HttpAddress address;
            try {
                address = HttpAddress.of("POST", "http://" + text + "/");
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContaining("nobody can connect to");
                continue;
            }
            taken++;
            assertThat(HostAndPort.authority(address.host(), 80).host()).isEqualTo(address.host());
            assertThat(InetAddress.getByName(address.host())).as(text).isEqualTo(InetAddress.getByName(text));
        }
        assertThat(taken).isGreaterThan(1_500);
    }

    /** An address with some groups of zeros, in any of the ways to write it. */
    private static String ipv6(SplittableRandom random) {
        int zeros = random.nextInt(256);
        List<String> groups = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int group = (zeros >> i & 1) == 0 ? 0 : random.nextInt(0x10000);
            String hex = String.format(Locale.ROOT, random.nextBoolean() ? "%x" : "%04X", group);
            groups.add(hex);
        }
        int from = random.nextInt(8);
        int to = from;
        while (to < 8 && groups.get(to).matches("0+")) {
            to++;
        }
        boolean dotted = to <= 6 && random.nextBoolean();
        if (dotted) {
            int high = Integer.parseInt(groups.remove(6), 16);
            int low = Integer.parseInt(groups.remove(6), 16);
            groups.add((high >> 8) + "." + (high & 0xFF) + "." + (low >> 8) + "." + (low & 0xFF));
        }
        if (to - from < 1) {
            return "[" + String.join(":", groups) + "]";
        }
        return "[" + String.join(":", groups.subList(0, from)) + "::"
                + String.join(":", groups.subList(Math.min(to, groups.size()), groups.size())) + "]";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://224.0.0.1/",
                "http://239.255.255.255/",
                "http://[ff02::1]/",
                "http://[::ffff:224.0.0.1]/",
                "http://[::ffff:e000:1]/"
            })
    void nobodyConnectsToManyAtOnce(String url) {
        assertThatThrownBy(() -> HttpAddress.of("POST", url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("must not have a multicast address, which nobody can connect to");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"http://shop/%", "http://shop/%4", "http://shop/%4g", "http://shop/%g4", "http://shop/%4%41"})
    void percentSignIsFollowedByTwoDigits(String url) {
        assertThatThrownBy(() -> HttpAddress.of("POST", url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("must have two hex digits after each '%'");
    }

    @ParameterizedTest
    @ValueSource(chars = {' ', '\t', '\u007f', '\u00e4', '"', '<', '}'})
    void otherCharactersAreEncoded(char character) {
        String code = String.format(Locale.ROOT, "U+%04X", (int) character);
        assertThatThrownBy(() -> HttpAddress.of("POST", "http://shop/" + character))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("has the character " + code + " at 12, must be percent-encoded");
    }

    @Test
    void urlMayBeAsLongAsIsSaid() {
        String longest = "http://shop/" + "a".repeat(HttpAddress.MAX_URL_CHARS - 12);
        assertThat(HttpAddress.of("POST", longest).uri()).hasSize(HttpAddress.MAX_URL_CHARS - 11);
        assertThatThrownBy(() -> HttpAddress.of("POST", longest + "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("has 2049 characters, must have at most 2048");
    }

    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1/, 127.0.0.1",
        "http://[::1]/, 0:0:0:0:0:0:0:1",
        "http://0.0.0.0/, 0.0.0.0",
        "http://9.9.9.9/, 9.9.9.9",
        "http://1and1.example/,",
        "http://shop/,"
    })
    void hostIsAnAddressOrAName(String url, String address) {
        InetAddress literal = HttpAddress.of("POST", url).literal();
        assertThat(literal == null ? null : literal.getHostAddress()).isEqualTo(address);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "http://shop/", " http://shop/"})
    void storedAddressBeginsWithItsMethod(String address) {
        assertThatThrownBy(() -> HttpAddress.parse(address))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("must be a method and a URL");
    }

    @Test
    void originIsSchemeHostAndPort() {
        assertThat(HttpAddress.of("PUT", "http://Shop/a").origin()).isEqualTo("http://shop:80");
        assertThat(HttpAddress.of("PUT", "https://[2001:DB8::1]:8443?b").origin())
                .isEqualTo("https://[2001:db8::1]:8443");
    }
}
