package io.tickwheel.target.rocketmq;

import org.apache.rocketmq.client.apis.SessionCredentials;
import org.apache.rocketmq.client.apis.SessionCredentialsProvider;

/** By what RocketMQ knows us. Shows neither key nor secret. */
final class Credentials implements SessionCredentialsProvider {

    private final SessionCredentials credentials;

    Credentials(String accessKey, String secretKey) {
        this.credentials = new SessionCredentials(accessKey, secretKey);
    }

    @Override
    public SessionCredentials getSessionCredentials() {
        return credentials;
    }

    @Override
    public String toString() {
        return "Credentials";
    }
}
