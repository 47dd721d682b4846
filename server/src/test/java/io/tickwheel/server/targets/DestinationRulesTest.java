package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.InvalidTargetException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is a destination: first and last address of each block, and those beside it. */
final class DestinationRulesTest {

    private static final DestinationRules GUARDED = rules(Map.of());

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 0.255.255.255, 0.0.0.0/8",
        "10.0.0.0, 10.255.255.255, 10.0.0.0/8",
        "100.64.0.0, 100.127.255.255, 100.64.0.0/10",
        "100.100.100.200, 100.100.100.200, 100.64.0.0/10",
        "127.0.0.0, 127.255.255.255, 127.0.0.0/8",
        "168.63.129.16, 168.63.129.16, 168.63.129.16/32",
        "169.254.0.0, 169.254.255.255, 169.254.0.0/16",
        "169.254.169.254, 169.254.170.2, 169.254.0.0/16",
        "172.16.0.0, 172.31.255.255, 172.16.0.0/12",
        "192.0.0.0, 192.0.0.255, 192.0.0.0/24",
        "192.0.2.0, 192.0.2.255, 192.0.2.0/24",
        "192.88.99.0, 192.88.99.255, 192.88.99.0/24",
        "192.168.0.0, 192.168.255.255, 192.168.0.0/16",
        "198.18.0.0, 198.19.255.255, 198.18.0.0/15",
        "198.51.100.0, 198.51.100.255, 198.51.100.0/24",
        "203.0.113.0, 203.0.113.255, 203.0.113.0/24",
        "224.0.0.0, 239.255.255.255, 224.0.0.0/4",
        "240.0.0.0, 255.255.255.255, 240.0.0.0/4",
        "::, ::, ::/128",
        "::1, ::1, ::1/128",
        "::2, ::ffff:fffe, ::/96",
        "::ffff:0:0:0, ::ffff:0:ffff:ffff, ::ffff:0:0:0/96",
        "64:ff9b::, 64:ff9b::ffff:ffff, 64:ff9b::/96",
        "64:ff9b:1::, 64:ff9b:1:ffff:ffff:ffff:ffff:ffff, 64:ff9b:1::/48",
        "100::, 100::ffff:ffff:ffff:ffff, 100::/64",
        "2001::, 2001:0:ffff:ffff:ffff:ffff:ffff:ffff, 2001::/32",
        "2001:1::, 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff, 2001::/23",
        "2001:db8::, 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff, 2001:db8::/32",
        "2002::, 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff, 2002::/16",
        "3fff::, 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff, 3fff::/20",
        "fc00::, fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, fc00::/7",
        "fd00:ec2::254, fd20:ce::254, fc00::/7",
        "fe80::, febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff, fe80::/10",
        "fec0::, feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, fec0::/10",
        "ff00::, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, ff00::/8",
        "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, 4000::, outside of 2000::/3",
        "5f00::1, 64:ff9b:2::, outside of 2000::/3"
    })
    void whatIsNotPublicIsRefusedWithItsBlock(String first, String last, String block) throws UnknownHostException {
        for (String address : new String[] {first, last}) {
            assertThat(refusal(GUARDED, "name.test", address))
                    .as(address)
                    .startsWith("must not go to ")
                    .contains(block)
                    .endsWith(" and not in targets.http.allow");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.0.0.0",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.0",
                "168.63.129.15",
                "168.63.129.17",
                "169.253.255.255",
                "169.255.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "191.255.255.255",
                "192.0.1.0",
                "192.0.3.0",
                "192.88.98.255",
                "192.88.100.0",
                "192.167.255.255",
                "192.169.0.0",
                "198.17.255.255",
                "198.20.0.0",
                "198.51.99.255",
                "198.51.101.0",
                "203.0.112.255",
                "203.0.114.0",
                "223.255.255.255",
                "8.8.8.8",
                "2000::",
                "2001:200::",
                "2001:db7:ffff::",
                "2001:db9::",
                "2003::",
                "2606:4700:4700::1111",
                "2001:4860:4860::8888",
                "3ffe::",
                "3fff:1000::"
            })
    void whatIsBesideABlockIsPublic(String address) throws UnknownHostException {
        assertThat(refusal(GUARDED, "name.test", address)).isNull();
    }

    /** The JDK makes one itself of most addresses of that form, and not of one with a scope. */
    @Test
    void addressOfIpv4InTheFormOfIpv6IsOneOfIpv4() throws UnknownHostException {
        byte[] mapped = new byte[16];
        mapped[10] = -1;
        mapped[11] = -1;
        mapped[12] = 10;
        mapped[15] = 7;
        InetAddress scoped = Inet6Address.getByAddress(null, mapped, 1);
        assertThat(scoped).isInstanceOf(Inet6Address.class);
        assertThat(AddressRange.bytes(scoped)).containsExactly(10, 0, 0, 7);
        assertThat(AddressRange.parse("10.0.0.0/8").contains(AddressRange.bytes(scoped)))
                .isTrue();
    }

    @Test
    void anOperatorAllowsByNumber() throws UnknownHostException {
        DestinationRules rules = rules(Map.of("allow", "10.1.0.0/16, fd00::/8 , 127.0.0.1"));
        assertThat(refusal(rules, "a.test", "10.1.255.255")).isNull();
        assertThat(refusal(rules, "a.test", "fdff::1")).isNull();
        assertThat(refusal(rules, "a.test", "127.0.0.1")).isNull();
        assertThat(refusal(rules, "a.test", "1.1.1.1")).isNull();
        assertThat(refusal(rules, "a.test", "10.2.0.0")).contains("private (10.0.0.0/8)");
        assertThat(refusal(rules, "a.test", "10.0.255.255")).contains("private (10.0.0.0/8)");
        assertThat(refusal(rules, "a.test", "127.0.0.2")).contains("loopback");
        assertThat(refusal(rules, "a.test", "fc00::1")).contains("private (fc00::/7)");
        assertThat(rules.refusal(HttpAddress.of("POST", "http://localhost/"))).isNull();
    }

    @Test
    void blockMayEndWithinAByte() throws UnknownHostException {
        DestinationRules rules = rules(Map.of("allow", "100.64.0.0/11, fe80::/11"));
        assertThat(refusal(rules, "a.test", "100.95.255.255")).isNull();
        assertThat(refusal(rules, "a.test", "100.96.0.0")).contains("100.64.0.0/10");
        assertThat(refusal(rules, "a.test", "fe9f::1")).isNull();
        assertThat(refusal(rules, "a.test", "fea0::1")).contains("link-local");
    }

    @Test
    void anAddressInAUrlIsJudgedAtOnce() {
        assertThat(GUARDED.refusal(HttpAddress.of("POST", "http://10.0.0.1/"))).contains("private (10.0.0.0/8)");
        assertThat(GUARDED.refusal(HttpAddress.of("POST", "http://[fd00::1]/"))).contains("private (fc00::/7)");
        assertThat(GUARDED.refusal(HttpAddress.of("POST", "http://8.8.8.8/"))).isNull();
        assertThat(GUARDED.refusal(HttpAddress.of("POST", "http://1and1.example/")))
                .isNull();
    }

    @Test
    void anOperatorAllowsByName() throws UnknownHostException {
        DestinationRules rules = rules(Map.of("allow", "Shop.Internal, *.svc.test"));
        for (String host : new String[] {"shop.internal", "SHOP.internal.", "a.svc.test", "b.a.svc.test"}) {
            assertThat(refusal(rules, host, "10.1.2.3")).as(host).isNull();
        }
        for (String host :
                new String[] {"a.shop.internal", "xshop.internal", "svc.test", "xsvc.test", "a.svc.test.x"}) {
            assertThat(refusal(rules, host, "10.1.2.3")).as(host).contains("private");
        }
    }

    @Test
    void whatIsDeniedIsDeniedThoughItIsAllowed() throws UnknownHostException {
        DestinationRules rules = rules(Map.of(
                "allow",
                "10.0.0.0/8, shop.internal, 64:ff9b::/96, 0.0.0.0/0",
                "deny",
                "10.9.0.0/16, evil.test, *.bad.test"));
        assertThat(refusal(rules, "a.test", "10.8.0.1")).isNull();
        assertThat(refusal(rules, "a.test", "169.254.169.254")).isNull();
        assertThat(refusal(rules, "a.test", "10.9.0.1"))
                .isEqualTo("must not go to 10.9.0.1, as targets.http.deny has 10.9.0.0/16");
        assertThat(refusal(rules, "shop.internal", "10.9.0.1")).contains("targets.http.deny");
        assertThat(refusal(rules, "shop.internal", "64:ff9b::a09:1")).contains("10.9.0.1");
        assertThat(refusal(rules, "a.test", "64:ff9b::a09:1")).contains("10.9.0.1");
        assertThat(refusal(rules, "a.test", "64:ff9b::a08:1")).isNull();
        for (String host : new String[] {"evil.test", "EVIL.test.", "x.bad.test"}) {
            assertThat(rules.refusal(HttpAddress.of("POST", "http://" + host + "/")))
                    .contains("which targets.http.deny names");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "64:ff9b::/96, 64:ff9b::a00:1, 64:ff9b::808:808",
        "64:ff9b:1::/48, 64:ff9b:1::a00:1, 64:ff9b:1::808:808",
        "64:ff9b:1:fffe::/96, 64:ff9b:1:fffe::a00:1, 64:ff9b:1:fffe::808:808",
        "2002::/16, 2002:a00:1::1, 2002:808:808::1",
        "2001::/32, 2001::f5ff:fffe, 2001::f7f7:f7f7",
        "::ffff:0:0:0/96, ::ffff:0:a00:1, ::ffff:0:808:808"
    })
    void whoAllowsATranslatorAllowsNoPrivateAddressBehindIt(String block, String within, String beside)
            throws UnknownHostException {
        DestinationRules rules = rules(Map.of("allow", block));
        assertThat(refusal(rules, "a.test", within)).contains("10.0.0.1, which is private");
        assertThat(refusal(rules, "a.test", beside)).isNull();
    }

    @Test
    void publicAddressesCanBeClosed() throws UnknownHostException {
        DestinationRules rules = rules(Map.of("public", "false", "allow", "shop.test, 9.9.9.0/24"));
        assertThat(refusal(rules, "shop.test", "8.8.8.8")).isNull();
        assertThat(refusal(rules, "other.test", "9.9.9.9")).isNull();
        assertThat(refusal(rules, "other.test", "8.8.8.8"))
                .isEqualTo("must not go to 8.8.8.8, which is not in targets.http.allow");
    }

    @ParameterizedTest
    @CsvSource({
        "http://a.test/, true",
        "https://a.test/, true",
        "http://a.test:8080/, true",
        "https://a.test:8443/, true",
        "http://a.test:8081/, false",
        "http://a.test:22/, false",
        "http://8.8.8.8:6379/, false",
        "http://a.test:65535/, false"
    })
    void onlySomePortsAreCalled(String url, boolean allowed) {
        String refusal = GUARDED.refusal(HttpAddress.of("POST", url));
        if (allowed) {
            assertThat(refusal).isNull();
        } else {
            assertThat(refusal).contains("as targets.http.ports is 80, 443, 8080, 8443");
        }
        assertThat(rules(Map.of("ports", "443, 8000-8999")).refusal(HttpAddress.of("POST", "http://a.test:8999/")))
                .isNull();
        assertThat(rules(Map.of("ports", "443, 8000-8999")).refusal(HttpAddress.of("POST", "http://a.test/")))
                .isNotNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "allow|10.0.0.1/8|must have no bits behind the first 8",
                "allow|fd00::1/8|must have no bits behind the first 8",
                "allow|100.64.0.0/9|must have no bits behind the first 9",
                "allow|fd00::/7|must have no bits behind the first 7",
                "allow|10.0.0.0/33|must be an address",
                "allow|10.0.0.0/-1|must be an address",
                "allow|10.0.0/8|must be an address",
                "allow|::1/129|must be an address",
                "allow|shop:80|must have no port",
                "deny|a, 10.0.0.1:80|those of all destinations are in targets.http.ports",
                "allow|[::1]:80|must have no port",
                "allow|[::1]|must be an address",
                "allow|fe80::1%eth0|must be an address",
                "allow|''|must be a name",
                "allow|a,,b|must be a name",
                "allow|*|must be a name",
                "allow|a.*.b|must be a name",
                "deny|a b|must be a name",
                "ports|''|must be ports from 1 to 65535",
                "ports|0|must be ports from 1 to 65535",
                "ports|65536|must be ports from 1 to 65535",
                "ports|90-80|must be ports from 1 to 65535",
                "ports|80-|must be ports from 1 to 65535",
                "public|yes|must be true or false",
                "connectTimeout|5|must be a duration",
                "connectTimeout|1ms|must be from 10ms to 10m",
                "totalTimeout|11m|must be from 10ms to 10m",
                "totalTimeout|PT9223372036854775807S|must be from 10ms to 10m",
                "connectTimeout|40s|must be at least connectTimeout, 40000ms",
                "totalTimeout|20s|must be at least headTimeout, 30000ms",
                "nameServers|dns.test|must be addresses",
                "nameServers|''|must be addresses",
                "nameServers|1.1.1.1/x|must be addresses",
                "namesKeptFor|-1s|must not be negative"
            })
    void anOptionThatBreaksItsRuleIsNamed(String name, String value, String rule) {
        assertThatThrownBy(() -> HttpSettings.read(Map.of(name, value)))
                .isInstanceOf(InvalidTargetException.class)
                .hasMessageContaining(rule);
    }

    @Test
    void nameServersHaveAPortOrTheUsualOne() {
        assertThat(HttpSettings.read(Map.of("nameServers", "1.1.1.1, 9.9.9.9:5353, [2001:db8::1], [::1]:54"))
                        .nameServers())
                .extracting(server -> server.getAddress().getHostAddress() + " " + server.getPort())
                .containsExactly("1.1.1.1 53", "9.9.9.9 5353", "2001:db8:0:0:0:0:0:1 53", "0:0:0:0:0:0:0:1 54");
        assertThat(HttpSettings.read(Map.of()).nameServers()).isEmpty();
    }

    @Test
    void timesMayBeAsShortAndAsLongAsIsSaid() {
        HttpSettings settings = HttpSettings.read(
                Map.of("connectTimeout", "10ms", "headTimeout", "10ms", "totalTimeout", "10m", "namesKeptFor", "0s"));
        assertThat(settings.timeouts()).isEqualTo(new Timeouts(10, 10, 600_000));
        assertThat(settings.namesKeptMs()).isZero();
    }

    private static DestinationRules rules(Map<String, String> options) {
        return HttpSettings.read(options).rules();
    }

    private static String refusal(DestinationRules rules, String host, String address) throws UnknownHostException {
        return rules.refusal(HttpAddress.of("POST", "http://" + host + "/"), InetAddress.getByName(address));
    }
}
