internal import Bytes
internal import Cryptography
internal import Time

/// Generates request IDs and trace IDs.
final class Identifiers: Sendable {
    private let random: RandomSource

    init(random: RandomSource) { self.random = random.inBlocks() }

    /// A version 4 UUID.
    func requestID() -> String { RandomUUID.text(random.bytes(16)) }

    /// `Root=1-<8 hex epoch seconds>-<24 hex>;Parent=<16 hex>;Sampled=0`; an incoming root is kept.
    func traceID(at now: Instant, continuing incoming: String?) -> String {
        let bytes = random.bytes(20)
        let parent = Hex.encode(Array(bytes[12...]))
        if let root = incoming.flatMap(root) { return "\(root);Parent=\(parent);Sampled=0" }
        let seconds = UInt32(truncatingIfNeeded: now.seconds)
        let epoch = Hex.encode((0..<4).map { UInt8(truncatingIfNeeded: seconds >> (24 - 8 * $0)) })
        return "Root=1-\(epoch)-\(Hex.encode(Array(bytes[..<12])));Parent=\(parent);Sampled=0"
    }

    private func root(_ header: String) -> Substring? {
        let semicolon = UInt8(ascii: ";")
        let root = header.utf8.split(separator: semicolon).first { $0.starts(with: "Root=".utf8) }
        return root.map(Substring.init)
    }

    /// 32 hexadecimal digits.
    func instanceID() -> String { Hex.encode(random.bytes(16)) }
}
