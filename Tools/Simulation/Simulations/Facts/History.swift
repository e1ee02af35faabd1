import AuthOperations
import JSON

/// The history of each account's sessions, for a judge that is independent of the simulation:
/// `scripts/judge-history`. One line of JSON for each operation.
///
/// | member | | |---|---| | `seed`, `account` | the run and the user | | `call`, `return` | when
/// the operation began and ended, by a common counter; no `return` if it has no answer | | `kind` |
/// see the judge | | `session`, `target` | the session that asks, and the one that begins or ends |
/// | `token`, `next` | the refresh token that is presented, and the one in the answer | |
/// `isRefused` | the answer says that the session has ended |
package final class History {
    package private(set) var lines: [String] = []
    private let seed: UInt64
    private var ticks: Int64 = 0

    init(seed: UInt64) { self.seed = seed }

    func tick() -> Int64 {
        ticks += 1
        return ticks
    }

    /// - Parameter hasAnswer: false if the outcome is unknown.
    func add(
        _ kind: String, of account: String?, session: String? = nil, target: String? = nil,
        token: String? = nil, next: String? = nil, isRefused: Bool = false, call: Int64,
        hasAnswer: Bool
    ) {
        guard let account else { return }
        var line: JSONObject = [
            "seed": .number(JSONNumber(Int64(clamping: seed))), "account": .string(account),
            "call": .number(JSONNumber(call)), "kind": .string(kind),
        ]
        if hasAnswer { line["return"] = .number(JSONNumber(tick())) }
        if let session { line["session"] = .string(session) }
        if let target { line["target"] = .string(target) }
        // The last 16 characters of a token are unique.
        if let token { line["token"] = .string(String(token.suffix(16))) }
        if let next { line["next"] = .string(String(next.suffix(16))) }
        if isRefused { line["isRefused"] = true }
        lines.append(String(decoding: line.serialized, as: UTF8.self))
    }
}

extension Facts {
    /// - Parameter call: the counter's value when the request began.
    func record(_ exchange: Exchange, in history: History, call: Int64) {
        let hasAnswer = exchange.status > 0 && exchange.status < 500
        let asking = exchange.bearer.flatMap { sessions.accesses[$0] }
        if exchange.operation == "POST /auth/refresh" {
            return recordRefresh(exchange, in: history, call: call, hasAnswer: hasAnswer)
        }
        if exchange.isOfLogout { return recordLogout(exchange, in: history, call: call) }
        guard exchange.isSuccess || !hasAnswer else { return }
        func add(
            _ kind: String, of account: String? = asking?.user, session: String? = asking?.session,
            target: String? = nil, next: String? = nil
        ) {
            history.add(
                kind, of: account, session: session, target: target, next: next, call: call,
                hasAnswer: hasAnswer)
        }
        let begun = exchange.answer?["accessToken"]?.stringValue.flatMap(AccessToken.init)
        let next = exchange.answer?["refreshToken"]?.stringValue
        switch exchange.operation {
        case "POST /auth/signout":
            let token = exchange.body["refreshToken"]?.stringValue
            guard let session = token.flatMap({ sessions.refreshes[$0] }) ?? asking?.session else {
                return
            }
            let user = sessions[session]?.user
            switch exchange.body["scope"]?.stringValue {
            case "all": add("endAll", of: user, session: session)
            case "others": add("endOthers", of: user, session: session)
            default: add("end", of: user, target: session)
            }
        case "POST /auth/change-password", "POST /auth/totp/confirm", "POST /auth/totp/remove":
            add("renew", target: begun?.session, next: next)
        case "POST /auth/reset-password":
            add("endAll", of: mails.letter(of: exchange.body)?.user, session: nil)
        case "POST /auth/email/undo", "POST /auth/undo":
            add("endAll", of: mails.letter(of: exchange.body)?.user, session: nil)
        case "DELETE /auth/account": add("close")
        case "POST /auth/merge":
            add("close", session: nil)
            if let begun, exchange.isSuccess {
                add("begin", of: begun.user, session: nil, target: begun.session, next: next)
            }
        case let operation where operation.hasPrefix("DELETE /auth/methods/"):
            add("renew", target: begun?.session, next: next)
        case let operation where operation.hasPrefix("DELETE /auth/sessions/"):
            add("end", target: operation.split(separator: "/").last.map(String.init))
        default:
            guard exchange.isSuccess else { return }
            if asking != nil { add("use") }
            guard let begun, let next else { return }
            add("begin", of: begun.user, session: nil, target: begun.session, next: next)
        }
    }

    /// A program has led the person to sign out. A page may have asked for confirmation first.
    private func recordLogout(_ exchange: Exchange, in history: History, call: Int64) {
        guard let held = exchange.browser else { return }
        let isDone =
            exchange.operation.hasPrefix("POST") && !held.isSpent
            && Redirect(exchange.location)?.isOfServer == false
        history.add("end", of: held.user, target: held.session, call: call, hasAnswer: isDone)
    }

    private func recordRefresh(
        _ exchange: Exchange, in history: History, call: Int64, hasAnswer: Bool
    ) {
        let isRefused =
            exchange.status == 401 && exchange.answer?["error"]?["action"] == "reauthenticate"
        guard exchange.isSuccess || isRefused || !hasAnswer,
            let token = exchange.body["refreshToken"]?.stringValue,
            let session = sessions.refreshes[token]
        else { return }
        history.add(
            "refresh", of: sessions[session]?.user, session: session, token: token,
            next: exchange.answer?["refreshToken"]?.stringValue, isRefused: isRefused, call: call,
            hasAnswer: hasAnswer)
    }

    func record(
        _ change: AdministerUser.Change, of user: String, in history: History, call: Int64,
        hasAnswer: Bool
    ) {
        let kind: String? =
            switch change {
            case .disable: "disable"
            case .enable: "enable"
            case .signOut: "endAll"
            case .setRole, .setEmail, .setName, .removeSecondFactor, .removeMethod, .delete: nil
            }
        if let kind { history.add(kind, of: user, call: call, hasAnswer: hasAnswer) }
    }
}
