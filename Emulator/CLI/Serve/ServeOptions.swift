internal import EmulatorBase
internal import EmulatorTemplate
internal import EmulatorGateway

/// The options of `emulator serve`.
struct ServeOptions: Sendable {
    enum Mode: String, CaseIterable, Sendable { case warm, cold }

    /// Deployed side by side, in this order.
    var templates = [ServeOptions.ownTemplate]
    var parameters: [(name: String, value: String)] = []
    var port: UInt16 = 8000
    var awsPort: UInt16 = 8001
    /// nil without `--control-port`: the default port, or a free one if that is in use.
    var controlPort: UInt16?
    static let controlPortDefault: UInt16 = 8002
    /// nil without `--smtp-port`: the default port, or a free one if that is in use.
    var smtpPort: UInt16?
    static let smtpPortDefault: UInt16 = 8025
    var requiresVerifiedSenders = false
    /// nil without `--tls`.
    var tls: TLSPorts?
    /// nil: the address of the app endpoint, with `--tls` the HTTPS one.
    var issuerURL: String?
    var host = ListenAddress.loopback
    /// nil keeps the state in memory.
    var data: String? = ServeOptions.usualData
    static let usualData = ".emulator"
    var mode = Mode.warm
    /// nil: where the template says.
    var store: FunctionStore?
    var environmentFile: String?
    var recordings: String?
    var faults: String?
    var watches = true
    var isStrict = false
    var isQuiet = false
    /// Where the addresses are written when the emulator is ready.
    var readyFile: String?
    /// Whether standard output has the addresses alone, as a line of JSON.
    var printsJSON = false
    var gateway = GatewayOptions.standard

    struct TLSPorts: Sendable {
        var app: UInt16 = 8443
        var aws: UInt16 = 8444
    }

    enum ListenAddress: String, CaseIterable, Sendable {
        case loopback = "127.0.0.1"
        case everywhere = "0.0.0.0"
    }

    /// Latchkey's own template, and those that are looked for in the current folder before it.
    static let ownTemplate = "Functions/Templates/latchkey.json"
    static let usualTemplates = ["template.yaml", "template.yml", "template.json"]

    static let flags = [
        Flag(
            "--template", "FILE",
            "A SAM template, in YAML or JSON. Default: template.yaml,\n"
                + "template.yml or template.json in this folder, or else\n" + ownTemplate
                + ".\nRepeatable: the templates are deployed side by side, in this\n"
                + "order, and a later one can import what an earlier one exports."),
        Flag(
            "--parameter", "NAME=VALUE",
            "Set a parameter of each template that has it; repeatable.\n"
                + "{url} stands for the URL of the app endpoint."),
        Flag(
            "--port", "N",
            "The app endpoint: routes, identity providers.\n"
                + "Default: 8000; 0 for a free port"),
        Flag(
            "--aws-port", "N",
            "The AWS endpoint, for AWS_ENDPOINT_URL. Default: 8001;\n0 for a free port"),
        Flag(
            "--control-port", "N",
            "The controls and the mailbox, for a browser. Default: 8002, or a\n"
                + "free port if that is in use or with --port 0; 0 for a free port"),
        Flag(
            "--smtp-port", "N",
            "The SMTP port, on 127.0.0.1. Default: 8025, or a free port\n"
                + "if that is in use or with --port 0; 0 for a free port"
        ),
        Flag(
            "--verified-senders", nil, "Make SES reject senders without a created identity."),
        Flag(
            "--tls", nil,
            "Also serve HTTPS, on two more ports, with a local certificate; its\n"
                + "CA is DIR/certificates/ca.pem and GET /_emulator/ca.pem."),
        Flag("--tls-port", "N", "The HTTPS port of the app endpoint. Default: 8443"),
        Flag("--aws-tls-port", "N", "The HTTPS port of the AWS endpoint. Default: 8444"),
        Flag(
            "--issuer-url", "URL",
            "How the app calls this machine, such as https://my-mac.example:8443:\n"
                + "the issuer of tokens and of the identity providers. Default: the\n"
                + "app endpoint, with --tls by HTTPS"),
        Flag("--host", "ADDRESS", "127.0.0.1, or 0.0.0.0 for all interfaces. Default: 127.0.0.1"),
        Flag("--data", "DIR", "The data directory. Default: .emulator"),
        Flag("--ephemeral", nil, "Keep the state in memory only."),
        Flag(
            "--mode", "MODE",
            "warm: long-running processes, on the Runtime API.\n"
                + "cold: one process per event, over stdin and stdout. Default: warm"),
        Flag(
            "--store", "STORE",
            "Where functions have their state, sqlite:PATH or\n"
                + "postgres://USER:PASSWORD@HOST/DATABASE, whose table is created.\n"
                + "Default: where the template says, the emulator's DynamoDB"),
        Flag(
            "--env-file", "FILE",
            "NAME=VALUE lines that override the functions' environment;\n"
                + "a line [FUNCTION] begins the section of one function."),
        Flag(
            "--faults", "FILE",
            "Start with the faults and gates of FILE: JSON, as the control API\n"
                + "takes them, {\"faults\": [...], \"gates\": [...]}."),
        Flag("--record", "DIR", "Record each invocation as a fixture in DIR."),
        Flag(
            "--strict", nil,
            "Verify signatures and policies for all AWS services, not only\n"
                + "STS and S3."),
        Flag(
            "--gateway", "RULE=VALUE",
            "Choose between undocumented behaviours of API Gateway; repeatable.\n"
                + "The first value is the default:\n"
                + GatewayOptions.rules.map { rule in
                    "\(rule.name)=\(rule.values.joined(separator: "|")): \(rule.about)"
                }.joined(separator: "\n")),
        Flag(
            "--watch", nil, "Reload the template and executables when they change (default)."),
        Flag("--no-watch", nil, "Do not reload the template."),
        Flag("--quiet", nil, "Do not print the logs of the functions."),
        Flag(
            "--ready-file", "FILE",
            "Write the addresses to FILE as JSON when the emulator is ready;\n"
                + "the file is removed at the start and at the end."),
        Flag(
            "--ready-json", nil,
            "Print the addresses as a line of JSON when the emulator is ready,\n"
                + "and everything else to standard error."),
    ]

