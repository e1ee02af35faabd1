internal import CHTTPServer
internal import Glibc
internal import HTTP

/// A request's head as libmicrohttpd has cut it up, where it lies.
///
/// libmicrohttpd 0.9.75 ends each piece with a NUL in place of what stood there, drops headers
/// without a name, glues folded lines together without a blank, and takes a line feed alone for
/// the end of a line. So a NUL that was sent hides what follows it, and other readers of the same
/// bytes would see another request. We take a head only if its pieces lie one after the other
/// with nothing between them but what HTTP puts there, from its first byte to its last.
final class ReceivedHead {
    private(set) var headers: [HTTPHeader] = []
    /// Whether nothing was hidden.
    private(set) var isWhole = true
    /// Where the next piece has to be.
    private var position = 0

    private init() { headers.reserveCapacity(12) }

    static func read(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, target: UnsafeRawBufferPointer,
        version: UnsafePointer<CChar>
    ) -> ReceivedHead {
        let head = ReceivedHead()
        let start = Int(bitPattern: method)
        head.position = start
        head.expect(method, endBytes: 1)
        head.check(Int(bitPattern: target.baseAddress) == head.position)
        head.position += target.count + 1
        head.expect(version, endBytes: 2)
        head.collect(connection, .HEADER_KIND)
        // The empty line.
        head.check(head.position + 2 == start + latchkey_http_head_bytes(connection))
        return head
    }

    static func trailers(of connection: OpaquePointer) -> [HTTPHeader] {
        let head = ReceivedHead()
        head.collect(connection, .FOOTER_KIND)
        return head.headers
    }

    private func collect(_ connection: OpaquePointer, _ kind: MHD_ValueKind) {
        // The callback runs before this call returns.
        withExtendedLifetime(self) {
            _ = MHD_get_connection_values(
                connection, kind,
                { context, _, name, value in
                    guard let context, let name, let value else { return .NO }
                    Unmanaged<ReceivedHead>.fromOpaque(context).takeUnretainedValue()
                        .add(name, value)
                    return .YES
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    private func add(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) {
        expect(name, endBytes: 1)
        // Blanks may stand before a value, and only they.
        let blanks = Int(bitPattern: value) - position
        check((0...Self.blanksMax).contains(blanks))
        if isWhole, blanks > 0 {
            check((1...blanks).allSatisfy { Self.isBlank(value[-$0]) })
        }
        position = Int(bitPattern: value)
        expect(value, endBytes: 2)
        var end = strlen(value)
        while end > 0, Self.isBlank(value[end - 1]) { end -= 1 }
        let bytes = UnsafeRawBufferPointer(start: value, count: end)
        headers.append(HTTPHeader(String(cString: name), String(decoding: bytes, as: UTF8.self)))
    }

    private static let blanksMax = 1 << 20

    private static func isBlank(_ byte: CChar) -> Bool { byte == 0x20 || byte == 0x09 }

    private func expect(_ piece: UnsafePointer<CChar>, endBytes: Int) {
        check(Int(bitPattern: piece) == position)
        position = Int(bitPattern: piece) + strlen(piece) + endBytes
    }

    private func check(_ holds: Bool) { isWhole = isWhole && holds }
}
