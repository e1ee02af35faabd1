package import AuthDomain
internal import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import JSON
internal import Time

/// The endpoints of the provider for third-party programs (OAuth 2.1, OpenID Connect). Its pages
/// for people are in the module `AuthPages`.
enum OAuthEndpoints {
    /// Operations that rate limits count within other operations.
    static let countedWithin: [AuthOperation] = [
        .authenticateClient, .redeemCode, .refreshGrant, .pollDevice, .issueClientToken,
        .exchangeToken, .enterUserCode, .fetchClientDocument, .fetchClientKeys,
    ]

    private static let needs: ServiceNeeds = [.sessions, .oauth]
    /// The needs of endpoints that can ask the hook `token`.
    private static let hookedNeeds = needs.union(.hooks)

    static let all: [Endpoint] = [
        .oauth(.issueTokens, .post("/oauth/token"), needs: hookedNeeds) { call, auth in
            let parameters = try OAuthForm.parameters(of: call.request)
            try parameters.single()
            let credentials = try credentials(parameters, call)
            return Answer(200, tokens(try issue(parameters, credentials, call, auth)))
        },
        .oauth(.pushRequest, .post("/oauth/par"), needs: needs) { call, auth in
            let parameters = try OAuthForm.parameters(of: call.request)
            try parameters.single()
            let pushed = try auth.pushRequest(
                parameters, by: try credentials(parameters, call), call.caller)
            return Answer(
                201,
                [
                    "request_uri": .string(pushed.uri),
                    "expires_in": .number(JSONNumber(pushed.lifetime.seconds)),
                ])
        },
        .oauth(.endGrant, .post("/oauth/revoke"), needs: needs) { call, auth in
            let parameters = try OAuthForm.parameters(of: call.request)
            try parameters.single()
            let proven = try auth.prove(try credentials(parameters, call))
            let token = try parameters.required("token", "token is required.")
            try auth.endGrant(token, from: proven, call.caller)
            return Answer(200, [:])
        },
        .oauth(.inspectToken, .post("/oauth/introspect"), needs: needs) { call, auth in
            let parameters = try OAuthForm.parameters(of: call.request)
            try parameters.single()
            let proven = try auth.prove(try credentials(parameters, call))
            let token = try parameters.required("token", "token is required.")
            return Answer(200, try auth.inspectToken(token, from: proven))
        },
        .oauth(.beginDevice, .post("/oauth/device_authorization"), needs: needs) { call, auth in
            let parameters = try OAuthForm.parameters(of: call.request, isOptional: true)
            try parameters.single()
            let begun = try auth.beginDevice(
                parameters, by: try credentials(parameters, call), call.caller)
            return Answer(200, device(begun))
        },
        Endpoint(.registerClient, .post("/oauth/register"), needs: needs) { call, auth in
            guard let oauth = auth.oauthIfOn, oauth.registration != .off else {
                throw RequestError.notFound
            }
            guard call.request.body.count <= ClientMetadata.bytesMax else {
                throw AuthError.oauth(.unacceptable(.tooLarge))
            }
            return Answer(201, try auth.registerClient(call.body.members, call.caller))
        }.behind(.oauth).answering(errors: OAuthErrors.format, admitting: .clientOrigins),
        .oauth(.describeUser, .get("/oauth/userinfo"), needs: hookedNeeds) { call, auth in
            Answer(200, try auth.describeUser(call.caller))
        },
        .oauth(.describeUserByForm, .post("/oauth/userinfo"), needs: hookedNeeds) { call, auth in
            Answer(200, try auth.describeUser(try bearer(call)))
        },
        .guarded(
            by: { call, auth in try auth.listApplications(call.caller) }, .listApplications,
            .get("/auth/applications"), needs: [.oauth], access: .signedIn
        ) { _, all, auth in
            guard auth.policy.oauth != nil else { throw RequestError.notFound }
            return Answer(["applications": .array(all.map(LatchkeyBodies.application))])
        }.behind(.oauth),
        .signedIn(
            .removeApplication, .delete("/auth/applications/{client}"), needs: [.oauth],
            selectedBy: DirectSelector("client")
        ) { call, principal, auth in
            guard auth.policy.oauth != nil else { throw RequestError.notFound }
            try auth.removeApplication(call.parameter("client"), principal, call.caller)
            return .noContent
        }.behind(.oauth),
    ]

    // MARK: Requests

    private static func credentials(
        _ parameters: RequestParameters, _ call: Call
    ) throws(AuthError) -> ClientCredentials {
        do throws(OAuthError) {
            return try ClientCredentials(
                parameters,
                authorization: call.request.payload?["authorization"]?.stringValue
                    ?? call.header("authorization"))
        } catch {
            throw .oauth(error)
        }
    }

    private enum TokenRequest {
        case code(RedeemCode.Input)
        case refresh(RefreshGrant.Input)
        case device(code: String, resources: [String])
        case own
        case exchange(ExchangeToken.Input)
    }

