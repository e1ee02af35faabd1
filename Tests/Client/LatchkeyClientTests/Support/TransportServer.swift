import HTTP

/// A server for transports, whose path says how it answers.
struct TransportServer {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer(replying: { request in
            let parts = request.path.split(separator: "/").map(String.init)
            switch parts.first {
            case "status":
                return .response(HTTPResponse(status: parts.last.flatMap { Int($0) } ?? 500))
            case "redirect":
                return .response(
                    HTTPResponse(status: 302, headers: [HTTPHeader("Location", "/echo")]))
            case "bytes":
                let count = parts.last.flatMap { Int($0) } ?? 0
                return .response(
                    HTTPResponse(status: 200, body: [UInt8](repeating: 7, count: count)))
            case "chunks":
                let count = parts.last.flatMap { Int($0) } ?? 0
                return .chunked(
                    HTTPResponse(status: 200, body: [UInt8](repeating: 7, count: count)),
                    pieceBytes: 1000)
            case "truncated":
                return .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345".utf8))
            case "nonsense": return .raw(Array("220 mail.example.com ESMTP\r\n\r\n".utf8))
            case "hang-up": return .hangUp
            case "silence": return .silence
            case "stall":
                return .stall(after: Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1".utf8))
            default:
                return .response(
                    HTTPResponse(
                        status: 200,
                        headers: [
                            HTTPHeader("X-Method", request.method),
                            HTTPHeader("X-Seen", request.header("x-sent") ?? "none"),
                            HTTPHeader("X-Cookie", request.header("cookie") ?? "none"),
                            HTTPHeader("Set-Cookie", "a=b; Path=/"),
                            HTTPHeader("X-Target", request.target),
                        ], body: request.body))
            }
        })
    }

    var url: String { server.url }
    var requestCount: Int { server.requests.count }
    func stop() { server.stop() }
}
