/// Predicts whether the next wait will be short: it is predicted from the wait that last followed
/// the same three waits.
///
/// Waits come in patterns. A process that has answered asks for the next event at once, and answers
/// that event much later; so a short wait is followed by a long wait.
package struct WaitForecast {
    private static let waits = 3
    /// Whether the next wait was short, by the last three waits; the latest is the lowest bit.
    private var followers = [Bool](repeating: false, count: 1 << waits)
    private var last = 0

    package init() {}

    package var isShort: Bool { followers[last] }

    package mutating func learn(isShort: Bool) {
        followers[last] = isShort
        last = (last << 1 | (isShort ? 1 : 0)) & (followers.count - 1)
    }
}
