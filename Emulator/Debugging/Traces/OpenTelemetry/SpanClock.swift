/// Converts between the clock of the calls and the time of day, both in nanoseconds.
package struct SpanClock: Sendable {
    private let monotonic: UInt64
    private let wall: UInt64

    /// Two readings of the same moment.
    package init(monotonic: UInt64, wall: UInt64) {
        self.monotonic = monotonic
        self.wall = wall
    }

    func wall(ofMonotonic time: UInt64) -> UInt64 {
        time >= monotonic
            ? wall &+ (time - monotonic) : wall - min(wall, monotonic - time)
    }

    func monotonic(ofWall time: UInt64) -> UInt64 {
        time >= wall
            ? monotonic &+ (time - wall) : monotonic - min(monotonic, wall - time)
    }
}
