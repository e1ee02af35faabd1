internal import Bytes
internal import HTTP
internal import HTTPServer
internal import JSON

/// The response format of a host.
package enum ReplyForm: Sendable, Equatable {
    /// HTTP API, Function URL: a document with `cookies`.
    case gatewayV2
    /// REST API: a document with `multiValueHeaders`; unknown keys are not allowed.
    case restV1
    /// A direct invocation or a schedule: only the body, `{}` if there is none.
    case bare
    /// A forking watchdog: the body's bytes. Status and headers cannot be passed.
    case body
}

/// Encodes a reply for a host.
package enum ReplyEncoder {
    package static func encode(_ reply: Reply, as form: ReplyForm) -> [UInt8] {
        switch form {
        case .gatewayV2: document(reply) { $0["cookies"] = $1 }
        case .restV1: document(reply) { $0["multiValueHeaders"] = ["set-cookie": $1] }
        case .bare: reply.body?.bare ?? JSON.object([:]).serialized
        case .body: reply.body?.bytes ?? []
        }
    }

    /// The response of a host that speaks HTTP itself.
    static func response(_ reply: Reply) -> ServerResponse {
        let (headers, cookies) = fields(of: reply)
        return ServerResponse(
            status: status(of: reply),
            headers: headers.members.map { HTTPHeader($0.name, $0.value.stringValue ?? "") }
                + cookies.map { HTTPHeader("set-cookie", $0) },
            body: reply.body?.bytes ?? [])
    }

    private static func status(of reply: Reply) -> Int {
        (200...599).contains(reply.status) ? reply.status : 500
    }

    /// The document has only keys that REST API defines: REST API responds with 502 to an unknown
    /// key.
    private static func document(
        _ reply: Reply, addCookies: (inout JSONObject, JSON) -> Void
    ) -> [UInt8] {
        let (headers, cookies) = fields(of: reply)
        var document: JSONObject = [
            "statusCode": .number(status(of: reply)),
            "headers": .object(headers),
        ]
        if !cookies.isEmpty { addCookies(&document, .array(cookies.map { .string($0) })) }
        document["body"] = .string(reply.body?.text ?? "")
        document["isBase64Encoded"] = false
        return document.serialized
    }

    private static func fields(of reply: Reply) -> (headers: JSONObject, cookies: [String]) {
        var headers: JSONObject = [:]
        if let body = reply.body { headers["content-type"] = .string(body.type) }
        headers["cache-control"] = "no-store"
        headers["x-content-type-options"] = "nosniff"
        var cookies = reply.cookies.map(legal)
        var given: [String] = []
        for (name, value) in reply.headers {
            guard name.isHTTPToken else { continue }
            let name = name.asciiLowercased
            let value = legal(value)
            if name.isSame(as: "set-cookie") {
                cookies.append(value)
            } else if given.contains(where: { $0.isSame(as: name) }) {
                headers[name] = .string((headers[name]?.stringValue ?? "") + ", " + value)
            } else {
                headers[name] = .string(value)
                given.append(name)
            }
        }
        return (headers, cookies)
    }

    /// Keeps only printable ASCII, so that no line break can inject a header.
    private static func legal(_ value: String) -> String {
        String(decoding: value.utf8.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
    }
}
