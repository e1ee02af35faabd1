internal import AuthComposition
internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import JSON

extension OperatorCommand {
    private static let trial = Flag("--dry-run", nil, "Only print what would be done.")
    private static let method = Flag(
        "--secret-by", "METHOD",
        "How clients send their secret, if the file does not say:\n"
            + "client_secret_basic (the default) or client_secret_post")
    private static let resource = Flag(
        "--resource", "URL",
        "A server of OAUTH_RESOURCES that all may request tokens for;\n"
            + "can be repeated. Default: none", isRepeatable: true)

    /// `latchkey import clients`
    static let importClients = OperatorCommand(
        CommandShape(
            name: "import clients", operands: ["FILE"],
            summary: "Import the clients of another provider, with their IDs and secrets.",
            details: """
                FILE is JSON: a realm export of Keycloak, answers of
                aws cognito-idp describe-user-pool-client, or clients of Auth0, as its Management
                API or its Deploy CLI writes them. - stands for standard input. A line for each
                client says what could not be imported. A client that exists already is unchanged:
                delete it first, if the file should replace it.

                A server may run meanwhile. The status is 0 if all clients exist afterwards.
                """, flags: [trial, method, resource])
    ) { arguments, assembly throws(CommandFailure) in
        let path = arguments.operands[0]
        var choices = ForeignClient.Choices()
        choices.resources = arguments.all(resource.name)
        if let text = arguments.text(method.name) {
            guard let known = Client.Authentication(rawValue: text),
                [.basic, .post].contains(known)
            else {
                throw CommandFailure(
                    "\(method.name) must be client_secret_basic or client_secret_post",
                    status: CommandFailure.usage)
            }
            choices.method = known
        }
        guard let bytes = try? readFile(path, bytesMax: fileLimits.bytesMax),
            let json = try? JSON.parse(bytes, limits: fileLimits)
        else { throw CommandFailure("\(path) cannot be read, or is not JSON") }
        let auth = try services(assembly)
        choices.scope = auth.oauthIfOn?.everyScope ?? []
        guard let found = ForeignClients(json, choices) else {
            let names = ForeignClients.Provider.allCases.map(\.rawValue)
            throw CommandFailure(
                "\(path) has no clients of \(names.dropLast().joined(separator: ", ")) or "
                    + "\(names.last ?? "")")
        }
        let run = ClientImport(
            provider: found.provider, isTrial: arguments.has(trial.name), choices: choices,
            auth: auth)
        return try run.take(found.clients)
    }

    private static func services(_ assembly: Assembly) throws(CommandFailure) -> AuthServices {
        let auth = try services(beside: assembly)
        guard auth.policy.oauth != nil else {
            throw CommandFailure("OAUTH is not on: this deployment has no clients")
        }
        return auth
    }

    private static let fileLimits = JSONLimits(bytesMax: 64 << 20, depthMax: 64)
}

/// One run of `latchkey import clients`.
private struct ClientImport {
    let provider: ForeignClients.Provider
    let isTrial: Bool
    let choices: ForeignClient.Choices
    let auth: AuthServices

    private enum Result: Equatable {
        case taken, unchanged, skipped, refused
    }

    /// Returns the exit status.
    func take(_ clients: [ForeignClient]) throws(CommandFailure) -> Int32 {
        var results: [Result] = []
        for client in clients {
            let (result, words) = try take(client)
            results.append(result)
            let name = client.id.isEmpty ? "?" : client.id
            try Terminal.print(AdminTable.printable("\(name): \(words)"))
        }
        func count(_ result: Result) -> Int { results.count { $0 == result } }
        let missing = count(.refused)
        Terminal.say(
            "latchkey: of \(results.count - count(.skipped)) clients of \(provider.rawValue) "
                + "\(count(.taken)) \(isTrial ? "would be " : "")imported, "
                + "\(count(.unchanged)) unchanged, \(missing) not imported")
        return missing == 0 ? 0 : 1
    }

    private func take(
        _ client: ForeignClient
    ) throws(CommandFailure) -> (Result, words: String) {
        var client = client
        let imported = client.imported(choices)
        if client.isBuiltIn { return (.skipped, "skipped: \(provider.rawValue)'s own") }
        guard let imported else {
            let lost = client.losses.isEmpty ? "" : ": \(client.losses.joined(separator: ", "))"
            return (.refused, "not imported: \(client.refusal ?? "it has no grant")\(lost)")
        }
        let outcome: ImportClient.Outcome
        do throws(AuthError) {
            outcome = try auth.importClient(
                imported, isTrial: isTrial, because: "imported from \(provider.rawValue)",
                Caller(userAgent: "latchkey import"))
        } catch {
            throw CommandFailure(
                "\(client.id): the store does not answer, or is not ready: \(error)")
        }
        auth.afterReply.run(until: nil)
        switch outcome {
        case .taken: return (.taken, words(for: client))
        case .unchanged: return (.unchanged, "unchanged")
        case .differs:
            return (.refused, "not imported: it exists already, and differs; it is unchanged")
        case .configured: return (.refused, "not imported: OAUTH_CLIENTS has this ID")
        case .refused(let problem):
            return (.refused, "not imported: \(problem.member) \(problem.rule)")
        }
    }

    private func words(for client: ForeignClient) -> String {
        var words = isTrial ? "would be imported" : "imported"
        if client.isDisabled { words += ", disabled as it was" }
        if !client.losses.isEmpty { words += ", without \(client.losses.joined(separator: ", "))" }
        return ([words] + client.notes).joined(separator: "; ")
    }
}
