package import AuthDomain
package import AuthOperations
package import FunctionRuntime
package import Time

/// One endpoint of a contract: the operation, its route, the services it needs, and how its request
/// is parsed and its result is written.
///
///     Endpoint(.refresh, .post("/auth/refresh"), needs: [.sessions]) { call, auth in
///         Answer(session(try auth.refresh(try call.body.required("refreshToken"), call.caller)))
///     }
package struct Endpoint: Sendable {
    package typealias Perform = @Sendable (Call, AuthServices) throws -> Answer

    package let operation: AuthOperation
    /// nil if the endpoint can only be invoked directly.
    package let route: Route?
    package let needs: ServiceNeeds
    package let body: BodyRule
    package let access: EndpointAccess
    /// How a direct invocation selects one of the endpoints of an executable.
    package let selector: DirectSelector?
    let perform: Perform
    /// Makes the page that explains an error; nil if errors are answered in the contract's
    /// envelope.
    let problemPage: ProblemPage?

    /// - Parameter error: the error as it was thrown. Its standard response follows.
    package typealias ProblemPage =
        @Sendable (_ error: any Error, ErrorResponse, Request, AuthServices) -> Answer?

    /// The setting that turns the endpoint on; nil if it is always on.
    package private(set) var feature: SwitchedFeature?
    /// The format of the endpoint's errors; nil for the contract's format.
    private(set) var errors: ErrorFormat?
    /// Whether errors of the endpoint have the format of OAuth.
    package var answersAsOAuth: Bool { errors != nil }
    /// The origins whose pages may send requests to this endpoint.
    private(set) var admits = AdmittedOrigins.listed

    /// Whether the endpoint is for people with a browser, and not for programs.
    package var isPage: Bool { problemPage != nil }

    /// Whether a browser opens the endpoint, or sends a form to it.
    var isForBrowsers: Bool {
        isPage || [.adminLoginPage, .adminLogin, .adminLogout].contains(operation)
    }

    /// Whether the endpoint is a page for users, which the setting `UI` turns on.
    package var isPageForUsers: Bool { isPage && access == .unrestricted }

    /// A copy of the endpoint that exists only if a setting turns it on.
    package func behind(_ feature: SwitchedFeature?) -> Endpoint {
        var endpoint = self
        endpoint.feature = feature
        return endpoint
    }

    /// A copy of the endpoint whose errors have the format of another standard.
    func answering(
        errors: ErrorFormat? = nil, admitting admits: AdmittedOrigins = .listed
    ) -> Endpoint {
        var endpoint = self
        endpoint.errors = errors
        endpoint.admits = admits
        return endpoint
    }

    package init(
        _ operation: AuthOperation, _ route: Route?, needs: ServiceNeeds = [],
        body: BodyRule = .json, access: EndpointAccess = .unrestricted,
        selectedBy selector: DirectSelector? = nil, _ perform: @escaping Perform
    ) {
        self.init(
            operation, route, needs: needs, body: body, access: access, selectedBy: selector,
            problemPage: nil, perform)
    }

    package init(
        _ operation: AuthOperation, _ route: Route?, needs: ServiceNeeds, body: BodyRule,
        access: EndpointAccess = .unrestricted, selectedBy selector: DirectSelector? = nil,
        problemPage: ProblemPage?, _ perform: @escaping Perform
    ) {
        self.problemPage = problemPage
        self.operation = operation
        self.route = route
        self.needs = needs
        self.body = route?.takesBody == false ? .none : body
        self.access = access
        self.selector = selector
        self.perform = perform
    }

    /// A copy of the endpoint for a server without the settings of `feature`: each request is
    /// refused, and no services are built for it.
    package func without(_ feature: Feature) -> Endpoint {
        Endpoint(
            operation, route, needs: [], body: body, access: access, selectedBy: selector,
            problemPage: problemPage
        ) { _, _ in throw AuthError.notConfigured(feature) }
    }

    /// An endpoint for signed-in users only: the principal is verified before `perform` is called.
    ///
    /// - Parameters:
    ///   - age: the maximum age of the user's last proof of identity. An older proof is answered
    ///     with the challenge of RFC 9470, and `POST /auth/step-up` renews it.
    ///   - strength: how strong that proof must be. Without both parameters, guests are admitted
    ///     too, who have proven nothing.
    package static func signedIn(
        _ operation: AuthOperation, _ route: Route?, within age: Span? = nil,
        strength: ProofStrength? = nil, needs: ServiceNeeds = [],
        body: BodyRule = .json, selectedBy selector: DirectSelector? = nil,
        _ perform: @escaping @Sendable (Call, Principal, AuthServices) throws -> Answer
    ) -> Endpoint {
        let standard: ProofStrength = age == nil ? .nothing : .oneFactor
        let requirement = ProofRequirement(strength ?? standard, within: age)
        return .guarded(
            by: { call, auth in
                let principal = try auth.authenticate(call.caller, for: operation)
                try auth.require(requirement, of: principal)
                return principal
            },
            operation, route, needs: needs, body: body, access: .signedIn, selectedBy: selector,
            perform)
    }

    /// An endpoint for all callers. The principal is set if the caller is signed in. An invalid
    /// token is still refused: an app refreshes its token on 401, and would otherwise sign its user
    /// out silently.
    package static func optionallySignedIn(
        _ operation: AuthOperation, _ route: Route?, needs: ServiceNeeds = [],
        body: BodyRule = .json, selectedBy selector: DirectSelector? = nil,
        _ perform: @escaping @Sendable (Call, Principal?, AuthServices) throws -> Answer
    ) -> Endpoint {
        .guarded(
            by: { call, auth in
                call.caller.bearer == .none
                    ? nil : try auth.authenticate(call.caller, for: operation)
            },
            operation, route, needs: needs, body: body, access: .optionallySignedIn,
            selectedBy: selector, perform)
    }

    /// An endpoint for requests that pass a check, such as a session cookie. The result of the
    /// check is passed to `perform`.
    package static func guarded<Proof>(
        by check: @escaping @Sendable (Call, AuthServices) throws -> Proof,
        _ operation: AuthOperation, _ route: Route?, needs: ServiceNeeds = [],
        body: BodyRule = .json, access: EndpointAccess = .guarded,
        selectedBy selector: DirectSelector? = nil,
        _ perform: @escaping @Sendable (Call, Proof, AuthServices) throws -> Answer
    ) -> Endpoint {
        Endpoint(
            operation, route, needs: needs, body: body, access: access, selectedBy: selector
        ) { call, auth in try perform(call, try check(call, auth), auth) }
    }
}

