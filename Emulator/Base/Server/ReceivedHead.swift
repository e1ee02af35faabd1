internal import CHTTPServer
internal import Glibc
internal import HTTP

/// Checks a request's head as parsed in place by libmicrohttpd.
///
/// libmicrohttpd 0.9.75 writes a NUL after each piece, drops headers without a name, joins folded
/// lines without a space, and accepts a bare line feed as a line end. A NUL in the input therefore
/// hides what follows it, and another HTTP parser would see a different request. A head is accepted
/// only if its pieces are contiguous from the first byte to the last, with nothing but HTTP's own
/// separators between them.
final class ReceivedHead {
    private(set) var headers: [HTTPHeader] = []
    /// Whether no part of the input is hidden.
    private(set) var isWhole = true
    /// Where the next piece must begin.
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
        // The position is after the empty line.
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
        // Only spaces and tabs may precede a value.
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
        headers.append(HTTPHeader(String(cString: name), Self.text(bytes)))
    }

    /// Values are UTF-8 today; formerly they were ISO-8859-1 (RFC 9110 section 5.5).
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        // A validating copy takes five times as long.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        for byte in bytes { text.unicodeScalars.append(UnicodeScalar(byte)) }
        return text
    }

    private static let blanksMax = 1 << 20

    private static func isBlank(_ byte: CChar) -> Bool { byte == 0x20 || byte == 0x09 }

    private func expect(_ piece: UnsafePointer<CChar>, endBytes: Int) {
        check(Int(bitPattern: piece) == position)
        position = Int(bitPattern: piece) + strlen(piece) + endBytes
    }

    private func check(_ holds: Bool) { isWhole = isWhole && holds }
}
