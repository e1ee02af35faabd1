internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Glibc
internal import JSON

/// One run of a command of `latchkey admin`.
struct AdminRun {
    private let arguments: CommandArguments
    private let action: AdminAction

    private static let descriptionBytesMax = 64 << 10

    init(_ arguments: CommandArguments, _ action: AdminAction) {
        self.arguments = arguments
        self.action = action
    }

    private var operand: String {
        action.flag.flatMap(arguments.text) ?? arguments.operands.dropFirst(2).first ?? ""
    }

    private var second: String { arguments.operands.last ?? "" }

    // MARK: Before anything is asked

    func confirm() throws(CommandFailure) {
        if let text = arguments.text("--search"),
            text.filter({ $0 != " " }).unicodeScalars.count < FindUsers.beginningMin
        {
            throw CommandFailure(
                "--search needs at least \(FindUsers.beginningMin) characters",
                status: AdminStatus.usage)
        }
        guard action.changes else { return }
        let roles = AdminRole.allCases.map(\.rawValue) + ["none"]
        guard action.second != .role || roles.contains(where: second.isSame(as:)) else {
            throw CommandFailure(
                "the role is one of \(roles.joined(separator: ", "))", status: AdminStatus.usage)
        }
        guard arguments.has("--reason") else {
            throw CommandFailure(
                "--reason TEXT is missing: the audit log says why something was changed",
                status: AdminStatus.usage)
        }
        let isLeak = arguments.text("--former")?.isSame(as: "ended") ?? false
        let warning = action.warning ?? (isLeak ? "Revoke the current secret at once?" : nil)
        guard let warning, !arguments.has("--yes") else { return }
        guard Prompt.isPossible else {
            throw CommandFailure(
                "\(action.words) cannot be undone: give --yes", status: AdminStatus.usage)
        }
        guard Prompt.line("\(operand): \(warning) Type yes: ")?.isSame(as: "yes") ?? false else {
            throw CommandFailure("nothing was changed", status: AdminStatus.refused)
        }
    }

    // MARK: The requests

    private static let guess = """
        latchkey: the link has the address at which 'latchkey serve' listens by default. For another
        one, set ISSUER for both: ISSUER=http://localhost:PORT
        """

    func perform(at server: AdminServer) throws(CommandFailure) {
        try act(at: server)
        if action.makesLink, server.guessesItsAddress { Terminal.say(Self.guess) }
    }

    private func act(at server: AdminServer) throws(CommandFailure) {
        if let name = action.direct { return try invoke(name, at: server) }
        let (path, body) = try request(at: server)
        let answer = try asked(server, action.method, path, body)
        guard let json = answer.body else {
            if !arguments.has("--json") { try Terminal.print(action.done) }
            return
        }
        if action.words.isSame(as: "users show"), json["users"]?.arrayValue?.isEmpty ?? true {
            throw notFound("there is no user '\(operand)'")
        }
        try Terminal.print(
            arguments.has("--json") ? AdminTable.document(json) : AdminTable.text(json, action))
    }

    private func invoke(_ name: String, at server: AdminServer) throws(CommandFailure) {
        guard let invoke = server.invoke else {
            throw CommandFailure(
                "\(action.words) works only on the server's store: run it there, without --url",
                status: AdminStatus.usage)
        }
        let answer = try invoke(name)
        guard let json = answer.body, answer.status < 300, json["link"]?.stringValue != nil else {
            throw CommandFailure(
                Self.message(answer)
                    ?? "there is no link: an account has a role already (give others one with "
                    + "'admin users role'), or UI=off",
                status: AdminStatus.refused)
        }
        try Terminal.print(
            arguments.has("--json") ? AdminTable.document(json) : AdminTable.text(json, action))
    }

