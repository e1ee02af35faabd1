import BaseTestSupport

/// Puts small and large objects repeatedly under a few keys.
final class ObjectWriter: Writer {
    static let bucket = "objects"
    private static let sizes = [16, 1000, 64 << 10, (64 << 10) + 1, 300_000]
    private static let keysMax = 7

    private struct State: Sendable {
        var next = 0
        var count = 0
        /// The number of the last acknowledged put, by key.
        var acknowledged: [Int: Int] = [:]
        var asked: [Int: Int] = [:]
    }

    private let name: String
    private let state = Mutex(State())

    init(_ name: String) { self.name = name }

    var acknowledgedCount: Int { state.withLock { $0.count } }
    /// An upper bound of the size of all its objects.
    static let bytesMax = keysMax * 300_000

    func step(_ caller: EmulatorClient) throws {
        let number = state.withLock { state in
            state.next += 1
            state.asked[state.next % Self.keysMax] = state.next
            return state.next
        }
        let answer = try caller.object(.put, path(number), Self.content(number))
        try #require(answer.status == 200, "\(answer.text)")
        state.withLock { state in
            state.acknowledged[number % Self.keysMax] = number
            state.count += 1
        }
    }

    func verify(_ caller: EmulatorClient) throws {
        let (acknowledged, asked) = state.withLock { ($0.acknowledged, $0.asked) }
        for (key, last) in asked {
            let answer = try caller.object(.get, path(key))
            guard answer.status == 200 else {
                expectEqual(answer.status, 404)
                expectEqual(acknowledged[key], nil, "\(name) \(key) is lost")
                continue
            }
            let number = try #require(Self.number(answer.body))
            expectEqual(answer.body, Self.content(number), "\(name) \(number)")
            #expect((acknowledged[key] ?? 0)...last ~= number, "\(name) \(key)")
            state.withLock { state in
                state.acknowledged[key] = number
                state.asked[key] = number
            }
        }
    }

    func verifyAll(_ caller: EmulatorClient) throws { try verify(caller) }

    private func path(_ number: Int) -> String {
        "/\(Self.bucket)/\(name)/\(number % Self.keysMax)"
    }

    private static func content(_ number: Int) -> [UInt8] {
        let head = Array("\(number)\n".utf8)
        let size = sizes[number % sizes.count]
        let middle = [UInt8](
            repeating: UInt8(truncatingIfNeeded: number), count: max(0, size - 2 * head.count))
        return head + middle + head
    }

    private static func number(_ content: [UInt8]) -> Int? {
        Int(String(decoding: content.prefix { $0 != 0x0A }, as: UTF8.self))
    }
}