/// Endpoints that a deployment does not have unless a setting turns them on.
package enum SwitchedFeature: Sendable {
    /// Turned on by the setting `OAUTH`.
    case oauth
    /// Turned on by the setting `REVOCATIONS`.
    case revocations
}

/// The pages of other origins whose scripts may send requests to an endpoint.
package enum AdmittedOrigins: Sendable {
    /// The origins in `ALLOWED_ORIGINS`.
    case listed
    /// Also the origins of the clients' redirect URIs.
    case clientOrigins
    /// All origins, because the response is public.
    case everyone
}

/// The callers that an endpoint admits.
package enum EndpointAccess: Sendable {
    case unrestricted
    /// The request needs an access token.
    case signedIn
    /// The request may have an access token.
    case optionallySignedIn
    /// Callers that pass a check of the contract, such as a session cookie.
    case guarded
}

/// The bodies that an endpoint accepts.
package enum BodyRule: Equatable, Sendable {
    case none
    case json
    /// An HTML form of the server's own pages. The browser must state that it comes from the same
    /// origin, because pages of other sites can submit forms too (CSRF).
    case form
    case jsonOrForm
    /// A form that a program sends, and that the endpoint reads itself: names may repeat.
    case parameters
}

/// A member of a direct payload that selects this endpoint, with the required value.
package struct DirectSelector: Equatable, Sendable {
    package let member: String
    /// Another member that can be sent instead of `member`.
    package let alternative: String?
    package let value: String?

    package init(_ member: String, or alternative: String? = nil, is value: String? = nil) {
        self.member = member
        self.alternative = alternative
        self.value = value
    }

    /// The token of a mailed link, or the code.
    static let mailAnswer = DirectSelector("token", or: "code")
}
