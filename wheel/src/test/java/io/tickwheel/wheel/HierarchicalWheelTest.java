package io.tickwheel.wheel;

class HierarchicalWheelTest implements NodeWheelContract, CascadeContract {
    @Override
    public AnyWheel wheel(long startTick, AnyWheel.Nodes nodes) {
        return AnyWheel.hierarchical(startTick, nodes);
    }
}
