internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import Time

extension Provider {
    /// Handles a request for a path below the issuer's.
    func outcome(_ request: ServerRequest, path: String) throws(OAuthError) -> OpenIDReply {
        guard let (endpoint, member) = route(path) else {
            throw .own(404, "Not found: \(name) has no such endpoint.")
        }
        let methods = endpoint.methods(ofMember: member != nil)
        if request.method == "OPTIONS", endpoint.isOpenToAll(kind) {
            return .now(preflight(methods))
        }
        guard methods.contains(where: { $0.isSame(as: request.method) }) else {
            throw .notAllowed(methods)
        }
        let exchange = OpenIDRequest(request: request, member: member, now: now)
        guard endpoint.isOpenToAll(kind) else { return try perform(endpoint, exchange) }
        do throws(OAuthError) {
            return try perform(endpoint, exchange).openToAll
        } catch {
            throw OAuthError(error.response.openToAll)
        }
    }

    func route(_ path: String) -> (OpenIDEndpoint, member: String?)? {
        for endpoint in OpenIDEndpoint.allCases {
            guard let own = endpoint.path(kind) else { continue }
            if own.isSame(as: path) { return (endpoint, nil) }
            let prefix = own + "/"
            if endpoint.hasMembers, path.utf8.starts(with: prefix.utf8),
                path.utf8.count > prefix.utf8.count
            {
                return (endpoint, String(Substring(path.utf8.dropFirst(prefix.utf8.count))))
            }
        }
        return nil
    }

    private func perform(
        _ endpoint: OpenIDEndpoint, _ exchange: OpenIDRequest
    ) throws(OAuthError) -> OpenIDReply {
        switch endpoint {
        case .discovery: try discovery()
        case .keys: try keySet()
        case .authorize: try authorize(exchange)
        case .decision: try decide(exchange)
        case .token: try token(exchange)
        case .revoke: try revoke(exchange)
        case .userInfo: try userInfo(exchange)
        case .tokenInfo: try tokenInfo(exchange)
        case .mint: try mint(exchange)
        case .faults: try faultsEndpoint(exchange)
        case .notify: try notify(exchange)
        case .notifications: .now(.json(notifications.json))
        case .clients: try clientsEndpoint(exchange)
        case .accounts: try accountsEndpoint(exchange)
        }
    }

    /// The response to a CORS preflight request.
    private func preflight(_ methods: [String]) -> ServerResponse {
        ServerResponse(
            status: 204,
            headers: [
                .openToAll,
                HTTPHeader("Access-Control-Allow-Methods", methods.joined(separator: ", ")),
                HTTPHeader("Access-Control-Allow-Headers", "Authorization, Content-Type"),
                HTTPHeader("Access-Control-Max-Age", "86400"),
            ])
    }
}

extension HTTPHeader {
    /// Scripts of any origin may read the response.
    static let openToAll = HTTPHeader("Access-Control-Allow-Origin", "*")
}

extension ServerResponse {
    fileprivate var openToAll: ServerResponse {
        var open = self
        open.headers.append(.openToAll)
        return open
    }
}

extension OpenIDReply {
    fileprivate var openToAll: OpenIDReply {
        switch self {
        case .now(let response): .now(response.openToAll)
        case .after(let delay, let response): .after(delay, response.openToAll)
        case .later: self
        }
    }
}
