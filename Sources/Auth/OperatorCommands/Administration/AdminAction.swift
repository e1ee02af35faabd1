internal import Bytes
internal import JSON

/// A command of `latchkey admin`: a request to the administrators' interface, and how its answer is
/// shown.
struct AdminAction: Sendable {
    /// The kind of the operand.
    enum Operand: String, Sendable {
        case user = "USER"
        case address = "ADDRESS"
        case client = "CLIENT"
        case file = "FILE"
        case session = "SESSION"
        case role = "ROLE"
    }

    let words: String
    /// The flag before the operand; nil if the operand follows the command's words.
    var flag: String?
    var operand: Operand?
    /// The second operand, which names a part of the first one.
    var second: Operand?
    let method: String
    /// `{id}` and `{second}` stand for the operands.
    let path: String
    /// The member of the body that holds the second operand; nil if it is in the path.
    var member: String?
    /// The name of an action without a path, which only a process with the deployment's own store
    /// can perform.
    var direct: String?
    /// The question before the action; nil for an action that can be undone.
    var warning: String?
    /// The member of the answer that is a list, and its columns.
    var table: (list: String, columns: [String])?
    /// The report for an answer without a body.
    var done = "Done."
    /// Whether the answer or a mail has a link to the server.
    var makesLink = false
    /// The report for an answer with a body: words, and members of the answer. The first members
    /// that exist name the changed object.
    var report: (words: String, members: [String])?
    let about: String

    /// Whether 404 says that the provider is off, unless the operand is a client.
    var isOfProvider: Bool {
        words.hasPrefix("clients ") || words.isSame(as: "grants list")
    }

    var changes: Bool { !method.isSame(as: "GET") }

    var operands: [Operand] { [operand, second].compactMap(\.self) }

    func matches(_ given: CommandArguments) -> Bool {
        let (all, after) = (given.operands, flag == nil ? operands.count : 0)
        let named = words.split(separator: " ").count
        return all.prefix(named).joined(separator: " ").isSame(as: words)
            && all.count == named + after && flag.map(given.has) ?? true
    }

    /// Why the given words are not a command, with the nearest one or the actions of their kind.
    static func refusal(of given: [String]) -> String {
        let words = given.prefix(2).joined(separator: " ")
        let kind = (given.first ?? "") + " "
        let actions = all.map(\.words).filter { $0.hasPrefix(kind) }
        if let action = actions.first(where: { $0.isSame(as: words) }) {
            return "'\(action)' needs other operands or flags (see --help)"
        }
        let hint = NearestName.hint(words, among: all.map(\.words))
        guard hint.isEmpty, !actions.isEmpty else {
            return "'\(words)' is not a command of admin\(hint) (see --help)"
        }
        var names: [String] = []
        for action in actions {
            let name = String(action.dropFirst(kind.utf8.count))
            if !names.contains(name) { names.append(name) }
        }
        return "'\(words)' is not a command of admin; the actions of \(kind)are "
            + names.joined(separator: ", ")
    }

    static let idMark = "{id}"
    static let secondMark = "{second}"

    /// - Parameter text: the text in the form for a path.
    static func path(_ path: String, with text: String, at mark: String = idMark) -> String {
        guard let place = path.utf8.firstOccurrence(of: mark) else { return path }
        return path[..<place.lowerBound] + text + path[place.upperBound...]
    }

    // MARK: All actions

    private static let clientColumns = [
        "client_id", "client_name", "source", "disabledAt", "formerSecretEndsAt", "grantsEndedAt",
    ]
    private static let userNames = ["email", "displayName", "id"]
    private static let clientNames = ["client_name", "client_id"]
    private static let userColumns = ["id", "email", "displayName", "role", "isDisabled"]

    static let all: [AdminAction] =
        [invitation] + users + sessions + grants + clients + [
            AdminAction(
                words: "keys list", method: "GET", path: "/.well-known/jwks.json",
                table: ("keys", ["kid", "alg"]), about: "List the published signing keys."),
            AdminAction(
                words: "keys rotate", method: "POST", path: "/auth/admin/keys/rotate",
                report: (
                    "The next signing key, and when it begins to sign:", ["kid", "signsFrom"]
                ),
                about: "Publish the next signing key, which signs after a day."),
            AdminAction(
                words: "audit show", method: "GET", path: "/auth/admin/audit",
                table: ("events", ["createdAt", "type", "by", "detail", "reason", "ipAddress"]),
                about: "List events of the deployment, or with --user of an account."),
        ]

    private static let invitation = AdminAction(
        words: "invite", method: "GET", path: "", direct: "inviteFirstAdministrator",
        makesLink: true,
        report: ("Create the first administrator (once, within 24 hours):", ["link"]),
        about: "Print a new link for the first administrator.")

