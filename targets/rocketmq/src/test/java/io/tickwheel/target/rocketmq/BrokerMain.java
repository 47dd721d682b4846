package io.tickwheel.target.rocketmq;

import java.lang.reflect.InvocationTargetException;

/** Runs name server, broker and proxy in the process that {@link RocketmqBroker} starts, on the class path of RocketMQ. */
final class BrokerMain {

    private BrokerMain() {}

    /**
     * Starts all three.
     *
     * @param arguments the address of the name server
     */
    public static void main(String[] arguments) throws ReflectiveOperationException {
        run("org.apache.rocketmq.namesrv.NamesrvStartup", "-c", "names.conf");
        run("org.apache.rocketmq.proxy.ProxyStartup", "-n", arguments[0], "-bc", "broker.conf", "-pc", "proxy.json");
    }

    private static void run(String program, String... arguments) throws ReflectiveOperationException {
        try {
            Class.forName(program).getMethod("main", String[].class).invoke(null, (Object) arguments);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(program + " does not start", e.getCause());
        }
    }
}
