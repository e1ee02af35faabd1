internal import AuthComposition
internal import JSON

extension OperatorCommand {
    /// `latchkey admin`
    static let admin = OperatorCommand(
        CommandShape(
            name: "admin", operands: ["KIND"],
            furtherOperands: ["ACTION", "ID|ADDRESS", "SESSION|CLIENT|ROLE"],
            summary: "Administer users, sessions, clients and keys, and read the audit log.",
            details: AdminAction.list + """


                A USER is an address or an ID. Without --url, the command works on the store of
                this deployment's settings, as the operator; a server may run meanwhile. With
                --url, it asks that server, as the administrator to whom the access token in
                --token-file or in the variable LATCHKEY_TOKEN belongs; the administrator's role
                and last sign-in must allow the request.

                The status is 0 if it is done, 1 if it was refused, 2 for a wrong command line,
                3 if there is no such user, session, client or grant, 4 if the server or the store
                does not answer.
                """,
            flags: [
                Flag("--url", "URL", "A server: its ISSUER"),
                Flag(
                    "--token-file", "FILE", "The file with the access token; - for standard input"),
                Flag("--reason", "TEXT", "The reason, for the audit log; required for each change"),
                Flag("--yes", nil, "Do not ask before actions that cannot be undone."),
                Flag("--json", nil, "Print the answer as JSON."),
                Flag("--search", "TEXT", "users list: the beginning of an address or name"),
                Flag("--name", "NAME", "users create: the person's name"),
                Flag("--limit", "N", "The maximum number of entries, 1 to 100"),
                Flag("--after", "CURSOR", "Continue a list after the page that printed CURSOR."),
                Flag("--former", "STATE", "clients secret: kept (for 30 days, the default), ended"),
                Flag("--user", "USER", "audit show, grants list: only the entries of this user"),
                Flag("--client", "CLIENT", "grants list: the users of this client"),
                Flag("--chain", "NAME", "audit show: a chain, or a deleted account's ID"),
            ], usageStatus: AdminStatus.usage)
    ) { arguments, assembly throws(CommandFailure) in
        guard let action = AdminAction.all.first(where: { $0.matches(arguments) }) else {
            throw CommandFailure(
                AdminAction.refusal(of: arguments.operands), status: AdminStatus.usage)
        }
        let run = AdminRun(arguments, action)
        try run.confirm()
        guard let url = arguments.text("--url") else {
            try run.perform(at: AdminServer(assembly))
            return 0
        }
        let token = arguments.text("--token-file")
        try run.perform(at: AdminServer(at: url, tokenFile: token, assembly.transport))
        return 0
    }
}

/// Exit statuses (docs/administration.md).
enum AdminStatus {
    static let refused: Int32 = 1
    static let usage: Int32 = 2
    static let notFound: Int32 = 3
    static let unreachable: Int32 = 4
}
