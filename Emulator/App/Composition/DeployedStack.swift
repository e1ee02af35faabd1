internal import AWSSignature
internal import Bytes
internal import Cryptography
internal import EmulatorAWS
internal import EmulatorBase
internal import EmulatorGateway
internal import EmulatorLambda
internal import EmulatorReplay
internal import EmulatorThirdParties
internal import JOSE
internal import Time

/// The deployed templates. A change of a template builds a new stack, which serves the requests
/// after it.
struct DeployedStack: Sendable {
    let loaded: LoadedTemplate
    let gateway: Gateway
    let authority: CredentialAuthority
    let sts: STSService
    let s3: S3Service
    let ses: SESService
    let definitions: [FunctionConfiguration]
    /// Why AWS refuses a template, and why functions cannot run, such as a handler that does not
    /// exist.
    let problems: [String]
    /// Differences from AWS, and other warnings about the template.
    let differences: [String]

    var warnings: [String] { problems + differences }
}

extension EmulatorServices {
    func makeStack() throws -> DeployedStack {
        let loaded = try templateFiles.read(addresses)
        var environment =
            try options.environmentFile.map { try EnvironmentFile(path: $0) } ?? EnvironmentFile()
        var warnings = loaded.warnings
        try environment.assign(to: loaded.template)
        let authority = try CredentialAuthority(
            directory: try LocalIdentities.directory(
                of: loaded, providers: openIDProviders(of: loaded), &warnings),
            root: rootKey, revocations: revocations, random: random,
            ahead: { [clock] in clock.ahead })
        codeWatch?.watch(loaded.template.codeFolders.map(\.path))
        var problems = loaded.problems
        let definitions = try loaded.template.functions.map { function in
            try definition(function, environment, authority, &problems)
        }
        try seed(loaded.template, &warnings)
        return DeployedStack(
            loaded: loaded,
            gateway: Gateway(
                loaded.template, settings: loaded.settings, options: options.gateway,
                ports: gatewayPorts(authority)),
            authority: authority,
            sts: STSService(authority, keys: issuerKeys, clock: clock.wall, random: random),
            s3: S3Service(objects, authority, clock: clock.wall, random: random),
            ses: SESService(
                mailbox, authority,
                options: .init(requiresVerifiedSenders: options.requiresVerifiedSenders),
                clock: clock.wall, random: random),
            definitions: definitions, problems: problems, differences: warnings)
    }

    private func definition(
        _ function: FunctionResource, _ file: EnvironmentFile,
        _ authority: CredentialAuthority, _ problems: inout [String]
    ) throws -> FunctionConfiguration {
        let start = FunctionStart(function, interpreters, executables: options.executables)
        if let problem = start.problem { problems.append("\(function.name): \(problem)") }
        let credentials = try authority.issue(session(of: function))
        let secret = String(decoding: credentials.secretAccessKey.reveal(), as: UTF8.self)
        let token = credentials.sessionToken.map { String(decoding: $0.reveal(), as: UTF8.self) }
        var environment = endpointVariables(of: function)
        environment.append(("AWS_ACCESS_KEY_ID", credentials.accessKeyID))
        environment.append(("AWS_SECRET_ACCESS_KEY", secret))
        environment.append(("AWS_SESSION_TOKEN", token ?? ""))
        var definition = FunctionConfiguration(
            name: function.name.text, command: start.command, handler: function.handler,
            environment: environment + function.environment
                + (options.store?.variables(over: function.environment) ?? [])
                + file.variables(of: function),
            directory: start.directory,
            timeoutMilliseconds: function.timeoutSeconds * 1000,
            memoryMegabytes: function.memoryMB, reservedConcurrency: function.reservedConcurrency,
            mode: options.mode == .warm ? .warm : start.language != nil ? .coldOnRuntimeAPI : .cold,
            candidates: start.missing,
            runtime: function.runtime.isEmpty ? "provided.al2023" : function.runtime,
            logicalID: function.logicalID, alias: function.alias, role: function.roleARN)
        if start.language != nil, function.inlineCode == nil, let codeWatch {
            definition.codeVersion = { codeWatch.version }
        }
        return definition
    }

    /// The function's session. It outlives any instance and is renewed at each start.
    private func session(of function: FunctionResource) -> IAMSession {
        let now = clock.now
        return IAMSession(
            issuedAt: now, expiresAt: now + .days(7),
            role: RoleSession(roleARN: function.roleARN, name: function.name.text))
    }

    /// The variables that differ from AWS.
    private func endpointVariables(
        of function: FunctionResource
    ) -> [(name: String, value: String)] {
        // Providers and receivers belong to the emulator, so traces include the calls to them.
        [("AWS_ENDPOINT_URL", addresses.awsURL), ("TRACE_PROVIDERS", "true")]
            + (addresses.trustedAuthorities.map { [("SSL_CERT_FILE", $0)] } ?? [])
            + identity.issuers.map { name, issuer in
                ("\(ProviderVariables.prefix(of: name))_ISSUER", issuer)
            }
    }
}
