internal import HTTP

/// One connection of `LoopbackServer`: reads HTTP/1.1 requests and writes responses.
struct LoopbackConnection {
    private static let headBytesMax = 64 << 10
    private static let bodyBytesMax = 32 << 20

    let descriptor: Int32
    private var buffer: [UInt8] = []
    private var position = 0

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// The next request; nil if the client has closed the connection or sends something else.
    mutating func nextRequest() -> HTTPRequestSeen? {
        guard let start = line()?.split(separator: " "), start.count == 3 else { return nil }
        guard let headers = headers() else { return nil }
        func value(_ name: String) -> String? { headers.first { $0.name == name }?.value }
        if value("expect")?.lowercased() == "100-continue" {
            guard write("HTTP/1.1 100 Continue\r\n\r\n") else { return nil }
        }
        let body: [UInt8]?
        if value("transfer-encoding")?.lowercased() == "chunked" {
            body = chunkedBody()
        } else if let length = value("content-length") {
            body = Int(length).flatMap { bytes($0) }
        } else {
            body = []
        }
        guard let body else { return nil }
        return HTTPRequestSeen(
            method: String(start[0]), target: String(start[1]), headers: headers, body: body)
    }

    /// False if the connection must be closed.
    mutating func send(_ reply: LoopbackReply, to request: HTTPRequestSeen) -> Bool {
        let staysOpen = request.header("connection")?.lowercased() != "close"
        switch reply {
        case .response(let response):
            return write(response, pieceBytes: nil, to: request) && staysOpen
        case .chunked(let response, let pieceBytes):
            return write(response, pieceBytes: pieceBytes, to: request) && staysOpen
        case .raw(let bytes):
            _ = LoopbackSocket.write(bytes, to: descriptor)
            return false
        case .stall(let bytes):
            guard LoopbackSocket.write(bytes, to: descriptor) else { return false }
            while !LoopbackSocket.read(descriptor).isEmpty {}
            return false
        case .hangUp:
            return false
        case .silence:
            while !LoopbackSocket.read(descriptor).isEmpty {}
            return false
        }
    }

    private func write(
        _ response: HTTPResponse, pieceBytes: Int?, to request: HTTPRequestSeen
    ) -> Bool {
        let hasBody = request.method != "HEAD" && response.status != 204 && response.status != 304
        var head = "HTTP/1.1 \(response.status) Scripted\r\n"
        for header in response.headers { head += "\(header.name): \(header.value)\r\n" }
        if pieceBytes != nil {
            head += "Transfer-Encoding: chunked\r\n"
        } else if response.status != 204 {
            head += "Content-Length: \(response.body.count)\r\n"
        }
        var bytes = Array((head + "\r\n").utf8)
        if hasBody {
            bytes += pieceBytes.map { Self.chunked(response.body, pieceBytes: $0) } ?? response.body
        }
        return LoopbackSocket.write(bytes, to: descriptor)
    }

    private func write(_ text: String) -> Bool {
        LoopbackSocket.write(Array(text.utf8), to: descriptor)
    }

    private static func chunked(_ body: [UInt8], pieceBytes: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: body.count, by: max(1, pieceBytes)) {
            let piece = body[start..<min(start + max(1, pieceBytes), body.count)]
            bytes += Array("\(String(piece.count, radix: 16))\r\n".utf8)
            bytes += piece
            bytes += Array("\r\n".utf8)
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }
}

extension LoopbackConnection {
    private mutating func headers() -> [HTTPHeader]? {
        var headers: [HTTPHeader] = []
        var size = 0
        while let line = line() {
            guard !line.isEmpty else { return headers }
            size += line.utf8.count
            guard size <= Self.headBytesMax, let colon = line.firstIndex(of: ":") else {
                return nil
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers.append(HTTPHeader(line[..<colon].lowercased(), String(value)))
        }
        return nil
    }

    private mutating func chunkedBody() -> [UInt8]? {
        var body: [UInt8] = []
        while let line = line() {
            let size = line.prefix { $0 != ";" }
            guard let count = Int(size, radix: 16), let piece = bytes(count),
                body.count + count <= Self.bodyBytesMax
            else { return nil }
            // The last chunk is followed by trailers, in the format of headers.
            guard count > 0 else { return headers() == nil ? nil : body }
            guard self.line()?.isEmpty == true else { return nil }
            body += piece
        }
        return nil
    }

    /// The text up to the next CRLF.
    private mutating func line() -> String? {
        var end = position
        while true {
            while end < buffer.count {
                if buffer[end] == 0x0A, end > position, buffer[end - 1] == 0x0D {
                    defer { position = end + 1 }
                    return String(decoding: buffer[position..<end - 1], as: UTF8.self)
                }
                end += 1
            }
            guard buffer.count - position <= Self.headBytesMax, fill() else { return nil }
            end = position
        }
    }

    private mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= Self.bodyBytesMax else { return nil }
        while buffer.count - position < count {
            guard fill() else { return nil }
        }
        defer { position += count }
        return Array(buffer[position..<position + count])
    }

    /// Reads more; consumed bytes are dropped first.
    private mutating func fill() -> Bool {
        buffer.removeFirst(position)
        position = 0
        let more = LoopbackSocket.read(descriptor)
        buffer += more
        return !more.isEmpty
    }
}
