package import Time

/// An HTTP API or a REST API with its routes.
package struct API: Sendable {
    package enum Kind: Sendable, Equatable { case http, rest }

    package var kind: Kind
    package var logicalID: String
    /// The first label of its host name.
    package var id: String
    /// `$default`, or the first segment of every path.
    package var stage: String
    package var stageVariables: [(name: String, value: String)]
    package var routes: [APIRoute]
    package var authorizers: [Authorizer]
    package var cors: CORSRules?
    /// The binary media types of a REST API, whose bodies are base64 in events.
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

/// A route of an API to a function.
package struct APIRoute: Sendable {
    package enum Payload: Sendable, Equatable { case v1, v2 }

    package enum Authorization: Sendable, Equatable {
        case none, iam
        /// An authorizer of the API by name; only JWT authorizers have scopes.
        case authorizer(String, scopes: [String])
    }

    /// The method in upper case; nil means `ANY`.
    package var method: String?
    /// nil means `$default`.
    package var pattern: PathPattern?
    package var function: FunctionName
    package var payload: Payload
    package var authorization: Authorization
    package var throttle: Throttle?
    /// The integration timeout in the template, if any.
    package var integrationLimit: Span?
    /// The event in the template: `Resources.Function.Properties.Events.Event`.
    package var path = ""

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

/// The size of a token bucket and its rate.
package struct Throttle: Sendable, Equatable {
    package var ratePerSecond: Double
    package var burst: Int

    package init(ratePerSecond: Double, burst: Int) {
        self.ratePerSecond = ratePerSecond
        self.burst = burst
    }
}

/// CORS rules.
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
