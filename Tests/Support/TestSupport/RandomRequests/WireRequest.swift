/// A structured request that can be serialised.
package struct WireRequest: Sendable {
    package var method: String
    package var target: String
    package var version = "HTTP/1.1"
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(
        _ method: String, _ target: String, _ headers: [(name: String, value: String)] = [],
        body: String = ""
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = Array(body.utf8)
    }

    /// How the length of the body is indicated.
    enum Framing: CaseIterable {
        case length, chunks, wrongLength, both, neither, twoLengths
    }

    func bytes(_ framing: Framing, _ choice: inout RandomChoice) -> [UInt8] {
        var lines = ["\(method) \(target) \(version)"]
        lines += headers.map { "\($0.name): \($0.value)" }
        var sent = body
        switch framing {
        case .length: if !body.isEmpty { lines.append("Content-Length: \(body.count)") }
        case .wrongLength:
            lines.append("Content-Length: \(max(0, body.count + choice.index(41) - 20))")
        case .twoLengths:
            lines += ["Content-Length: \(body.count)", "Content-Length: \(choice.index(9))"]
        case .neither: break
        case .both, .chunks:
            lines.append("Transfer-Encoding: chunked")
            if framing == .both { lines.append("Content-Length: \(body.count)") }
            sent = Self.chunks(body, &choice)
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + sent
    }

    private static func chunks(_ body: [UInt8], _ choice: inout RandomChoice) -> [UInt8] {
        var left = body[...]
        var bytes: [UInt8] = []
        while !left.isEmpty {
            let chunk = left.prefix(1 + choice.index(left.count))
            let note = choice.isOne(in: 4) ? ";a=b" : ""
            bytes += Array("\(String(chunk.count, radix: 16))\(note)\r\n".utf8) + chunk
            bytes += Array("\r\n".utf8)
            left = left.dropFirst(chunk.count)
        }
        let trailer = choice.isOne(in: 4) ? "X-Trailer: t\r\n" : ""
        return bytes + Array("0\r\n\(trailer)\r\n".utf8)
    }
}