    private static let users: [AdminAction] = [
        AdminAction(
            words: "users list", method: "GET", path: "/auth/users", table: ("users", userColumns),
            about: "List the newest users, or those that --search finds."),
        AdminAction(
            words: "users show", operand: .user, method: "GET", path: "/auth/users",
            table: ("users", userColumns), about: "Show a user."),
        AdminAction(
            words: "users create", operand: .address, method: "POST", path: "/auth/users",
            makesLink: true,
            report: ("Created; the mailed link is for choosing a password:", userNames),
            about: "Make an account, and mail its owner a link."),
        AdminAction(
            words: "users disable", operand: .user, method: "POST",
            path: "/auth/users/{id}/disable", report: ("Disabled:", userNames),
            about: "End every session, and refuse to sign in."),
        AdminAction(
            words: "users enable", operand: .user, method: "POST", path: "/auth/users/{id}/enable",
            report: ("Enabled:", userNames), about: "Let a user sign in again."),
        AdminAction(
            words: "users sign-out", operand: .user, method: "POST",
            path: "/auth/users/{id}/signout", report: ("Signed out:", userNames),
            about: "End every session of a user."),
        AdminAction(
            words: "users role", operand: .user, second: .role, method: "PUT",
            path: "/auth/users/{id}/role", member: "role", report: ("Changed:", userNames),
            about: "Set a role: administrator, support, viewer or none."),
        AdminAction(
            words: "users export", operand: .user, method: "POST", path: "/auth/users/{id}/export",
            about: "Print all stored data of a user as JSON."),
        AdminAction(
            words: "users delete", operand: .user, method: "POST", path: "/auth/users/{id}/delete",
            warning: "Delete the account and all of its data?",
            about: "Delete an account and its data."),
    ]

    private static let sessions: [AdminAction] = [
        AdminAction(
            words: "sessions list", operand: .user, method: "GET",
            path: "/auth/users/{id}/sessions",
            table: ("sessions", ["id", "createdAt", "lastUsedAt", "ipAddress", "userAgent"]),
            about: "List the sessions of a user."),
        AdminAction(
            words: "sessions end", operand: .user, second: .session, method: "DELETE",
            path: "/auth/users/{id}/sessions/{second}", about: "End one session of a user."),
    ]

    private static let grants: [AdminAction] = [
        AdminAction(
            words: "grants list", flag: "--user", operand: .user, method: "GET",
            path: "/auth/users/{id}/applications",
            table: ("applications", ["client_id", "name", "scope", "since", "lastUsedAt"]),
            about: "List the programs to which a user has given access."),
        AdminAction(
            words: "grants list", flag: "--client", operand: .client, method: "GET",
            path: "/auth/clients/{id}/users",
            table: ("users", ["id", "email", "displayName", "scope", "since"]),
            about: "List users who have given a program access, newest first."),
        AdminAction(
            words: "grants end", operand: .user, second: .client, method: "POST",
            path: "/auth/users/{id}/remove-application", member: "application",
            about: "End a program's access."),
    ]

    private static let clients: [AdminAction] = [
        AdminAction(
            words: "clients list", method: "GET", path: "/auth/clients",
            table: ("clients", clientColumns), about: "List the programs that can ask for access."),
        AdminAction(
            words: "clients add", operand: .file, method: "POST", path: "/auth/clients",
            about: "Add the client in a JSON file; - for standard input."),
        AdminAction(
            words: "clients disable", operand: .client, method: "POST",
            path: "/auth/clients/{id}/disable", report: ("Disabled:", clientNames),
            about: "Refuse all requests of a client."),
        AdminAction(
            words: "clients enable", operand: .client, method: "POST",
            path: "/auth/clients/{id}/enable", report: ("Enabled:", clientNames),
            about: "Accept a client again."),
        AdminAction(
            words: "clients secret", operand: .client, method: "POST",
            path: "/auth/clients/{id}/secret", about: "Make and print a new secret."),
        AdminAction(
            words: "clients end-former-secret", operand: .client, method: "POST",
            path: "/auth/clients/{id}/end-former-secret",
            about: "Revoke the former secret."),
        AdminAction(
            words: "clients end-grants", operand: .client, method: "POST",
            path: "/auth/clients/{id}/end-grants",
            warning: "Revoke everything that users have granted to the client?",
            about: "Revoke all access that users have granted to a client."),
        AdminAction(
            words: "clients delete", operand: .client, method: "DELETE", path: "/auth/clients/{id}",
            warning: "Delete the client, and all that users have granted to it?",
            about: "Delete a client."),
    ]

    /// The list of actions for the help.
    static var list: String {
        let names = all.map { action in
            ([action.words, action.flag].compactMap(\.self) + action.operands.map(\.rawValue))
                .joined(separator: " ")
        }
        let width = names.map(\.utf8.count).max() ?? 0
        return zip(names, all).map { name, action in
            "  \(name)\(String(repeating: " ", count: width - name.utf8.count))  \(action.about)"
        }.joined(separator: "\n")
    }
}