    private func request(
        at server: AdminServer
    ) throws(CommandFailure) -> (path: String, body: JSONObject?) {
        var path = action.path
        var query: [(String, String)] = []
        var body: JSONObject?
        switch action.operand {
        case .user where path.utf8.contains(text: AdminAction.idMark):
            path = AdminAction.path(path, with: try userID(operand, server))
        case .user: query.append(Self.named(operand))
        case .client: path = AdminAction.path(path, with: Self.inPath(operand))
        case .file: body = try description()
        case .address:
            var account: JSONObject = ["email": .string(operand)]
            account["displayName"] = arguments.text("--name").map { .string($0) }
            body = account
        case .session, .role, nil: break
        }
        if action.second != nil {
            path = AdminAction.path(
                path, with: PercentEncoding.encode(second), at: AdminAction.secondMark)
        }
        if action.words.isSame(as: "audit show") {
            if let user = arguments.text("--user") {
                path = "/auth/users/\(try userID(user, server))/audit"
            } else if let chain = arguments.text("--chain") {
                query.append(("chain", chain))
            }
        }
        if action.table != nil {
            for name in ["search", "limit", "after"] {
                if let value = arguments.text("--\(name)") { query.append((name, value)) }
            }
        }
        if action.changes {
            var members = body ?? [:]
            members["reason"] = arguments.text("--reason").map { .string($0) }
            if let name = action.member {
                // An account without a role does not have this member.
                let isNone = action.second == .role && second.isSame(as: "none")
                members[name] = .string(isNone ? "" : second)
            }
            if action.words.isSame(as: "clients secret") {
                members["former"] = arguments.text("--former").map { .string($0) }
            }
            body = members
        }
        return (query.isEmpty ? path : "\(path)?\(PercentEncoding.form(query))", body)
    }

    /// The client in the form for a path. An ID that is a URL is replaced by
    /// `GrantedApplication.id`.
    private static func inPath(_ client: String) -> String {
        client.contains("/") ? GrantedApplication.id(of: client) : PercentEncoding.encode(client)
    }

    private static func named(_ user: String) -> (String, String) {
        (user.contains("@") ? "email" : "id", user)
    }

    /// The ID of a user, who is named by an ID or an address.
    private func userID(_ text: String, _ server: AdminServer) throws(CommandFailure) -> String {
        let query = PercentEncoding.form([Self.named(text)])
        let answer = try asked(server, "GET", "/auth/users?\(query)", nil)
        guard let user = answer.body?["users"]?.arrayValue?.first,
            let id = user["id"]?.stringValue ?? user["id"]?.int64Value.map({ String($0) })
        else { throw notFound("there is no user '\(text)'") }
        return PercentEncoding.encode(id)
    }

    private func description() throws(CommandFailure) -> JSONObject {
        let bytes = try readFile(operand, bytesMax: Self.descriptionBytesMax)
        guard let object = (try? JSON.parse(bytes, limits: .request))?.objectValue else {
            throw CommandFailure(
                "\(operand) is not a JSON object with the members of a client",
                status: AdminStatus.usage)
        }
        return object
    }

    private func asked(
        _ server: AdminServer, _ method: String, _ path: String, _ body: JSONObject?
    ) throws(CommandFailure) -> AdminServer.Answer {
        let answer = try server.ask(method, path, body)
        switch answer.status {
        case 200..<300: return answer
        case 404 where action.isOfProvider && action.operand != .client:
            throw CommandFailure(
                "third-party programs are off: set OAUTH=on", status: AdminStatus.refused)
        case 404: throw notFound(Self.message(answer) ?? "not found")
        case 500...:
            throw CommandFailure(
                "the server has failed (\(answer.status)): \(Self.message(answer) ?? "no reason")",
                status: AdminStatus.unreachable)
        default:
            throw CommandFailure(
                "refused (\(answer.status)): \(Self.message(answer) ?? "no reason was given")",
                status: AdminStatus.refused)
        }
    }

    private func notFound(_ message: String) -> CommandFailure {
        CommandFailure(message, status: AdminStatus.notFound)
    }

    private static func message(_ answer: AdminServer.Answer) -> String? {
        let error = answer.body?["error"]
        let code = error?["code"]?.stringValue ?? answer.body?["code"]?.stringValue
        let text =
            error?["message"]?.stringValue ?? error?.stringValue
            ?? answer.body?["detail"]?.stringValue
        let words = [code, text].compactMap { $0.map(AdminTable.printable) }
        return words.isEmpty ? nil : words.joined(separator: ": ")
    }
}
