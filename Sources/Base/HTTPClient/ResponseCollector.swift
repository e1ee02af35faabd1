internal import Bytes
internal import CCurl
internal import HTTP

/// Collects one response from libcurl's callbacks, within limits.
///
/// The callbacks run inside C frames, so nothing here throws or traps. A failure is stored and
/// reported to libcurl by consuming fewer bytes than offered.
final class ResponseCollector {
    static let headersMax = 128
    static let headerBytesMax = 64 << 10

    private enum Refusal { case tooLarge, malformedHeader }

    private let bodyBytesMax: Int
    private var status: Int?
    private var headers: [HTTPHeader] = []
    private var headerBytes = 0
    private var headersAreComplete = false
    private var body: [UInt8] = []
    private var refusal: Refusal?

    init(bodyBytesMax: Int) { self.bodyBytesMax = bodyBytesMax }

    /// The body of the C callback. Returns the number of bytes consumed; anything but all of them
    /// aborts the transfer.
    static func receive(
        _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
        _ context: UnsafeMutableRawPointer?,
        _ take: (ResponseCollector, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        let (total, overflow) = size.multipliedReportingOverflow(by: count)
        guard !overflow, let context else { return 0 }
        guard total > 0, let bytes else { return total }
        let collector = Unmanaged<ResponseCollector>.fromOpaque(context).takeUnretainedValue()
        return take(collector, UnsafeRawBufferPointer(start: bytes, count: total)) ? total : 0
    }

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= bodyBytesMax - body.count else { return refuse(.tooLarge) }
        body.append(contentsOf: bytes)
        return true
    }

    func takeHeaderLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= Self.headerBytesMax else { return refuse(.tooLarge) }
        let line = bytes.trimmingLineEnd
        if line.starts(with: "HTTP/".utf8), headersAreComplete || status == nil {
            // Resets after an interim response such as `100 Continue`: only the last header block
            // counts.
            guard let code = Self.statusCode(line) else { return refuse(.malformedHeader) }
            status = code
            headers = []
            headersAreComplete = false
            return true
        }
        if headersAreComplete { return true }  // This is a trailer: it is counted and not kept.
        if line.isEmpty {
            headersAreComplete = true
            return true
        }
        guard headers.count < Self.headersMax else { return refuse(.tooLarge) }
        guard let header = Self.header(line) else { return refuse(.malformedHeader) }
        headers.append(header)
        return true
    }

    /// - Parameter problem: the meaning of `code`.
    func result(of code: CURLcode, _ problem: @autoclosure () -> TransportProblem)
        throws(HTTPFailure) -> HTTPResponse
    {
        switch refusal {
        case .tooLarge: throw .responseTooLarge
        case .malformedHeader: throw .interrupted(detail: "malformed response header")
        case nil: break
        }
        guard code == CURLE_OK else { throw HTTPFailure(code, problem()) }
        guard let status else { throw .interrupted(detail: "no status line") }
        return HTTPResponse(status: status, headers: headers, body: body)
    }

    private func refuse(_ reason: Refusal) -> Bool {
        refusal = reason
        return false
    }

    // RFC 9112 section 4: `HTTP/1.1 200 OK`. libcurl has checked the version.
    private static func statusCode(_ line: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard let space = line.firstIndex(of: 0x20) else { return nil }
        let digits = line[(space + 1)...].prefix(3)
        guard digits.count == 3, digits.allSatisfy(\.isDigit) else {
            return nil
        }
        let code = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return (100...599).contains(code) ? code : nil
    }

    // RFC 9112 section 5: no white space before the colon, no line folding.
    private static func header(_ line: Slice<UnsafeRawBufferPointer>) -> HTTPHeader? {
        guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex else { return nil }
        let name = line[..<colon]
        guard name.allSatisfy(HeaderLines.isTokenByte) else { return nil }
        var value = line[(colon + 1)...].drop(while: \.isBlank)
        while let last = value.last, last.isBlank { value.removeLast() }
        let lowerCase = name.map(\.lowercased)
        return HTTPHeader(
            String(decoding: lowerCase, as: UTF8.self),
            String(decoding: value, as: UTF8.self))
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var trimmingLineEnd: Slice<UnsafeRawBufferPointer> {
        var line = self[...]
        if line.last == 0x0A { line.removeLast() }
        if line.last == 0x0D { line.removeLast() }
        return line
    }
}

extension HTTPFailure {
    /// Whether the failure came before the request was sent, or possibly after, or is of another
    /// kind.
    fileprivate init(_ code: CURLcode, _ problem: TransportProblem) {
        switch code {
        case CURLE_URL_MALFORMAT: self = .invalidURL
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_FILESIZE_EXCEEDED: self = .responseTooLarge
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT,
            CURLE_PROXY, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            self = .connectFailed(problem, detail: code.explanation)
        // libcurl adds codes over time; for an unknown one, assume that the request may have been
        // sent.
        default: self = .interrupted(detail: code.explanation)
        }
    }
}
