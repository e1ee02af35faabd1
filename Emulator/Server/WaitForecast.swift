/// Whether the next wait will be a short one: what followed last time on the same three waits.
///
/// Waits come in patterns. A process that has answered asks for the next event at once, and answers
/// that one much later; so a short wait says that the next one is long.
package struct WaitForecast {
    private static let waits = 3
    /// By the last waits, the latest in the lowest bit: what came next.
    private var followers = [Bool](repeating: false, count: 1 << waits)
    private var last = 0

    package init() {}

    package var isShort: Bool { followers[last] }

    package mutating func learn(isShort: Bool) {
        followers[last] = isShort
        last = (last << 1 | (isShort ? 1 : 0)) & (followers.count - 1)
    }
}
