internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime

/// The log's details of a refused request, so that the operator can find the cause: a wrong path,
/// or a value that a setting would allow.
struct RefusedRequest {
    let values: [(StaticString, LogValue)]

    /// nil for a request that was answered.
    init?(_ request: Request, _ outcome: Router.Outcome, _ endpoints: [Endpoint]) {
        let origin = Self.refusedOrigin(request, outcome.answer)
        guard request.form == .http, outcome.failure != nil || origin != nil else { return nil }
        var values: [(StaticString, LogValue)] = [
            ("method", .method(request.method)), ("path", .path(outcome.route ?? request.path)),
        ]
        if let origin {
            values += [("origin", .address(origin)), ("setting", .word("ALLOWED_ORIGINS"))]
        }
        if let origin = outcome.facts.unlistedOrigin {
            values += [("origin", .address(origin)), ("setting", .word("PASSKEY_ORIGINS"))]
        }
        if let unlisted = outcome.facts.unlistedAddress {
            values += [
                ("address", .address(unlisted.address)), ("client", .address(unlisted.client)),
            ]
        } else if let client = outcome.facts.judgedClient {
            values.append(("client", .address(client)))
        }
        switch outcome.failure?.error {
        case .request(.invalidField("redirect_uri", _)):
            let address = request.queryValue("redirect_uri") ?? ""
            values += [("address", .address(address)), ("setting", .word("UI_RETURN"))]
        case .auth(.oauth(.invalidClient)):
            if outcome.facts.judgedClient == nil, let client = request.queryValue("client_id") {
                values.append(("client", .address(client)))
            }
        case .request(.foreignHost):
            let host = request.header("host") ?? ""
            values += [("host", .address(host)), ("setting", .word("ISSUER"))]
        case .request(.notFound) where Self.hasPrefix(request.path, endpoints):
            values.append(("setting", .word("BASE_PATH")))
        default: break
        }
        self.values = values
    }

    /// The origin of a preflight request that was not allowed (Fetch Standard, "CORS protocol").
    private static func refusedOrigin(_ request: Request, _ answer: Answer) -> String? {
        guard request.method.isSame(as: "OPTIONS"), let origin = request.header("origin"),
            request.header("access-control-request-method") != nil,
            !answer.headers.contains(where: { $0.name == "access-control-allow-origin" })
        else { return nil }
        return origin
    }

    /// Whether a proxy has probably added a prefix to the path of an endpoint.
    private static func hasPrefix(_ path: String, _ endpoints: [Endpoint]) -> Bool {
        endpoints.contains { endpoint in
            guard let route = endpoint.route?.path, route.utf8.count > 1 else { return false }
            return path.utf8.count > route.utf8.count && path.hasSuffix(route)
        }
    }
}

extension APIError {
    /// The reason, and the rule that a client's request has broken. A rule is a literal.
    var cause: [(StaticString, LogValue)] {
        let cause: [(StaticString, LogValue)] = [("reason", .identifier(reason))]
        guard case .auth(.oauth(.invalidRequest(let rule))) = self else { return cause }
        return cause + [("rule", .failureDetail(rule.text))]
    }
}
