internal import Bytes
package import HTTP

/// An incremental parser of one HTTP/1.1 response (RFC 9112).
///
/// It is strict, so that parsers cannot disagree about the end of a message: lines end with CRLF,
/// and there is either one length or one `chunked`, never both.
package struct LocalHTTPResponse {
    package enum Failure: Error, Equatable {
        case malformed
        case tooLarge
    }

    package static let headBytesMax = 64 << 10
    package static let headersMax = 128

    private enum Phase {
        case head
        /// The number of bytes still expected.
        case body(left: Int)
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailer
        case untilClose
        case done
    }

    private let bodyBytesMax: Int
    private var phase = Phase.head
    private var buffer: [UInt8] = []
    /// The number of consumed bytes of the buffer, and the index up to which it was searched for a
    /// line end.
    private var position = 0
    private var searched = 0
    /// The total size of status lines, headers, chunk sizes and trailers.
    private var lineBytes = 0
    private var status: Int?
    private var headers: [HTTPHeader] = []
    private var body: [UInt8] = []
    private var isPersistent = true

    package init(bodyBytesMax: Int) { self.bodyBytesMax = bodyBytesMax }

    /// Processes received bytes; true when the response is complete.
    package mutating func receive(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Bool {
        buffer += bytes
        while try advance() {}
        if case .done = phase { return true }
        return false
    }

    /// Call this when the peer has closed the connection; true if that completes the response.
    package mutating func receiveEnd() -> Bool {
        guard case .untilClose = phase else { return false }
        phase = .done
        return true
    }

    /// Whether anything has arrived.
    package var hasBegun: Bool { !buffer.isEmpty || status != nil }

    /// Whether the connection can be reused.
    package var keepsConnection: Bool {
        guard case .done = phase else { return false }
        return isPersistent && position == buffer.count
    }

    package var response: HTTPResponse? {
        guard case .done = phase, let status else { return nil }
        return HTTPResponse(status: status, headers: headers, body: body)
    }

    /// One step; false when more bytes are needed or the response is complete.
    private mutating func advance() throws(Failure) -> Bool {
        switch phase {
        case .head:
            guard let line = try nextLine() else { return false }
            try readHead(line)
        case .body(let left):
            let rest = try takeBody(left)
            guard rest == 0 else {
                phase = .body(left: rest)
                return false
            }
            phase = .done
        case .chunkSize:
            guard let line = try nextLine() else { return false }
            let size = try Self.chunkSize(line)
            guard size <= bodyBytesMax - body.count else { throw .tooLarge }
            phase = size == 0 ? .trailer : .chunk(left: size)
        case .chunk(let left):
            let rest = try takeBody(left)
            guard rest == 0 else {
                phase = .chunk(left: rest)
                return false
            }
            phase = .chunkEnd
        case .chunkEnd:
            guard let line = try nextLine() else { return false }
            guard line.isEmpty else { throw .malformed }
            phase = .chunkSize
        case .trailer:
            guard let line = try nextLine() else { return false }
            if line.isEmpty { phase = .done }
        case .untilClose:
            _ = try takeBody(.max)
            return false
        case .done: return false
        }
        return true
    }

    /// Moves up to `count` bytes into the body; returns how many are missing.
    private mutating func takeBody(_ count: Int) throws(Failure) -> Int {
        let taken = min(count, buffer.count - position)
        guard taken <= bodyBytesMax - body.count else { throw .tooLarge }
        body += buffer[position..<(position + taken)]
        position += taken
        searched = position
        return count - taken
    }

    /// The next line without its CRLF; nil if it is incomplete.
    private mutating func nextLine() throws(Failure) -> ArraySlice<UInt8>? {
        while searched < buffer.count, buffer[searched] != UInt8(ascii: "\n") { searched += 1 }
        guard searched < buffer.count else {
            guard lineBytes + buffer.count - position <= Self.headBytesMax else {
                throw .tooLarge
            }
            return nil
        }
        let line = buffer[position..<searched]
        searched += 1
        lineBytes += searched - position
        position = searched
        guard lineBytes <= Self.headBytesMax else { throw .tooLarge }
        guard line.last == UInt8(ascii: "\r") else { throw .malformed }
        return line.dropLast()
    }
}

extension LocalHTTPResponse {
    private mutating func readHead(_ line: ArraySlice<UInt8>) throws(Failure) {
        guard status != nil else {
            status = try readStatus(line)
            return
        }
        guard line.isEmpty else {
            guard headers.count < Self.headersMax else { throw .tooLarge }
            headers.append(try Self.header(line))
            return
        }
        guard let status, status >= 200 else {
            // An interim response (RFC 9110 section 15.2): the final one follows.
            status = nil
            headers = []
            return
        }
        phase = try framing(status)
    }

    /// RFC 9112 section 6.3.
    private mutating func framing(_ status: Int) throws(Failure) -> Phase {
        if values("connection").contains(where: { Self.isSame($0, "close") }) {
            isPersistent = false
        }
        let codings = values("transfer-encoding")
        let lengths = values("content-length")
        guard status != 204, status != 304 else { return .done }
        if !codings.isEmpty {
            guard lengths.isEmpty, codings.count == 1, Self.isSame(codings[0], "chunked") else {
                throw .malformed
            }
            return .chunkSize
        }
        guard let first = lengths.first else {
            isPersistent = false
            return .untilClose
        }
        guard lengths.count == 1, let length = Self.number(first.utf8, radix: 10) else {
            throw .malformed
        }
        guard length <= bodyBytesMax else { throw .tooLarge }
        body.reserveCapacity(length)
        return .body(left: length)
    }

    private func values(_ name: String) -> [String] {
        headers.filter { $0.isNamed(name) }.map(\.value)
    }

    /// Compares without regard to the case of ASCII letters.
    private static func isSame(_ value: String, _ lowercased: String) -> Bool {
        HTTPHeader(value, "").isNamed(lowercased)
    }

    /// RFC 9112 section 4: `HTTP/1.1 200 OK`.
    private mutating func readStatus(_ line: ArraySlice<UInt8>) throws(Failure) -> Int {
        let bytes = Array(line)
        guard bytes.count >= 12, bytes.starts(with: "HTTP/1.".utf8),
            bytes[7] == UInt8(ascii: "0") || bytes[7] == UInt8(ascii: "1"),
            bytes[8] == UInt8(ascii: " "), bytes.count == 12 || bytes[12] == UInt8(ascii: " "),
            let code = Self.number(bytes[9..<12], radix: 10), (100...599).contains(code)
        else { throw .malformed }
        if bytes[7] == UInt8(ascii: "0") { isPersistent = false }
        return code
    }

    /// RFC 9112 section 5: no white space before the colon, no line folding.
    private static func header(_ line: ArraySlice<UInt8>) throws(Failure) -> HTTPHeader {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw .malformed }
        var value = line[(colon + 1)...].drop(while: \.isBlank)
        while let last = value.last, last.isBlank { value.removeLast() }
        let name = line[..<colon].map(\.lowercased)
        return HTTPHeader(
            String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    /// RFC 9112 section 7.1: hexadecimal digits; extensions are ignored.
    private static func chunkSize(_ line: ArraySlice<UInt8>) throws(Failure) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") && !$0.isBlank }
        guard let size = number(digits, radix: 16) else { throw .malformed }
        return size
    }

    /// Parses a number that consists only of a limited count of digits.
    private static func number(_ digits: some Collection<UInt8>, radix: Int) -> Int? {
        guard (1...10).contains(digits.count) else { return nil }
        var value = 0
        for byte in digits {
            guard let digit = Hex.value(of: byte), digit < radix else { return nil }
            value = value * radix + Int(digit)
        }
        return value
    }
}
