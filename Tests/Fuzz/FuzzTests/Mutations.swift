import AuthTestSupport

/// Inputs derived from other inputs, reproducible by their seed.
struct Mutations {
    private var generator: SplitMix64
    private let inputs: [[UInt8]]
    private let bytesMax: Int

    /// Byte sequences with a meaning in one of the formats.
    private static let tokens = [
        "\"", "{", "}", "[", "]", ":", ",", "\\u0000", "\\", "\r\n", "\n", "\r\n\r\n", ";", "=",
        "&", "%", "%00", "%zz", "+", ".", "..", "/", "?", "*", "#", "(", ")", "<", ">", "@",
        "\u{0}", "\u{7F}", "\u{FF}", "0", "-1", "1e9", "99999999999999999999", "chunked",
        "Content-Length: ", "null", "${aws:username}", "=?utf-8?q?=41?=", "AND", "NOT ",
    ].map { Array($0.utf8) }

    init(of inputs: [[UInt8]], bytesMax: Int, seed: UInt64) {
        self.inputs = inputs.isEmpty ? [[]] : inputs
        self.bytesMax = bytesMax
        generator = SplitMix64(seed: seed)
    }

    mutating func next() -> [UInt8] {
        var bytes = inputs[below(inputs.count)]
        for _ in 0...below(4) { change(&bytes) }
        return Array(bytes.prefix(bytesMax))
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = below(bytes.count + 1)
        let end = min(bytes.count, place + below(8))
        switch below(6) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(below(8))
        case 1: bytes.insert(UInt8(below(256)), at: place)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: Self.tokens[below(Self.tokens.count)], at: place)
        case 4: bytes.insert(contentsOf: bytes[place..<end], at: place)
        default:
            let other = inputs[below(inputs.count)]
            bytes = Array(bytes.prefix(place)) + other.dropFirst(below(other.count + 1))
        }
    }

    private mutating func below(_ limit: Int) -> Int {
        Int(generator.next() % UInt64(limit))
    }
}