    private static func issue(
        _ parameters: RequestParameters, _ credentials: ClientCredentials, _ call: Call,
        _ auth: AuthServices
    ) throws(AuthError) -> GrantTokens {
        let type = parameters["grant_type"].flatMap(Client.GrantType.init(rawValue:))
        let request: TokenRequest
        do throws(AuthError) {
            request = try tokenRequest(type, parameters)
        } catch {
            // The error is revealed only to an authenticated client that may use this grant type.
            let client = try auth.prove(credentials).client
            if let type, !client.mayUse(type) { throw .oauth(.unauthorizedClient(type)) }
            throw error
        }
        switch request {
        case .code(let input):
            return try auth.redeemCode(input, by: credentials, call.caller)
        case .refresh(let input):
            return try auth.refreshGrant(input, by: credentials, call.caller)
        case .device(let code, let resources):
            return try auth.pollDevice(
                code, resources: resources, by: credentials, call.caller)
        case .own:
            return try auth.issueClientToken(parameters, by: credentials, call.caller)
        case .exchange(let input):
            return try auth.exchangeToken(input, by: credentials, call.caller)
        }
    }

    private static func tokenRequest(
        _ type: Client.GrantType?, _ parameters: RequestParameters
    ) throws(AuthError) -> TokenRequest {
        _ = try parameters.required("grant_type", "grant_type is required.")
        switch type {
        case .authorizationCode:
            return .code(
                RedeemCode.Input(
                    code: try parameters.required("code", "code is required."),
                    verifier: try verifier(parameters), redirectURI: parameters["redirect_uri"],
                    resources: parameters.all("resource")))
        case .refreshToken:
            return .refresh(
                RefreshGrant.Input(
                    token: try parameters.required(
                        "refresh_token", "refresh_token is required."),
                    scope: parameters["scope"].map { _ in parameters.words("scope") },
                    resources: parameters.all("resource")))
        case .deviceCode:
            return .device(
                code: try parameters.required("device_code", "device_code is required."),
                resources: parameters.all("resource"))
        case .clientCredentials: return .own
        case .tokenExchange: return .exchange(try exchange(parameters))
        case nil: throw .oauth(.unsupportedGrantType)
        }
    }

    /// RFC 8693 section 2.1. The actor is the client itself.
    private static func exchange(
        _ parameters: RequestParameters
    ) throws(AuthError) -> ExchangeToken.Input {
        let subject = try parameters.required("subject_token", "subject_token is required.")
        guard parameters["subject_token_type"] == accessTokenType,
            [nil, accessTokenType].contains(parameters["requested_token_type"])
        else { throw .oauth(.invalidRequest("Only access tokens can be exchanged.")) }
        guard parameters["actor_token"] == nil, parameters["actor_token_type"] == nil else {
            throw .oauth(.invalidRequest("The actor is the client: actor_token is not supported."))
        }
        return ExchangeToken.Input(
            subject: subject, targets: parameters.all("resource") + parameters.all("audience"),
            scope: parameters["scope"].map { _ in parameters.words("scope") })
    }

    private static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"

    /// RFC 7636 section 4.1.
    private static func verifier(
        _ parameters: RequestParameters
    ) throws(AuthError) -> String {
        let text = try parameters.required("code_verifier", "code_verifier is required.")
        let isVerifier =
            (43...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "-._~".utf8.contains($0) }
        guard isVerifier else {
            throw .oauth(.invalidRequest("code_verifier has 43 to 128 unreserved characters."))
        }
        return text
    }

    /// The token may be in the form, but not in two places (RFC 6750 section 2).
    private static func bearer(_ call: Call) throws(AuthError) -> Caller {
        guard !call.request.body.isEmpty else { return call.caller }
        let parameters = try OAuthForm.parameters(of: call.request)
        guard let token = parameters["access_token"] else { return call.caller }
        guard call.caller.bearer == .none, !parameters.isRepeated("access_token") else {
            throw .oauth(.invalidRequest("The token is sent twice."))
        }
        return call.caller.bearing(.token(token))
    }

    // MARK: Answers

    private static func tokens(_ tokens: GrantTokens) -> JSON {
        var body: JSONObject = [
            "access_token": .string(tokens.access.reveal()),
            "token_type": tokens.access.isBound ? "DPoP" : "Bearer",
            "expires_in": .number(tokens.access.lifetime.seconds),
            "scope": .string(tokens.scope.joined(separator: " ")),
        ]
        body["refresh_token"] = tokens.refresh.map { .string($0.reveal()) }
        body["id_token"] = tokens.identity.map { .string($0) }
        body["issued_token_type"] = tokens.isExchanged ? .string(accessTokenType) : nil
        return .object(body)
    }

    /// RFC 8628 section 3.2.
    private static func device(_ device: BeginDevice.Output) -> JSON {
        [
            "device_code": .string(device.deviceCode),
            "user_code": .string(device.userCode.text),
            "verification_uri": .string(device.page),
            "verification_uri_complete": .string(device.pageWithCode),
            "expires_in": .number(device.lifetime.seconds),
            "interval": .number(device.interval.seconds),
        ]
    }
}

extension Endpoint {
    /// An endpoint of the provider for programs, which has OAuth's error format.
    fileprivate static func oauth(
        _ operation: AuthOperation, _ route: Route, needs: ServiceNeeds,
        _ perform: @escaping Perform
    ) -> Endpoint {
        Endpoint(operation, route, needs: needs, body: .parameters) { call, auth in
            guard auth.policy.oauth != nil else { throw RequestError.notFound }
            return try perform(call, auth)
        }.behind(.oauth).answering(errors: OAuthErrors.format, admitting: .clientOrigins)
    }
}

extension AuthOperation {
    /// The same as `describeUser`, with the token in a form.
    package static let describeUserByForm = AuthOperation(
        "describeUserByForm", servedBy: "userinfo", counting: [])
    /// Exchanges a client's credential for tokens, depending on the type of grant.
    package static let issueTokens = AuthOperation(
        "issueTokens", servedBy: "token", counting: [], audited: .others)
}
