package import Time

/// An HTTP API or a REST API with its routes.
package struct API: Sendable {
    package enum Kind: Sendable, Equatable { case http, rest }

    package var kind: Kind
    package var logicalID: String
    /// The first label of its host name.
    package var id: String
    /// `$default`, or a segment in front of every path.
    package var stage: String
    package var stageVariables: [(name: String, value: String)]
    package var routes: [APIRoute]
    package var authorizers: [Authorizer]
    package var cors: CORSRules?
    /// Media types whose bodies a REST API carries as base64.
    package var binaryMediaTypes: [String]

    package init(
        kind: Kind, logicalID: String, id: String, stage: String,
        stageVariables: [(name: String, value: String)] = [], routes: [APIRoute] = [],
        authorizers: [Authorizer] = [], cors: CORSRules? = nil, binaryMediaTypes: [String] = []
    ) {
        self.kind = kind
        self.logicalID = logicalID
        self.id = id
        self.stage = stage
        self.stageVariables = stageVariables
        self.routes = routes
        self.authorizers = authorizers
        self.cors = cors
        self.binaryMediaTypes = binaryMediaTypes
    }

    package static let defaultStage = "$default"
}

/// One route of an API, to one function.
package struct APIRoute: Sendable {
    package enum Payload: Sendable, Equatable { case v1, v2 }

    package enum Authorization: Sendable, Equatable {
        case none, iam
        /// An authorizer of the API by name; the scopes are for JWT alone.
        case authorizer(String, scopes: [String])
    }

    /// Upper case; nil is `ANY`.
    package var method: String?
    /// nil is `$default`.
    package var pattern: PathPattern?
    package var function: FunctionName
    package var payload: Payload
    package var authorization: Authorization
    package var throttle: Throttle?
    /// Less than the gateway's own limit, where the template says so.
    package var integrationLimit: Span?

    package init(
        method: String?, pattern: PathPattern?, function: FunctionName, payload: Payload = .v2,
        authorization: Authorization = .none, throttle: Throttle? = nil,
        integrationLimit: Span? = nil
    ) {
        self.method = method
        self.pattern = pattern
        self.function = function
        self.payload = payload
        self.authorization = authorization
        self.throttle = throttle
        self.integrationLimit = integrationLimit
    }

    /// `POST /auth/{op}`, or `$default`.
    package var key: String {
        pattern.map { "\(method ?? "ANY") \($0.text)" } ?? API.defaultStage
    }
}

/// A token bucket's size and how fast it fills.
package struct Throttle: Sendable, Equatable {
    package var ratePerSecond: Double
    package var burst: Int

    package init(ratePerSecond: Double, burst: Int) {
        self.ratePerSecond = ratePerSecond
        self.burst = burst
    }
}

/// Which other origins' pages may call, and how.
package struct CORSRules: Sendable, Equatable {
    package var origins: [String]
    package var methods: [String]
    package var headers: [String]
    package var exposedHeaders: [String]
    package var maxAgeSeconds: Int?
    package var allowsCredentials: Bool

    package init(
        origins: [String], methods: [String] = [], headers: [String] = [],
        exposedHeaders: [String] = [], maxAgeSeconds: Int? = nil, allowsCredentials: Bool = false
    ) {
        self.origins = origins
        self.methods = methods
        self.headers = headers
        self.exposedHeaders = exposedHeaders
        self.maxAgeSeconds = maxAgeSeconds
        self.allowsCredentials = allowsCredentials
    }
}
