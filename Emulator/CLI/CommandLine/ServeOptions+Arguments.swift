internal import EmulatorApp
internal import EmulatorBase
internal import EmulatorGateway
internal import EmulatorReplay

extension ServeOptions {
    init(_ arguments: Arguments) throws(UsageError) {
        self.init()
        _ = try arguments.operands([])
        let given = arguments.all("--template")
        templates = given.isEmpty ? [try Self.foundTemplate()] : given
        parameters = try arguments.pairs("--parameter")
        if let number = try arguments.integer("--port", in: 0...65_535) { port = UInt16(number) }
        if let number = try arguments.integer("--aws-port", in: 0...65_535) {
            awsPort = UInt16(number)
        }
        // With `--port 0` several emulators can run in parallel.
        if port == 0 {
            (controlPort, smtpPort, playgroundPort) = (0, 0, 0)
            if arguments.text("--aws-port") == nil { awsPort = 0 }
        }
        if let number = try arguments.integer("--control-port", in: 0...65_535) {
            controlPort = UInt16(number)
        }
        try readPlayground(arguments)
        if let number = try arguments.integer("--smtp-port", in: 0...65_535) {
            smtpPort = UInt16(number)
        }
        requiresVerifiedSenders = arguments.has("--verified-senders")
        tls = try Self.tls(arguments)
        issuerKeys = arguments.text("--issuer-keys")
        issuerURL = try Self.issuerURL(arguments)
        if let address = try arguments.choice("--host", ListenAddress.self) { host = address }
        names = ServedNames(self)
        try readFolders(arguments)
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
        isVerbose = arguments.has("--verbose")
        readyFile = arguments.text("--ready-file")
        printsJSON = arguments.has("--ready-json")
    }

    private mutating func readFolders(_ arguments: Arguments) throws(UsageError) {
        if let path = arguments.text("--data") {
            guard !arguments.has("--ephemeral") else {
                throw UsageError(description: "--data and --ephemeral cannot be combined")
            }
            data = path
        }
        if arguments.has("--ephemeral") { data = nil }
        func folder(_ flag: String) throws(UsageError) -> String? {
            let path = arguments.text(flag)
            if let path, !Files.isDirectory(path) {
                throw UsageError(
                    description: "\(flag): there is no folder \(path). 'mkdir \(path)' makes it")
            }
            return path
        }
        executables = try folder("--executables")
        events = try folder("--events")
    }

    private static func foundTemplate() throws(UsageError) -> String {
        guard let found = (templatesDefault + [ownTemplate]).first(where: { Files.exists($0) })
        else {
            throw UsageError(
                description:
                    "there is no \(templatesDefault.joined(separator: ", ")) in this folder; "
                    + "give a template with --template FILE")
        }
        return found
    }

    private mutating func readPlayground(_ arguments: Arguments) throws(UsageError) {
        playground = arguments.text("--playground")
        if let number = try arguments.integer("--playground-port", in: 0...65_535) {
            guard playground != nil else {
                throw UsageError(description: "--playground-port requires --playground")
            }
            playgroundPort = UInt16(number)
        }
        guard let playground, !Files.isRegular("\(playground)/index.html") else { return }
        throw UsageError(description: "--playground: there is no \(playground)/index.html")
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
        let isFree = try arguments.integer("--port", in: 0...65_535) == 0
        var ports = isFree ? TLSPorts(app: 0, aws: 0) : TLSPorts()
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
