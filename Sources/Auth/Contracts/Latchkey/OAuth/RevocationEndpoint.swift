internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import Time

/// The revocation list, for servers that verify access tokens by themselves. It is public like the
/// keys, so that every cache may keep it.
enum RevocationEndpoint {
    static let all: [Endpoint] = [
        Endpoint(.listRevocations, .get("/oauth/revocations"), needs: [.sessions, .oauth]) {
            call, auth in
            guard auth.policy.revocations != nil else { throw RequestError.notFound }
            let since = try call.query("since").map { text throws(RequestError) in
                guard let seconds = Int64(text), seconds >= 0 else {
                    throw .invalidField("since", .notInteger)
                }
                return seconds
            }
            let list = try auth.listRevocations(since: since)
            let tag = "W/\"\(list.tag)\""
            let headers = [
                (
                    name: "cache-control",
                    value: "public, max-age=\(list.cacheLifetime.seconds)"
                ),
                (name: "etag", value: tag),
            ]
            let known = call.header("if-none-match") ?? ""
            if known.split(separator: ",").contains(where: { isSame($0, tag) }) {
                return Answer(304, nil, headers: headers)
            }
            return Answer(
                200, .text(list.token, type: "application/revocations+jwt"), headers: headers)
        }.behind(.revocations).answering(admitting: .everyone)
    ]

    /// The comparison is weak (RFC 9110 section 13.1.2). The known tag may be strong, because
    /// caches may have changed it.
    private static func isSame(_ known: Substring, _ tag: String) -> Bool {
        let known = String(known.trimmed)
        return known.isSame(as: tag) || known.isSame(as: String(tag.dropFirst(2)))
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
