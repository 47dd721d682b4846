package io.tickwheel.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Signatures are those of Standard Webhooks; what is no secret is refused without being shown. */
final class SigningSecretsTest {

    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    private static final byte[] BODY = "{\"test\": 2432232314}".getBytes(UTF_8);

    /** The vector of the libraries that the specification names. */
    private static final String SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    private static String secretOf(int bytes) {
        return "whsec_" + Base64.getEncoder().encodeToString(new byte[bytes]);
    }

    @Test
    void signatureIsThatOfTheSpecification() {
        assertThat(SigningSecrets.of(List.of(SECRET)).sign(ID, 1_614_265_330, BODY))
                .isEqualTo(SIGNATURE);
    }

    @Test
    void twoSecretsSignOneAfterTheOther() {
        String other = secretOf(64);
        String ofOther = SigningSecrets.of(List.of(other)).sign(ID, 1_614_265_330, BODY);
        SigningSecrets both = SigningSecrets.of(List.of(other, SECRET));
        assertThat(both.sign(ID, 1_614_265_330, BODY)).isEqualTo(ofOther + ' ' + SIGNATURE);
        assertThat(both.count()).isEqualTo(2);
    }

    @Test
    void everyPartIsSigned() {
        SigningSecrets secrets = SigningSecrets.of(List.of(SECRET));
        assertThat(List.of(
                        secrets.sign(ID, 1_614_265_331, BODY),
                        secrets.sign(ID + "x", 1_614_265_330, BODY),
                        secrets.sign(ID, 1_614_265_330, new byte[0])))
                .doesNotHaveDuplicates()
                .doesNotContain(SIGNATURE);
    }

    @Test
    void keyHas24To64Bytes() {
        assertThat(SigningSecrets.of(List.of(secretOf(24), secretOf(64))).count())
                .isEqualTo(2);
        assertThatThrownBy(() -> SigningSecrets.of(List.of(secretOf(23))))
                .hasMessage("secrets[0] is a key of 23 bytes, must have 24 to 64");
        assertThatThrownBy(() -> SigningSecrets.of(List.of(SECRET, secretOf(65))))
                .hasMessage("secrets[1] is a key of 65 bytes, must have 24 to 64");
    }

    @Test
    void whatIsNoSecretIsRefusedAndNotShown() {
        assertThatThrownBy(() -> SigningSecrets.of(List.of())).hasMessage("secrets has 0 entries, must have 1 to 2");
        assertThatThrownBy(() -> SigningSecrets.of(List.of(SECRET, secretOf(24), secretOf(25))))
                .hasMessage("secrets has 3 entries, must have 1 to 2");
        assertThatThrownBy(() -> SigningSecrets.of(List.of(SECRET, SECRET)))
                .hasMessage("secrets has the same one twice, must have each once");
        for (String wrong : List.of("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec-MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "")) {
            assertThatThrownBy(() -> SigningSecrets.of(List.of(wrong))).hasMessage("secrets[0] must begin with whsec_");
        }
        for (String wrong : List.of(
                "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",
                "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_",
                "MfKQ 9r8GKYqrTwjUPD8ILPZIo2LaLaSw")) {
            assertThatThrownBy(() -> SigningSecrets.of(List.of("whsec_" + wrong)))
                    .hasMessage("secrets[0] must be whsec_ and base64, with its padding");
        }
    }
}
