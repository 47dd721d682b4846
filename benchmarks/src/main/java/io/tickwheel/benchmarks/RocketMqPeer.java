package io.tickwheel.benchmarks;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.common.MQVersion;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.namesrv.NamesrvConfig;
import org.apache.rocketmq.namesrv.NamesrvController;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.store.config.FlushDiskType;
import org.apache.rocketmq.store.config.MessageStoreConfig;
import org.jspecify.annotations.Nullable;

/**
 * RocketMQ in this process: name server and broker with the timer wheel at 100 ms. All connections are one of the client's, which carries as many unanswered sends as there are
 * threads.
 */
final class RocketMqPeer implements Peer {

    private static final String TOPIC = "timers";
    private static final String HOST = "127.0.0.1";
    private static final int PRECISION_MS = 100;
    private static final int PATIENCE_MS = 30_000;
    private static final int LOOK_MS = 100;
    private static final int QUEUES = 8;

    private final NamesrvController names;
    private final BrokerController broker;
    private final String namesAddress;
    private final DefaultMQProducer producer = new DefaultMQProducer("producers");
    private @Nullable DefaultMQPushConsumer consumer;

    /** @param flush whether a message is on disk before it is answered */
    RocketMqPeer(Path directory, FlushDiskType flush) throws Exception {
        // Without it, the name server takes no topic of the broker.
        System.setProperty(RemotingCommand.REMOTING_VERSION_KEY, Integer.toString(MQVersion.CURRENT_VERSION));
        InetSocketAddress nameServer = Loopback.freePort();
        namesAddress = HOST + ":" + nameServer.getPort();
        names = nameServer(directory, nameServer);
        broker = broker(directory, namesAddress, flush);
        producer.setNamesrvAddr(namesAddress);
        producer.setSendMsgTimeout(PATIENCE_MS);
        producer.start();
        broker.getTopicConfigManager().updateTopicConfig(new TopicConfig(TOPIC, QUEUES, QUEUES));
        awaitTopic();
    }

    /** The broker tells the name server of its topics when it has time to, and what is sent before is refused. */
    private void awaitTopic() throws Exception {
        for (int waitedMs = 0; ; waitedMs += LOOK_MS) {
            broker.registerBrokerAll(true, false, true);
            try {
                producer.fetchPublishMessageQueues(TOPIC);
                return;
            } catch (MQClientException e) {
                if (waitedMs >= PATIENCE_MS) {
                    throw new IOException("the broker's topic is not known to the name server", e);
                }
            }
            Thread.sleep(LOOK_MS);
        }
    }

    @Override
    public Connection connect() {
        return new Client(producer);
    }

    @Override
    public void receive(Receiver receiver) throws Exception {
        DefaultMQPushConsumer pushed = new DefaultMQPushConsumer("consumers");
        pushed.setNamesrvAddr(namesAddress);
        pushed.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        pushed.subscribe(TOPIC, "*");
        pushed.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
            messages.forEach(message -> receiver.arrived(message.getBody()));
            return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        });
        pushed.start();
        consumer = pushed;
    }

    @Override
    public void close() {
        if (consumer != null) {
            consumer.shutdown();
        }
        producer.shutdown();
        broker.shutdown();
        names.shutdown();
    }

    private static NamesrvController nameServer(Path directory, InetSocketAddress address) throws Exception {
        NamesrvConfig config = new NamesrvConfig();
        config.setNeedWaitForService(false);
        config.setKvConfigPath(directory.resolve("names.json").toString());
        config.setConfigStorePath(directory.resolve("names.properties").toString());
        NamesrvController names = new NamesrvController(config, listening(address));
        if (!names.initialize()) {
            throw new IOException("the name server does not start");
        }
        names.start();
        return names;
    }

    private static BrokerController broker(Path directory, String namesAddress, FlushDiskType flush) throws Exception {
        BrokerConfig config = new BrokerConfig();
        config.setBrokerName("bench");
        config.setBrokerIP1(HOST);
        config.setBrokerIP2(HOST);
        config.setNamesrvAddr(namesAddress);
        config.setWaitTimeMillsInSendQueue(PATIENCE_MS);
        MessageStoreConfig store = new MessageStoreConfig();
        store.setStorePathRootDir(directory.toString());
        store.setStorePathCommitLog(directory.resolve("commitlog").toString());
        store.setFlushDiskType(flush);
        store.setSyncFlushTimeout(PATIENCE_MS);
        store.setOsPageCacheBusyTimeOutMills(PATIENCE_MS);
        store.setTimerWheelEnable(true);
        store.setTimerPrecisionMs(PRECISION_MS);
        BrokerController broker =
                new BrokerController(config, listening(Loopback.freePort()), new NettyClientConfig(), store);
        if (!broker.initialize()) {
            throw new IOException("the broker does not start");
        }
        broker.start();
        return broker;
    }

    private static NettyServerConfig listening(InetSocketAddress address) {
        NettyServerConfig config = new NettyServerConfig();
        config.setBindAddress(HOST);
        config.setListenPort(address.getPort());
        return config;
    }

    private record Client(DefaultMQProducer producer) implements Connection {

        @Override
        public void put(long number, long dueAtMs) throws Exception {
            Message message = new Message(TOPIC, new PeerPayload(number, dueAtMs).bytes());
            message.setDeliverTimeMs(dueAtMs);
            SendResult result = producer.send(message);
            if (result.getSendStatus() != SendStatus.SEND_OK) {
                throw new IOException("RocketMQ answered " + result);
            }
        }

        @Override
        public void close() {}
    }
}
