package io.tickwheel.benchmarks;

import io.tickwheel.engine.Clock;
import java.util.ArrayList;
import java.util.List;

/** What nodes without a timer cost. All nodes are in this process. */
record RedisIdle(int settle, int seconds) implements RedisMeasurement {

    @Override
    public void round(List<RedisContender> contenders, Results results) throws Exception {
        for (RedisContender contender : contenders) {
            run(RedisUnderTest.single(), "idle nodes: 1", 1, contender, results);
            if (contender.isTickwheel()) {
                run(RedisUnderTest.single(), "idle nodes: 2", 2, contender, results);
                run(RedisUnderTest.cluster(), "idle nodes on a cluster: 1", 1, contender, results);
            }
        }
    }

    private void run(RedisUnderTest started, String measure, int count, RedisContender contender, Results results)
            throws Exception {
        System.gc();
        try (RedisUnderTest redis = started) {
            List<RedisNode> nodes = new ArrayList<>();
            try {
                for (int i = 0; i < count; i++) {
                    RedisNode node = contender.open(redis);
                    nodes.add(node);
                    node.deliverTo(new HandledTimers(Clock.system(), 0));
                }
                Thread.sleep(settle * 1_000L);
                RedisCost cost = RedisCost.from(redis);
                Thread.sleep(seconds * 1_000L);
                cost.reportShare(measure, contender.name(), results);
            } finally {
                nodes.forEach(RedisNode::close);
            }
        }
    }
}
