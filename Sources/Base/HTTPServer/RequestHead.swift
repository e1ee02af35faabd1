internal import Bytes
internal import HTTP

/// The request line and the fields of a request, each checked when it is read.
struct RequestHead: Sendable {
    /// Where a body ends (RFC 9112 section 6).
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked
    }

    private var method = ""
    private var path = ""
    private var query = ""
    private var isVersion10 = false
    /// The authority of a target in absolute form, which replaces `Host` (RFC 9112 section 3.2.2).
    private var authority: String?
    private var headers: [HTTPHeader] = []

    private static let methodBytesMax = 32

    init() {}

    /// Requires exactly one space on both sides of the target: the lenient parsing in RFC 9112
    /// section 3 is optional, and dangerous.
    init(line: ArraySlice<UInt8>) throws(RequestRefusal) {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= Self.methodBytesMax else { throw .malformed }
        method = String(decoding: parts[0], as: UTF8.self)
        guard method.isHTTPToken else { throw .malformed }
        isVersion10 = try Self.isVersion10(parts[2])
        // The characters of RFC 9112 section 3.2. A client must encode everything else, and must
        // not send a fragment.
        guard parts[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw .malformed
        }
        try setTarget(String(decoding: parts[1], as: UTF8.self))
    }

    private static func isVersion10(_ text: ArraySlice<UInt8>) throws(RequestRefusal) -> Bool {
        let version = Array(text)
        guard version.count == 8, version.starts(with: "HTTP/".utf8), version[6] == 0x2E,
            version[5].isDigit, version[7].isDigit
        else { throw .malformed }
        guard version[5] == 0x31 else { throw .unknownVersion }
        return version[7] == 0x30
    }

    private mutating func setTarget(_ target: String) throws(RequestRefusal) {
        var target = target.utf8[...]
        if target.elementsEqual("*".utf8), method.utf8.elementsEqual("OPTIONS".utf8) {
            path = "*"
            return
        }
        if target.first != UInt8(ascii: "/") {
            let schemes = ["http://", "https://"]
            let scheme = schemes.first { scheme in
                target.count > scheme.utf8.count
                    && zip(target, scheme.utf8).allSatisfy { byte, wanted in
                        byte == wanted || byte.isUppercase && byte | 0x20 == wanted
                    }
            }
            guard let scheme else { throw .malformed }
            target = target.dropFirst(scheme.utf8.count)
            let host = target.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            guard let host = String(host), Self.isHost(host), !host.isEmpty else {
                throw .malformed
            }
            authority = host
            target = target.dropFirst(host.utf8.count)
        }
        let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        path = end == target.startIndex ? "/" : String(Substring(target[..<end]))
        if end < target.endIndex {
            query = String(Substring(target[target.index(after: end)...]))
        }
    }

    mutating func addField(_ line: ArraySlice<UInt8>) throws(RequestRefusal) {
        headers.append(try Self.field(line))
    }

    /// Also refuses a folded line and a blank before the colon: in both, the name would contain a
    /// blank (RFC 9112 section 5).
    static func field(_ line: ArraySlice<UInt8>) throws(RequestRefusal) -> HTTPHeader {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        var value = line[line.index(after: colon)...].drop(while: \.isBlank)
        while let last = value.last, last.isBlank { value.removeLast() }
        guard name.isHTTPToken, let text = String(validating: value, as: UTF8.self),
            text.isHTTPFieldValue
        else { throw .malformed }
        return HTTPHeader(name, text)
    }

    /// Checks the fields that decide where the request ends and to whom it goes.
    func framing() throws(RequestRefusal) -> Framing {
        try checkHost()
        let lengths = headers.filter { $0.isNamed("content-length") }
        let codings = headers.filter { $0.isNamed("transfer-encoding") }
        guard lengths.count + codings.count <= 1 else { throw .malformed }
        if let coding = codings.first { return try Self.chunked(coding.value, isVersion10) }
        guard let length = lengths.first else { return .none }
        // `Int` would also accept a sign. A list of equal lengths may be refused (RFC 9110 section
        // 8.6).
        guard length.value.utf8.allSatisfy(\.isDigit), let count = Int(length.value)
        else { throw .malformed }
        return .length(count)
    }

    private static func chunked(
        _ value: String, _ isVersion10: Bool
    ) throws(RequestRefusal) -> Framing {
        // RFC 9112 section 6.1: a chunked message of HTTP/1.0 is suspect.
        guard !isVersion10 else { throw .malformed }
        let names = value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { Self.lowercased($0.filter { !$0.isBlank }) }
        guard names.allSatisfy({ $0.isHTTPToken }) else { throw .malformed }
        guard names.allSatisfy({ $0.utf8.elementsEqual("chunked".utf8) }) else {
            throw .unknownTransferCoding
        }
        guard names.count == 1 else { throw .malformed }
        return .chunked
    }

    private func checkHost() throws(RequestRefusal) {
        let hosts = headers.filter { $0.isNamed("host") }
        guard hosts.count <= 1, isVersion10 || hosts.count == 1,
            hosts.allSatisfy({ Self.isHost($0.value) })
        else { throw .malformed }
    }

    /// `host[:port]` without user information (RFC 9110 section 7.2); it may be empty.
    private static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            byte.isLetterOrDigit
                || ".-_~:[]%!$&'()*+,;=".utf8.contains(byte)
        }
    }

    func expectsContinue() throws(RequestRefusal) -> Bool {
        let expectations = headers.filter { $0.isNamed("expect") }
        guard !isVersion10, let first = expectations.first else { return false }
        guard expectations.count == 1,
            Self.lowercased(Array(first.value.utf8)).utf8.elementsEqual("100-continue".utf8)
        else { throw .unknownExpectation }
        return true
    }

    func request(body: [UInt8]) -> ReceivedRequest {
        var headers = headers
        if let authority {
            headers.removeAll { $0.isNamed("host") }
            headers.insert(HTTPHeader("Host", authority), at: 0)
        }
        return ReceivedRequest(
            method: method, path: path, query: query, headers: headers, body: body,
            closes: closes)
    }

    /// Before version 1.1, a connection is kept only if that is negotiated, and no proxy needs
    /// that.
    private var closes: Bool {
        isVersion10
            || headers.contains { header in
                header.isNamed("connection")
                    && header.value.utf8.split(separator: UInt8(ascii: ",")).contains { option in
                        Self.lowercased(option.filter { !$0.isBlank }).utf8
                            .elementsEqual("close".utf8)
                    }
            }
    }

    private static func lowercased(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map(\.lowercased), as: UTF8.self)
    }
}
