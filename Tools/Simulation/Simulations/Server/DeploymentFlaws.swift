import AuthOperations
import Contracts
import FunctionRuntime
import JSON

/// Planted bugs that change the responses of the functions.
final class DeploymentFlaws {
    enum Flaw: Sendable {
        /// Acknowledges a sign-out without performing it.
        case signsOutNothing
        /// Acknowledges administrators' changes without making them: see `Simulation.administer`.
        case administersNothing
        /// Acknowledges an undo without performing it.
        case undoesNothing
        /// Reports an outage as the end of the session, with "reauthenticate".
        case outageEndsSessions
        /// Returns the spent refresh token again.
        case repeatsSpentToken
        /// Refuses refresh tokens with a body without `action`.
        case refusesWithoutAction
        /// Gives unknown addresses a different response.
        case tellsUnknown
        case tellsUnknownByStatus
        /// Returns profiles from a cache.
        case cachesProfiles
        /// Refuses the first refresh token of a session.
        case refusesFresh
        /// Issues storage credentials that live longer than requested.
        case longCredentials
        case foreignCredentials
        /// Returns the previous response's body.
        case answersAnother
        /// Reports an exceeded rate limit as an invalid token.
        case limitsEndSessions
    }

    var flaw: Flaw?
    private var profiles: [String: Answer] = [:]
    private var latest: Answer?
    private var refreshes = 0
    /// Whether an address has an account. Set by the simulation.
    var isKnown: (String) -> Bool = { _ in true }

    /// The response to a request that the planted bug does not perform.
    func answerInPlace(of operation: String) -> WireAnswer? {
        switch (flaw, operation) {
        case (.signsOutNothing, "POST /auth/signout"):
            WireAnswer(status: 200, headers: [], body: Array(#"{"success":true}"#.utf8))
        case (.undoesNothing, "POST /auth/email/undo"), (.undoesNothing, "POST /auth/undo"):
            WireAnswer(status: 204, headers: [], body: [])
        default: nil
        }
    }

    func reply(to request: Request, _ answer: Answer) -> Answer? {
        switch flaw {
        case nil, .signsOutNothing, .administersNothing, .undoesNothing: nil
        case .outageEndsSessions:
            request.path == "/auth/refresh" && answer.status >= 500
                ? ended(401, answer) : nil
        case .limitsEndSessions:
            request.path == "/auth/refresh" && answer.status == 429 ? ended(401, answer) : nil
        case .refusesFresh:
            request.path == "/auth/refresh" && answer.status == 200 && isNinth()
                ? ended(401, answer) : nil
        case .repeatsSpentToken:
            changed(answer, if: request.path == "/auth/refresh") { body in
                body["refreshToken"] =
                    (try? JSON.parse(request.body, limits: .event))?[
                        "refreshToken"]
            }
        case .refusesWithoutAction:
            request.path == "/auth/refresh" && answer.status == 401
                ? Answer(401, ["error": ["code": "INVALID_REFRESH_TOKEN", "message": "no"]]) : nil
        case .tellsUnknown:
            changed(answer, if: isUnknown(request)) { $0["hint"] = "no such account" }
        case .tellsUnknownByStatus:
            isUnknown(request) && answer.status < 300 ? Answer(404, answer.body) : nil
        case .cachesProfiles: cached(request, answer)
        case .longCredentials:
            changed(answer, if: request.path == "/auth/credentials") { body in
                guard var keys = body["credentials"]?.objectValue else { return }
                keys["expiration"] = "2030-01-01T00:00:00.000Z"
                body["credentials"] = .object(keys)
            }
        case .foreignCredentials:
            changed(answer, if: request.path == "/auth/credentials") { $0["prefix"] = "users/" }
        case .answersAnother: another(request, answer)
        }
    }

    private func ended(_ status: Int, _ answer: Answer) -> Answer {
        Answer(
            status,
            ["error": ["code": "INVALID_REFRESH_TOKEN", "message": "", "action": "reauthenticate"]])
    }

    private func isNinth() -> Bool {
        refreshes += 1
        return refreshes % 9 == 0
    }

    private func isUnknown(_ request: Request) -> Bool {
        guard ["/auth/forgot-password", "/auth/magic-link", "/auth/login"].contains(request.path),
            let body = try? JSON.parse(request.body, limits: .event),
            let email = body["email"]?.stringValue
        else { return false }
        return !isKnown(email)
    }

    private func changed(
        _ answer: Answer, if condition: Bool, _ change: (inout JSONObject) -> Void
    ) -> Answer? {
        guard condition, case .json(let json)? = answer.body, var body = json.objectValue else {
            return nil
        }
        var other = answer
        change(&body)
        other.body = .json(.object(body))
        return other
    }

    private func cached(_ request: Request, _ answer: Answer) -> Answer? {
        guard request.path == "/auth/me", let token = request.header("authorization") else {
            return nil
        }
        if let known = profiles[token] { return known }
        if answer.status == 200 { profiles[token] = answer }
        return nil
    }

    private func another(_ request: Request, _ answer: Answer) -> Answer? {
        guard request.path == "/auth/login", answer.status == 200 else { return nil }
        defer { latest = answer }
        return latest
    }
}
