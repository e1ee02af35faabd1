package import AuthDomain
internal import AuthOperations
internal import FunctionRuntime

/// The provider's description of itself, at the three places where clients look (RFC 8414 section
/// 3, OpenID Connect Discovery 1.0 section 4). If the issuer has a path, two of these places have
/// that path at their end, so they are not below the issuer.
enum MetadataEndpoints {
    private static let server = "/.well-known/oauth-authorization-server"
    private static let openID = "/.well-known/openid-configuration"

    static let all: [Endpoint] = [
        endpoint(server, DirectSelector("document", is: "oauth-authorization-server")),
        inserted(server), inserted(openID),
    ]

    private static func endpoint(_ path: String, _ selector: DirectSelector?) -> Endpoint {
        Endpoint(.serverMetadata, .get(path), needs: [.oauth], selectedBy: selector) { _, auth in
            try answer(auth)
        }.behind(.oauth).answering(admitting: .everyone)
    }

    private static func inserted(_ path: String) -> Endpoint {
        Endpoint(.insertedMetadata, .get("\(path)/{proxy+}"), needs: [.oauth]) { call, auth in
            guard auth.issuer.hasSuffix("/" + call.parameter("proxy")) else {
                throw RequestError.notFound
            }
            return try answer(auth)
        }.behind(.oauth).answering(admitting: .everyone)
    }

    private static func answer(_ auth: AuthServices) throws -> Answer {
        guard let oauth = auth.oauthIfOn else { throw RequestError.notFound }
        return Answer(
            200, auth.metadata(of: oauth),
            headers: LatchkeyEndpoints.publicForAnHour)
    }
}

extension AuthOperation {
    package static let insertedMetadata = AuthOperation(
        "insertedMetadata", servedBy: "keys", counting: [])
    package static let serverMetadata = AuthOperation(
        "serverMetadata", servedBy: "keys", counting: [])
}
