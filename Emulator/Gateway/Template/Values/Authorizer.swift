internal import Bytes
internal import EmulatorBase

/// An authorizer of an API.
package struct Authorizer: Sendable {
    package enum Kind: Sendable {
        case lambda(LambdaAuthorizer)
        case jwt(JWTAuthorizer)
    }

    package var name: String
    package var kind: Kind

    package init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }
}

package struct LambdaAuthorizer: Sendable {
    package enum Form: Sendable, Equatable {
        /// REST: a single token.
        case token
        /// REST, and HTTP API with payload 1.0: the whole request; returns a policy.
        case request1
        /// HTTP API: the whole request; returns a boolean or a policy.
        case request2(isSimple: Bool)
    }

    package var function: FunctionName
    package var form: Form
    package var identitySources: [IdentitySource]
    /// 0 disables caching.
    package var cacheSeconds: Int
    /// A regular expression that tokens must match before the authorizer is invoked.
    package var tokenPattern: String?

    package init(
        function: FunctionName, form: Form, identitySources: [IdentitySource],
        cacheSeconds: Int = 0, tokenPattern: String? = nil
    ) {
        self.function = function
        self.form = form
        self.identitySources = identitySources
        self.cacheSeconds = cacheSeconds
        self.tokenPattern = tokenPattern
    }
}

package struct JWTAuthorizer: Sendable {
    package var issuer: String
    package var audiences: [String]
    package var identitySource: IdentitySource

    package init(
        issuer: String, audiences: [String],
        identitySource: IdentitySource = .header("authorization")
    ) {
        self.issuer = issuer
        self.audiences = audiences
        self.identitySource = identitySource
    }
}

/// An identity source of an authorizer.
package enum IdentitySource: Sendable, Equatable {
    case header(String)
    case query(String)
    case context(String)
    case stageVariable(String)

    /// `$request.header.X`, or for REST `method.request.header.X`.
    package init?(parsing expression: String) {
        let forms: [(prefix: String, make: (String) -> IdentitySource)] = [
            ("$request.header.", { .header($0) }), ("$request.querystring.", { .query($0) }),
            ("$context.", { .context($0) }), ("$stageVariables.", { .stageVariable($0) }),
            ("method.request.header.", { .header($0) }),
            ("method.request.querystring.", { .query($0) }),
            ("context.", { .context($0) }), ("stageVariables.", { .stageVariable($0) }),
        ]
        for form in forms where expression.has(prefix: form.prefix) {
            let name = expression.dropping(prefix: form.prefix)
            guard !name.isEmpty else { return nil }
            self = form.make(name)
            return
        }
        return nil
    }
}
