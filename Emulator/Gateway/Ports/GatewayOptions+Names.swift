/// The undocumented behaviours by name, for the command line.
extension GatewayOptions {
    package struct Rule: Sendable {
        package let name: String
        package let values: [String]
        package let about: String
        /// Sets the option; returns false for an unknown value.
        let set: @Sendable (inout GatewayOptions, _ value: String) -> Bool

        init<Value: Sendable>(
            _ name: String, _ option: any WritableKeyPath<GatewayOptions, Value> & Sendable,
            _ values: KeyValuePairs<String, Value>, about: String
        ) {
            self.name = name
            self.values = values.map(\.key)
            self.about = about
            set = { options, text in
                guard let (_, value) = values.first(where: { $0.key == text }) else {
                    return false
                }
                options[keyPath: option] = value
                return true
            }
        }
    }

    /// Why `NAME=VALUE` is invalid.
    package enum RuleFailure: Error, Equatable, Sendable {
        case unknownName
        case unknownValue(allowed: [String])
    }

    package mutating func set(_ name: String, to value: String) throws(RuleFailure) {
        guard let rule = Self.rules.first(where: { $0.name == name }) else { throw .unknownName }
        guard rule.set(&self, value) else { throw .unknownValue(allowed: rule.values) }
    }

    package static let rules = [
        Rule(
            "stage-in-path", \.stageInPath,
            ["optional": .optional, "required": .required, "absent": .absent],
            about: "whether a path begins with the stage"),
        Rule(
            "domain-name", \.domainName, ["amazon": .amazon, "as-requested": .asRequested],
            about: "domainName in events: execute-api's, or the requested Host"),
        Rule(
            "forwarded", \.forwarded, ["as-received": .asReceived, "https443": .https443],
            about: "x-forwarded-port and -proto: the actual values, or the values on AWS"),
        Rule(
            "head-too-large", \.headTooLargeStatus, ["431": 431, "400": 400],
            about: "the status for headers over 10,240 bytes"),
        Rule(
            "throttled-function", \.functionThrottle,
            ["429": .tooManyRequests, "500": .failure],
            about: "the status when a function has no concurrency left"),
        Rule(
            "http-status-text", \.v2TakesStatusText, ["no": false, "yes": true],
            about: "whether an HTTP API accepts \"statusCode\":\"201\""),
        Rule(
            "rest-binary", \.restBinaryMatch,
            ["accept": .accept, "content-type": .contentType, "either": .either],
            about: "the media type that decides whether base64 of a REST reply is decoded"),
        Rule(
            "rest-remaps-headers", \.restRemapsHeaders, ["yes": true, "no": false],
            about: "whether REST renames WWW-Authenticate and others"),
        Rule(
            "rest-content-length", \.restForwardsContentLength, ["no": false, "yes": true],
            about: "whether REST forwards Content-Length to the function"),
        Rule(
            "rest-context-text", \.restStringifiesContext, ["yes": true, "no": false],
            about: "whether an authorizer's context values are strings in a REST event"),
    ]
}