    init() {}

    init(_ arguments: Arguments) throws(UsageError) {
        _ = try arguments.words([])
        let given = arguments.all("--template")
        templates = given.isEmpty ? [try Self.foundTemplate()] : given
        parameters = try arguments.pairs("--parameter")
        if let number = try arguments.integer("--port", in: 0...65_535) { port = UInt16(number) }
        if let number = try arguments.integer("--aws-port", in: 0...65_535) {
            awsPort = UInt16(number)
        }
        // With `--port 0`, several emulators run side by side.
        if port == 0 { (controlPort, smtpPort) = (0, 0) }
        if let number = try arguments.integer("--control-port", in: 0...65_535) {
            controlPort = UInt16(number)
        }
        if let number = try arguments.integer("--smtp-port", in: 0...65_535) {
            smtpPort = UInt16(number)
        }
        requiresVerifiedSenders = arguments.has("--verified-senders")
        tls = try Self.tls(arguments)
        issuerURL = try Self.issuerURL(arguments)
        if let address = try arguments.choice("--host", ListenAddress.self) { host = address }
        if let path = arguments.text("--data") {
            guard !arguments.has("--ephemeral") else {
                throw UsageError(description: "--data and --ephemeral cannot be combined")
            }
            data = path
        }
        if arguments.has("--ephemeral") { data = nil }
        if let chosen = try arguments.choice("--mode", Mode.self) { mode = chosen }
        store = try arguments.text("--store").map { text throws(UsageError) in
            try FunctionStore(text)
        }
        environmentFile = arguments.text("--env-file")
        recordings = arguments.text("--record")
        faults = arguments.text("--faults")
        if arguments.has("--no-watch") {
            guard !arguments.has("--watch") else {
                throw UsageError(description: "--watch and --no-watch cannot be combined")
            }
            watches = false
        }
        try readGatewayRules(arguments)
        isStrict = arguments.has("--strict")
        isQuiet = arguments.has("--quiet")
        readyFile = arguments.text("--ready-file")
        printsJSON = arguments.has("--ready-json")
    }

    private static func foundTemplate() throws(UsageError) -> String {
        guard let found = (usualTemplates + [ownTemplate]).first(where: { Files.exists($0) })
        else {
            throw UsageError(
                description:
                    "there is no \(usualTemplates.joined(separator: ", ")) in this folder; "
                    + "give a template with --template FILE")
        }
        return found
    }

    private mutating func readGatewayRules(_ arguments: Arguments) throws(UsageError) {
        for (name, value) in try arguments.pairs("--gateway") {
            do throws(GatewayOptions.RuleFailure) {
                try gateway.set(name, to: value)
            } catch {
                switch error {
                case .unknownName:
                    throw UsageError(description: "unknown rule '\(name)' for --gateway")
                case .unknownValue(let allowed):
                    throw UsageError(
                        description: "invalid value '\(value)' for --gateway \(name): "
                            + "expected \(allowed.joined(separator: " or "))")
                }
            }
        }
    }

    private static func issuerURL(_ arguments: Arguments) throws(UsageError) -> String? {
        guard let text = arguments.text("--issuer-url") else { return nil }
        let rest = ["https://", "http://"].first { text.hasPrefix($0) }.map {
            text.dropFirst($0.count)
        }
        guard let rest, !rest.isEmpty,
            rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/?#@".utf8.contains($0) })
        else {
            throw UsageError(
                description: "--issuer-url must be http:// or https:// with a host, and its port "
                    + "if it has one; no path, and no / at its end")
        }
        return text
    }

    private static func tls(_ arguments: Arguments) throws(UsageError) -> TLSPorts? {
        var ports = TLSPorts()
        let app = try arguments.integer("--tls-port", in: 0...65_535)
        let aws = try arguments.integer("--aws-tls-port", in: 0...65_535)
        if let app { ports.app = UInt16(app) }
        if let aws { ports.aws = UInt16(aws) }
        guard arguments.has("--tls") else {
            guard app == nil, aws == nil else {
                throw UsageError(description: "--tls-port and --aws-tls-port require --tls")
            }
            return nil
        }
        return ports
    }
}
