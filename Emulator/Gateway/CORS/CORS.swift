internal import Bytes
internal import EmulatorBase
internal import HTTP

/// The CORS behaviour of the gateways.
enum CORS {
    /// `OPTIONS` with an origin and the requested method (Fetch standard, "CORS protocol").
    static func isPreflight(_ request: ServerRequest) -> Bool {
        request.method.isSame(as: "OPTIONS") && request.header("origin") != nil
            && request.header("access-control-request-method") != nil
    }

    /// The gateway's own response to a preflight: 204 for an HTTP API, 200 for a Function URL.
    static func preflight(
        _ rules: CORSRules, _ request: ServerRequest, status: Int
    ) -> ServerResponse {
        var headers: [HTTPHeader] = []
        if let origin = allowed(rules, request) {
            headers.append(HTTPHeader("access-control-allow-origin", origin))
            func add(_ name: String, _ values: [String]) {
                guard !values.isEmpty else { return }
                headers.append(HTTPHeader(name, values.joined(separator: ",")))
            }
            add("access-control-allow-methods", rules.methods)
            add("access-control-allow-headers", rules.headers)
            add("access-control-expose-headers", rules.exposedHeaders)
            add("access-control-max-age", rules.maxAgeSeconds.map { ["\($0)"] } ?? [])
            add("access-control-allow-credentials", rules.allowsCredentials ? ["true"] : [])
        }
        if dependsOnOrigin(rules) { headers.append(HTTPHeader("vary", "Origin")) }
        return ServerResponse(status: status, headers: headers)
    }

    /// Removes the function's own CORS headers: the configuration replaces them.
    static func apply(
        _ rules: CORSRules, to response: inout ServerResponse, for request: ServerRequest
    ) {
        response.headers.removeAll { $0.name.asciiLowercased.has(prefix: "access-control-") }
        if dependsOnOrigin(rules) { response.headers.append(HTTPHeader("vary", "Origin")) }
        guard let origin = allowed(rules, request) else { return }
        response.headers.append(HTTPHeader("access-control-allow-origin", origin))
        if rules.allowsCredentials {
            response.headers.append(HTTPHeader("access-control-allow-credentials", "true"))
        }
        guard !rules.exposedHeaders.isEmpty else { return }
        response.headers.append(
            HTTPHeader(
                "access-control-expose-headers", rules.exposedHeaders.joined(separator: ",")))
    }

    private static func dependsOnOrigin(_ rules: CORSRules) -> Bool {
        rules.allowsCredentials || !rules.origins.containsText("*")
    }

    /// The value of `access-control-allow-origin`, or nil if the origin is not allowed.
    private static func allowed(_ rules: CORSRules, _ request: ServerRequest) -> String? {
        guard let origin = request.header("origin"), origin.isHTTPFieldValue else { return nil }
        for rule in rules.origins {
            if rule.isSame(as: "*") { return rules.allowsCredentials ? origin : "*" }
            if rule.isSame(as: origin) || Wildcard.matches(rule, origin, hasAnyOne: true) {
                return origin
            }
        }
        return nil
    }

    /// The response of SAM's mock integration for a resource of a REST API without its own
    /// `OPTIONS`.
    static func restPreflight(_ rules: CORSRules, methods: [String?]) -> ServerResponse {
        var headers = [HTTPHeader("Content-Type", "application/json")]
        func add(_ name: String, _ value: String) { headers.append(HTTPHeader(name, value)) }
        add("Access-Control-Allow-Origin", rules.origins.joined(separator: ","))
        let every = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]
        let own = (methods.compactMap { $0 } + ["OPTIONS"]).sorted()
        let allowed = methods.contains(nil) ? every : own
        add(
            "Access-Control-Allow-Methods",
            (rules.methods.isEmpty ? allowed : rules.methods).joined(separator: ","))
        if !rules.headers.isEmpty {
            add("Access-Control-Allow-Headers", rules.headers.joined(separator: ","))
        }
        if let seconds = rules.maxAgeSeconds { add("Access-Control-Max-Age", "\(seconds)") }
        if rules.allowsCredentials { add("Access-Control-Allow-Credentials", "true") }
        return ServerResponse(status: 200, headers: headers, body: Array("{}\n".utf8))
    }
}
