import JSON
import Time

/// No program is notified of the end of a session that still exists. `Simulation.settleLogout`
/// checks, after faults have ended, that programs were notified of all ended sessions.
struct ProgramsAreTold: Observer {
    let invariant = Invariant.programsAreTold

    func judge(_ notice: ShownNotice, _ facts: Facts) -> String? {
        facts.mustGoOn(notice.session)
            ? "\(notice.client) was notified of the end of a session that still exists" : nil
    }

    /// After a program was notified of a session's end, the session's tokens are refused.
    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        let exchange = seen.exchange
        var used = [seen.provider?.given?.code.split(separator: ".").last.map(String.init)]
        if exchange.isSuccess, !RevokedStaysRevoked.repeatable.contains(exchange.operation) {
            used += [seen.presented?.session, seen.refresh?.session, seen.issued?.session]
        }
        let isLate = used.compactMap(\.self).contains { session in
            facts.provider.logout.ends[session].map { $0 < exchange.startedAt } ?? false
        }
        return isLate ? "a session works after a program was notified of its end" : nil
    }
}

/// The audience of a notice is its program. A notice contains one session that the program knows,
/// and the session's user, is recent, and cannot be used as an ID token.
struct NoticeFits: Observer {
    let invariant = Invariant.noticeFits
    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    func judge(_ notice: ShownNotice, _ facts: Facts) -> String? {
        let claims = notice.claims
        func text(_ name: String) -> String? { claims[name]?.stringValue }
        let program = facts.provider.programs[notice.client]
        if notice.type != "logout+jwt" { return "a notice is a \(notice.type ?? "token")" }
        if text("iss") != ProviderSettings.issuer { return "a notice of another issuer" }
        if text("aud") != notice.client { return "\(notice.client) gets another's notice" }
        if program?.noticeAddress != notice.address { return "a notice at another address" }
        if claims["nonce"] != nil { return "a notice could be taken for an ID token" }
        if claims["events"]?[Self.event] == nil { return "a notice without its event" }
        guard let id = text("jti"), !facts.provider.logout.ids.contains(id) else {
            return "two notices have the same id"
        }
        guard let madeAt = claims["iat"]?.int64Value, let end = claims["exp"]?.int64Value,
            (1...120).contains(end - madeAt), abs(facts.now.seconds - madeAt) <= 120
        else { return "a notice has a wrong time" }
        if facts.sessions[notice.session].map({ $0.user != notice.user }) ?? false {
            return "a notice about a session of another user"
        }
        return facts.provider.logout.mayKnow(notice)
            ? nil : "\(notice.client) is notified of a session that it does not know"
    }
}

/// A browser is signed out without confirmation only with an ID token of its own session, and is
/// redirected only to an address of the program.
struct SignOutIsMeant: Observer {
    let invariant = Invariant.signOutIsMeant

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider, seen.exchange.isOfLogout,
            let redirect = Redirect(seen.exchange.location), !redirect.isOfServer
        else { return nil }
        let hint = seen.hint
        let client = seen.fields["client_id"] ?? hint?["aud"]?.stringValue ?? ""
        guard redirect.address == facts.provider.programs[client]?.farewell else {
            return "after a sign-out, the browser is redirected to \(redirect.address)"
        }
        if redirect.parameters["state"] != seen.fields["state"] { return "the state is lost" }
        guard seen.exchange.operation == "GET /oauth/logout" else { return nil }
        guard let session = hint?["sid"]?.stringValue else {
            return "the browser is redirected without an ID token"
        }
        // The browser may have several accounts.
        let device = facts.sessions[session]?.device
        guard let held = seen.exchange.browser, held.session != session,
            facts.mustGoOn(held.session),
            device != seen.exchange.origin.device
        else { return nil }
        return "a browser is signed out with an ID token of another session"
    }
}
