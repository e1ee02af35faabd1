internal import AuthDomain
package import AuthOperations
internal import Bytes
internal import Contracts
package import FunctionRuntime
internal import Glibc
internal import JSON

extension StartPurpose {
    fileprivate var ofContract: StartPurpose { self == .function ? .contract : self }
}

extension Assembly {
    /// For a command of the operator. The settings have the defaults of `latchkey serve`, because
    /// the store belongs to it. A service manager may give the mail password to the server only:
    /// without it, the command leaves its mails to the server's housekeeping.
    fileprivate var besideServer: Assembly {
        var assembly = self
        assembly.purpose = .standardServer(environment)
        let mail = environment["MAIL_URL"].flatMap(SMTPServer.init(url:))
        if mail?.user != nil, environment["MAIL_PASSWORD"] == nil {
            assembly.environment = environment.setting("MAIL_PASSWORD", to: "not needed")
                .setting("MAIL_DELIVERY", to: MailServices.Delivery.outbox.rawValue)
        }
        return assembly
    }
}

// One executable that serves the endpoints of all functions in one process.
extension LatchkeyFunction {
    /// Serves all endpoints of the configured contract, except the endpoints of the functions in
    /// `OMITTED_FUNCTIONS`. The settings of these functions are not needed. If the first argument
    /// names one of `commands`, it runs that instead.
    package static func runContract(
        _ name: String, _ summary: String,
        commands: @escaping @Sendable () -> [OperatorCommand] = { [] }
    ) -> Never {
        start(
            name, summary, commands: CommandHelp { OperatorCommand.help(commands()) },
            tool: { arguments in
                OperatorCommand.named(by: arguments, among: commands()).map { command in
                    { command.run(Array(arguments.dropFirst()), $0) }
                }
            }
        ) { assembly, log throws(StartFailure) in
            try contractHandler(assembly, log) { announcement in
                announcement.write(to: log) { text in
                    StandardStreams.system.writeError(Array(text.utf8))
                }
            }
        }
    }

    /// The handler of `runContract`.
    package static func contractHandler(
        _ assembly: Assembly, _ log: Log
    ) throws(StartFailure) -> Handler {
        try contractHandler(assembly, log) { _ in }
    }

    /// Answers requests of the operator in this process (`Request.isOperators`). Work that an
    /// answer leaves for later, such as sending a mail, is done before the next request.
    package static func operatorRequests(
        _ assembly: Assembly, _ log: Log
    ) throws(StartFailure) -> (Request) -> Reply {
        let handler = try contractHandler(assembly.besideServer, log, announce: nil)
        return { request in
            guard case .request(let answer) = handler.kind else {
                return Reply(status: 500, content: nil)
            }
            let reply = answer(request)
            handler.afterReply(nil)
            return reply
        }
    }

    /// Builds the services for a command of the operator, with the settings of a server.
    package static func operatorServices(
        _ assembly: Assembly, _ log: Log
    ) throws(StartFailure) -> AuthServices {
        try built(assembly.besideServer, log).0.auth
    }

    /// - Parameter announce: called if the process is a server; nil for a command that runs beside
    ///   a server, because it must not replace the link for the first administrator.
    private static func contractHandler(
        _ assembly: Assembly, _ log: Log, announce: ((ServerAnnouncement) -> Void)?
    ) throws(StartFailure) -> Handler {
        let (built, authorizer) = try built(assembly, log)
        if let announce, var announcement = built.announcement {
            announcement.unusedFile = StartSettings.unusedFile(assembly.environment)
            announcement.unknownSettings = SettingNames.unknown(among: StartSettings.namesInFiles)
            announcement.readsFile = StartSettings.hasReadStandardFile
            // A store that does not answer now may do so later, and must not stop the start.
            if built.endpoints.contains(where: { $0.operation == .makeFirstAdministrator }),
                let token = try? built.auth.firstAdministrator.invite()
            {
                announcement.administrator.link = ContractPages.firstAdministratorLink(
                    token: token, issuer: built.auth.issuer)
            }
            announce(announcement)
        }
        var handler = serve(built, log, routing: router)
        handler.authorize = authorizer.authorizer(built.auth, log)
        return handler
    }

    private static func built(
        _ assembly: Assembly, _ log: Log
    ) throws(StartFailure) -> (Assembly.Built, AuthorizerSettings) {
        var authorizer = AuthorizerSettings()
        var reports = AssemblyReports(log)
        if case .server = assembly.purpose {
            let notices = ChangedNotices()
            reports.housekeeping = { if notices.isNew($0) { log.report($0) } }
        }
        let built = try assembly.build(
            serving: { contract, reader in
                let omitted = omittedFunctions(&reader)
                // If the pages are off, they have no endpoints, so nothing is needed for them.
                let hasPages = PageSettings.areOn(reader)
                let hasOAuth = OAuthSettings.areOn(reader)
                let hasList = PolicySettings.listsRevocations(reader)
                if hasOAuth, !hasPages {
                    reader.refuse("OAUTH needs UI=on: people sign in and decide on its pages")
                }
                let endpoints = contract.endpoints.filter {
                    !omitted.contains($0.operation.function) && (hasPages || !$0.isPageForUsers)
                        && (hasOAuth || $0.feature != .oauth)
                        && (hasList || $0.feature != .revocations)
                }
                if endpoints.isEmpty { reader.refuse("OMITTED_FUNCTIONS omits every function") }
                return endpoints
            },
            needing: AuthorizerSettings.needs, for: assembly.purpose.ofContract,
            reading: { authorizer.read(&$0) },
            reporting: reports)
        return (built, authorizer)
    }

    private static func omittedFunctions(_ reader: inout SettingsReader) -> Set<String> {
        var omitted = Set(reader.list("OMITTED_FUNCTIONS"))
        guard !omitted.isEmpty else { return [] }
        // Functions of other contracts are accepted too, so that one list can be used for all
        // contracts.
        let known = Set(Contract.all.flatMap { $0.endpoints.map(\.operation.function) })
        for name in omitted.subtracting(known).sorted() {
            let refusal = NearestName.refusal(name, among: known.sorted())
            reader.refuse("OMITTED_FUNCTIONS: \(refusal)")
        }
        // A server without the sign-in of administrators has no password for their pages.
        if omitted.contains("admin-login") { omitted.insert("admin") }
        return omitted
    }

    /// An HTTP request finds its endpoint by its route. A direct payload has no route: its member
    /// `function` names the function, and a schedule is for housekeeping.
    private static func router(
        for request: inout Request, _ built: Assembly.Built, _ auth: AuthServices
    ) -> Router {
        let everything = Router(built.contract, serving: built.endpoints, auth)
        guard request.form != .http else { return everything }
        // EventBridge Scheduler sends an event of another form than EventBridge's rules.
        let isScheduled =
            request.form == .schedule || request.payload?["source"] == "aws.scheduler"
        let function =
            isScheduled
            ? AuthOperation.housekeeping.function : request.payload?["function"]?.stringValue
        let endpoints = built.endpoints.filter { endpoint in
            function.map(endpoint.operation.isServed(by:)) ?? false
        }
        guard !endpoints.isEmpty else {
            // The answer is the same as for an unknown path.
            request.form = .http
            return Router(
                refusing: request.payload, built.contract, serving: built.endpoints, auth)
        }
        request.payload?["function"] = nil
        return Router(built.contract, serving: endpoints, auth)
    }
}
