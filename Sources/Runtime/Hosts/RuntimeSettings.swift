internal import Bytes

/// The environment variables of the runtime itself.
struct RuntimeSettings {
    /// `BASE_PATH`: the prefix that is removed from every path, for example `/api`; empty for none.
    let basePath: String
    /// `OPENFAAS_REPLY`: `body`, or `document` for the whole `{statusCode, headers, body}`, which a
    /// proxy in front of a forking watchdog can turn into a response.
    let watchdogReply: ReplyForm

    static let document = "document"

    init(_ environment: Environment) throws(StartFailure) {
        var problems: [String] = []
        basePath = environment["BASE_PATH"] ?? ""
        if !basePath.isEmpty, !basePath.hasPrefix("/") || basePath.hasSuffix("/") {
            problems.append("BASE_PATH must begin with a slash and not end with one")
        }
        let reply = environment["OPENFAAS_REPLY"] ?? "body"
        watchdogReply = reply.isSame(as: Self.document) ? .gatewayV2 : .body
        if !reply.isSame(as: Self.document), !reply.isSame(as: "body") {
            problems.append("OPENFAAS_REPLY must be body or document")
        }
        if Log.level(environment) == nil {
            problems.append("LOG_LEVEL must be off, error or info")
        }
        if let form = environment["LOG_FORMAT"] {
            if Log.Form(rawValue: form) == nil {
                problems.append("LOG_FORMAT must be text or json")
            }
            if environment["METRICS_NAMESPACE"] != nil, Log.Form(rawValue: form) == .text {
                problems.append("LOG_FORMAT must be json, because of METRICS_NAMESPACE")
            }
        }
        if ProcessHardening.level(environment) == nil {
            problems.append("PROCESS_HARDENING must be full, unfiltered or off")
        }
        if !ProcessHardening.memoryMiBMax(environment).isValid {
            let range = ProcessHardening.memoryMiBRange
            problems.append(
                "PROCESS_MEMORY_MIB_MAX must be a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound)")
        }
        if let namespace = environment["METRICS_NAMESPACE"],
            !EmbeddedMetrics.isNamespace(namespace)
        {
            problems.append(
                "METRICS_NAMESPACE must be 1 to 255 letters, digits or .-_/#: and not begin with "
                    + "AWS/ or a colon")
        }
        guard problems.isEmpty else { throw StartFailure(problems: problems) }
    }
}
