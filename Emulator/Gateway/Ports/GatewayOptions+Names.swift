internal import Bytes
internal import EmulatorTemplate
internal import Time

/// The undocumented behaviours by name, for the command line.
extension GatewayOptions {
    package struct Rule: Sendable {
        package let name: String
        package let values: [String]
        package let about: String
        let set: @Sendable (inout GatewayOptions, _ value: String) -> Void
    }

    /// Why `NAME=VALUE` is invalid.
    package enum RuleFailure: Error, Equatable, Sendable {
        case unknownName
        case unknownValue(allowed: [String])
    }

    package mutating func set(_ name: String, to value: String) throws(RuleFailure) {
        guard let rule = Self.rules.first(where: { $0.name.isSame(as: name) }) else {
            throw .unknownName
        }
        guard rule.values.contains(where: { $0.isSame(as: value) }) else {
            throw .unknownValue(allowed: rule.values)
        }
        rule.set(&self, value)
    }

    package static let rules = [
        Rule(
            name: "stage-in-path", values: ["optional", "required", "absent"],
            about: "whether a path begins with the stage"
        ) { options, value in
            options.stageInPath =
                switch value {
                case "required": .required
                case "absent": .absent
                default: .optional
                }
        },
        Rule(
            name: "domain-name", values: ["amazon", "as-requested"],
            about: "domainName in events: execute-api's, or the requested Host"
        ) { $0.domainName = $1 == "amazon" ? .amazon : .asRequested },
        Rule(
            name: "forwarded", values: ["as-received", "https443"],
            about: "x-forwarded-port and -proto: the actual values, or those of AWS"
        ) { $0.forwarded = $1 == "https443" ? .https443 : .asReceived },
        Rule(
            name: "head-too-large", values: ["431", "400"],
            about: "the status for headers over 10,240 bytes"
        ) { $0.headTooLargeStatus = $1 == "400" ? 400 : 431 },
        Rule(
            name: "throttled-function", values: ["429", "500"],
            about: "the status when a function has no concurrency left"
        ) { $0.functionThrottle = $1 == "500" ? .failure : .tooManyRequests },
        Rule(
            name: "http-status-text", values: ["no", "yes"],
            about: "whether an HTTP API accepts \"statusCode\":\"201\""
        ) { $0.v2TakesStatusText = $1 == "yes" },
        Rule(
            name: "rest-binary", values: ["accept", "content-type", "either"],
            about: "the media type that decides whether base64 of a REST reply is decoded"
        ) { options, value in
            options.restBinaryMatch =
                switch value {
                case "content-type": .contentType
                case "either": .either
                default: .accept
                }
        },
        Rule(
            name: "rest-remaps-headers", values: ["yes", "no"],
            about: "whether REST renames WWW-Authenticate and others"
        ) { $0.restRemapsHeaders = $1 == "yes" },
        Rule(
            name: "rest-content-length", values: ["no", "yes"],
            about: "whether REST forwards Content-Length to the function"
        ) { $0.restForwardsContentLength = $1 == "yes" },
        Rule(
            name: "rest-context-text", values: ["yes", "no"],
            about: "whether an authorizer's context values are strings in a REST event"
        ) { $0.restStringifiesContext = $1 == "yes" },
    ]
}
