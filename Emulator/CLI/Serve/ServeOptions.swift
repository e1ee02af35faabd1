internal import EmulatorTemplate
internal import EmulatorGateway

/// What `emulator serve` was asked for.
struct ServeOptions: Sendable {
    enum Mode: String, CaseIterable, Sendable { case warm, cold }

    var template = "Functions/Templates/latchkey.json"
    var parameters: [(name: String, value: String)] = []
    var port: UInt16 = 8000
    var awsPort: UInt16 = 8001
    var smtpPort: UInt16 = 8025
    var requiresVerifiedSenders = false
    /// nil without `--tls`.
    var tls: TLSPorts?
    var host = ListenAddress.loopback
    /// nil forgets everything at the end.
    var data: String? = ".emulator"
    var mode = Mode.warm
    var environmentFile: String?
    var recordings: String?
    var watches = true
    var isStrict = false
    var isQuiet = false
    var gateway = GatewayOptions.standard

    struct TLSPorts: Sendable {
        var app: UInt16 = 8443
        var aws: UInt16 = 8444
    }

    enum ListenAddress: String, CaseIterable, Sendable {
        case loopback = "127.0.0.1"
        case everywhere = "0.0.0.0"
    }

    static let flags = [
        Flag(
            "--template", "FILE",
            "A SAM template in JSON. Default: Functions/Templates/latchkey.json"),
        Flag(
            "--parameter", "NAME=VALUE",
            "A value for a parameter of the template; repeatable.\n"
                + "{url} stands for the app side's URL."),
        Flag(
            "--port", "N",
            "The app side: routes, identity providers, mail. Default: 8000; 0 picks one"),
        Flag("--aws-port", "N", "The AWS side, for AWS_ENDPOINT_URL. Default: 8001; 0 picks one"),
        Flag(
            "--smtp-port", "N",
            "Takes mail by SMTP, on 127.0.0.1. Default: 8025, or with\n--port 0 a free one"),
        Flag(
            "--verified-senders", nil, "SES refuses senders whose identity was not created."),
        Flag(
            "--tls", nil,
            "Speak https as well, on two more ports, with a certificate of its own;\n"
                + "its authority is in DIR/certificates/ca.pem and at /_emulator/ca.pem"),
        Flag("--tls-port", "N", "The app side's port for https. Default: 8443"),
        Flag("--aws-tls-port", "N", "The AWS side's port for https. Default: 8444"),
        Flag("--host", "ADDRESS", "127.0.0.1, or 0.0.0.0 to let others in. Default: 127.0.0.1"),
        Flag("--data", "DIR", "Where state is kept. Default: .emulator"),
        Flag("--ephemeral", nil, "Keep no state."),
        Flag(
            "--mode", "MODE",
            "warm: processes that stay, on the Runtime API.\n"
                + "cold: a process per event, over stdin and stdout. Default: warm"),
        Flag(
            "--env-file", "FILE",
            "Lines of NAME=VALUE over the functions' environment;\n"
                + "[FUNCTION] on a line of its own begins one function's."),
        Flag("--record", "DIR", "Write each request as a fixture into DIR."),
        Flag(
            "--strict", nil,
            "Verify signatures and policies at every AWS service, not only at\n"
                + "STS and S3."),
        Flag(
            "--gateway", "RULE=VALUE",
            "Where it is not settled how API Gateway behaves; repeatable. The first is the default:\n"
                + GatewayOptions.rules.map { rule in
                    "\(rule.name)=\(rule.values.joined(separator: "|")): \(rule.about)"
                }.joined(separator: "\n")),
        Flag(
            "--watch", nil, "Serve changed templates and executables at once. This is the default."),
        Flag("--no-watch", nil, "Keep the template as it is at the start."),
        Flag("--quiet", nil, "Do not show what the functions log."),
    ]

    init() {}

    init(_ arguments: Arguments) throws(UsageError) {
        _ = try arguments.words([])
        if let path = arguments.text("--template") { template = path }
        parameters = try arguments.pairs("--parameter")
        if let number = try arguments.integer("--port", in: 0...65_535) { port = UInt16(number) }
        if let number = try arguments.integer("--aws-port", in: 0...65_535) {
            awsPort = UInt16(number)
        }
        // Whoever wants any free port for one wants no fixed one for the other.
        if port == 0 { smtpPort = 0 }
        if let number = try arguments.integer("--smtp-port", in: 0...65_535) {
            smtpPort = UInt16(number)
        }
        requiresVerifiedSenders = arguments.has("--verified-senders")
        tls = try Self.tls(arguments)
        if let address = try arguments.choice("--host", ListenAddress.self) { host = address }
        if let path = arguments.text("--data") {
            guard !arguments.has("--ephemeral") else {
                throw UsageError(description: "--data and --ephemeral exclude each other")
            }
            data = path
        }
        if arguments.has("--ephemeral") { data = nil }
        if let chosen = try arguments.choice("--mode", Mode.self) { mode = chosen }
        environmentFile = arguments.text("--env-file")
        recordings = arguments.text("--record")
        if arguments.has("--no-watch") {
            guard !arguments.has("--watch") else {
                throw UsageError(description: "--watch and --no-watch exclude each other")
            }
            watches = false
        }
        try readGatewayRules(arguments)
        isStrict = arguments.has("--strict")
        isQuiet = arguments.has("--quiet")
    }

    private mutating func readGatewayRules(_ arguments: Arguments) throws(UsageError) {
        for (name, value) in try arguments.pairs("--gateway") {
            do throws(GatewayOptions.RuleFailure) {
                try gateway.set(name, to: value)
            } catch {
                switch error {
                case .unknownName:
                    throw UsageError(description: "--gateway has no rule \(name)")
                case .unknownValue(let allowed):
                    throw UsageError(
                        description: "--gateway \(name) is \(allowed.joined(separator: " or ")), "
                            + "not \(value)")
                }
            }
        }
    }

    private static func tls(_ arguments: Arguments) throws(UsageError) -> TLSPorts? {
        var ports = TLSPorts()
        let app = try arguments.integer("--tls-port", in: 0...65_535)
        let aws = try arguments.integer("--aws-tls-port", in: 0...65_535)
        if let app { ports.app = UInt16(app) }
        if let aws { ports.aws = UInt16(aws) }
        guard arguments.has("--tls") else {
            guard app == nil, aws == nil else {
                throw UsageError(description: "--tls-port and --aws-tls-port need --tls")
            }
            return nil
        }
        return ports
    }
}
