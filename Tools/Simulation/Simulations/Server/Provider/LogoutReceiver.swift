import AuthOperations
import Bytes
import JSON

/// A notice to a program that a session has ended (OpenID Connect Back-Channel Logout 1.0). Its
/// signature is verified elsewhere.
struct ShownNotice {
    /// The client that owns the address to which the notice was sent.
    let client: String
    let address: String
    let type: String?
    private(set) var claims: JSONObject

    var session: String { claims["sid"]?.stringValue ?? "" }
    var user: String { claims["sub"]?.stringValue ?? "" }

    init?(_ message: LogoutMessage) {
        let parts = message.token.split(separator: ".").map { part in
            Base64URL.decode(part).flatMap { try? JSON.parse($0, limits: .event) }
        }
        guard parts.count == 3, let claims = parts[1]?.objectValue else { return nil }
        (client, address) = (message.client, message.url)
        type = parts[0]?["typ"]?.stringValue
        self.claims = claims
    }

    func with(_ name: String, _ value: String) -> ShownNotice {
        var other = self
        other.claims[name] = .string(value)
        return other
    }
}

/// The servers of programs that receive notices of ended sessions: they are slow, fail before or
/// after reading a notice, refuse notices, and are down for a while.
final class LogoutReceiver: @unchecked Sendable {
    /// A planted bug in the functions that send notices.
    enum Flaw: Sendable {
        case forgetsPasswords, forgetsFailed
        // Bugs in the contents of notices.
        case namesGrant, namesLiving, repeatsID, hasNonce, tellsAnother
    }

    private let context: SimulationContext
    private let running: RunningFunctions
    private let functions: ProviderFlaws
    private let flaw: Flaw?
    private var down: Set<String> = []
    /// Called with each notice that arrives.
    var onNotice: (ShownNotice) -> Void = { _ in }
    /// Called when a program has refused a notice. The functions do not repeat such a notice.
    var onRefusal: (ShownNotice) -> Void = { _ in }
    /// Another session of the same user that has not ended, or the program's grant in a session.
    /// Used by planted bugs.
    var living: (ShownNotice) -> String? = { _ in nil }
    var grant: (ShownNotice) -> String? = { _ in nil }
    /// The number of notices that have arrived.
    private(set) var arrived = 0

    init(
        _ context: SimulationContext, _ running: RunningFunctions, _ functions: ProviderFlaws,
        flaw: Flaw?
    ) {
        self.context = context
        self.running = running
        self.functions = functions
        self.flaw = flaw
    }

    var services: LogoutServices {
        LogoutServices(send: { messages, _ in messages.map(self.answer) })
    }

    func turn(_ client: String, isDown: Bool) {
        if isDown { down.insert(client) } else { down.remove(client) }
    }

    func turnAllOn() { down = [] }

    private static let passwordPaths: Set<String> = [
        "/auth/change-password", "/auth/reset-password",
    ]

    private func answer(_ message: LogoutMessage) -> LogoutAnswer {
        if flaw == .forgetsPasswords, let path = functions.path, Self.passwordPaths.contains(path) {
            return .accepted
        }
        let answer = receive(message)
        context.coverage.add("TELL program", "\(answer)")
        context.transcript.add { "  \(message.client) is notified of an end → \(answer)" }
        return flaw == .forgetsFailed && answer == .failed ? .refused : answer
    }

    private func receive(_ message: LogoutMessage) -> LogoutAnswer {
        guard let notice = ShownNotice(message) else {
            context.violate(.noticeFits, "a notice that is no token")
            return .refused
        }
        if down.contains(message.client) { return .failed }
        if context.happens(.noticeLate) { running.waitForStore() }
        if context.happens(.noticeRefused) {
            onRefusal(notice)
            return .refused
        }
        guard context.happens(.noticeFails) else {
            arrive(notice)
            return .accepted
        }
        // The notice arrives, but the response may come too late.
        if context.happens(percent: 50) { arrive(notice) }
        return .failed
    }

    private func arrive(_ notice: ShownNotice) {
        arrived += 1
        switch flaw {
        case .namesGrant: onNotice(grant(notice).map { notice.with("sid", $0) } ?? notice)
        case .namesLiving:
            onNotice(notice)
            if let session = living(notice) {
                onNotice(notice.with("sid", session).with("jti", "living-\(arrived)"))
            }
        case .repeatsID: onNotice(notice.with("jti", "always the same"))
        case .hasNonce: onNotice(notice.with("nonce", "nonce"))
        case .tellsAnother where notice.client != "printer":
            onNotice(notice.with("aud", "printer"))
        default: onNotice(notice)
        }
    }
}
