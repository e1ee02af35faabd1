/// Checks that received bytes are valid responses and nothing else.
struct ResponseValidator {
    let mayBeHead: Bool
    let end: RandomExchange.End

    /// Success and client errors; also 505, which is a client error in effect (RFC 9110 section
    /// 15.6.6), and 501 for operations and services that are not implemented.
    private static func isProper(_ status: Int, _ rest: ArraySlice<UInt8>) -> Bool {
        switch status {
        case 100..<500, 505: true
        case 501:
            // The code is in the body, or in a header in some protocols.
            ["NotImplemented", "The emulator "].contains {
                String(decoding: rest, as: UTF8.self).contains($0)
            }
        default: false
        }
    }

    func judge(_ bytes: [UInt8]) -> (statuses: [Int], problem: String?) {
        switch end {
        case .noConnection: return ([], "no connection")
        case .timeout: return ([], "no end")
        case .closed, .reset: break
        }
        var statuses: [Int] = []
        var left = bytes[...]
        while !left.isEmpty {
            guard let head = Head(&left) else {
                return (statuses, end == .reset ? nil : "an answer's head is not HTTP")
            }
            statuses.append(head.status)
            guard Self.isProper(head.status, left) else {
                return (statuses, "status \(head.status)")
            }
            if let problem = skipBody(of: head, &left) {
                return (statuses, end == .reset ? nil : problem)
            }
            // Clients stop reading here (RFC 9112 section 9.6). libmicrohttpd 0.9.75 sends more:
            // the head of its response to a malformed Content-Length is duplicated.
            if head.closes { break }
        }
        return (statuses, nil)
    }

    private func skipBody(of head: Head, _ left: inout ArraySlice<UInt8>) -> String? {
        if head.status < 200 || head.status == 204 || head.status == 304 { return nil }
        if mayBeHead, left.isEmpty || left.starts(with: "HTTP/1.".utf8) { return nil }
        if head.isChunked { return skipChunks(&left) }
        guard let length = head.length else { return "an answer does not say where it ends" }
        guard left.count >= length else { return "an answer ends before its end" }
        left = left.dropFirst(length)
        return nil
    }

    private func skipChunks(_ left: inout ArraySlice<UInt8>) -> String? {
        while true {
            guard let line = Head.line(&left), let size = Int(line, radix: 16), size >= 0,
                left.count >= size + 2
            else { return "a chunk is not one" }
            left = left.dropFirst(size)
            guard Head.line(&left)?.isEmpty == true else { return "a chunk does not end" }
            if size == 0 { return nil }
        }
    }
}

/// The head of a response, parsed strictly (RFC 9112).
private struct Head {
    let status: Int
    private(set) var length: Int?
    private(set) var isChunked = false
    private(set) var closes = false

    init?(_ left: inout ArraySlice<UInt8>) {
        guard let first = Self.line(&left) else { return nil }
        let words = first.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0",
            words[1].utf8.count == 3, let status = Int(words[1]), status >= 100
        else { return nil }
        self.status = status
        while true {
            guard let line = Self.line(&left) else { return nil }
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return nil }
            let name = line[..<colon].lowercased()
            guard name.utf8.allSatisfy(Self.isTokenByte) else { return nil }
            let value = String(line[line.index(after: colon)...].drop { $0 == " " })
            if name == "content-length" {
                guard length == nil, let number = Int(value), number >= 0 else { return nil }
                length = number
            } else if name == "transfer-encoding" {
                guard !isChunked, value == "chunked" else { return nil }
                isChunked = true
            } else if name == "connection" {
                closes = closes || value.lowercased() == "close"
            }
        }
        guard length == nil || !isChunked else { return nil }
    }

    /// The next line without its CRLF; no control characters.
    static func line(_ left: inout ArraySlice<UInt8>) -> String? {
        guard let end = left.firstIndex(of: 0x0A), end > left.startIndex, left[end - 1] == 0x0D
        else { return nil }
        let line = left[left.startIndex..<end - 1]
        guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
        left = left[(end + 1)...]
        return String(decoding: line, as: UTF8.self)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || byte &- 0x61 < 26 || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
