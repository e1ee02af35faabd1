internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts

/// A signed-in browser.
final class PageSession {
    /// The session that the browser keeps.
    let stored: BrowserSession
    let principal: Principal
    /// The caller with the access token, for operations that authenticate by themselves.
    let caller: Caller
    /// New cookies, if this request refreshed the session.
    let cookies: [Cookie]

    init(
        _ stored: BrowserSession, _ principal: Principal, _ caller: Caller, cookies: [Cookie]
    ) {
        self.stored = stored
        self.principal = principal
        self.caller = caller
        self.cookies = cookies
    }

    var user: User { principal.user }
}

extension PageRequest {
    var browserSession: BrowserSession? { BrowserSession(cookie: cookie(.session)) }

    /// nil if the browser is not signed in, if its session has ended, or if its account is
    /// disabled.
    ///
    /// - Parameter operation: the operation whose rate limits count.
    func session(for operation: AuthOperation) throws -> PageSession? {
        guard let stored = browserSession else { return nil }
        do throws(AuthError) {
            return try session(stored, for: operation)
        } catch {
            switch error {
            case .accessToken(.sessionEnded), .account(.disabled): return nil
            case .accessToken: return try refreshed(stored, for: operation)
            default: throw error
            }
        }
    }

    /// Like `session`, for pages, forms and links that only signed-in users can use. If `body`
    /// throws, a new session cookie is still set.
    // Without this attribute the compiler copies the function for each closure.
    @_optimize(none)
    func signedIn(
        for operation: AuthOperation = .me, _ body: (PageSession) throws -> Answer
    ) throws -> Answer {
        guard let session = try session(for: operation) else {
            throw AuthError.accessToken(.missing)
        }
        do {
            person = session.user
            var answer = try body(session)
            // If the answer sets a cookie of the same name, the answer's cookie is newer.
            for cookie in session.cookies
            where !answer.cookies.contains(where: { $0.name.isSame(as: cookie.name) }) {
                answer.cookies.append(cookie)
            }
            return answer
        } catch {
            throw PageFailure(error, cookies: session.cookies)
        }
    }

    private func session(
        _ stored: BrowserSession, for operation: AuthOperation, setting cookies: [Cookie] = []
    ) throws(AuthError) -> PageSession {
        let caller = signed(stored)
        return PageSession(
            stored, try auth.authenticate(caller, for: operation), caller, cookies: cookies)
    }

    private func refreshed(
        _ stored: BrowserSession, for operation: AuthOperation
    ) throws -> PageSession? {
        let tokens: SessionTokens
        do throws(AuthError) {
            tokens = try auth.refresh(stored.refresh, caller)
        } catch {
            switch error {
            case .refreshToken, .account(.disabled): return nil
            default: throw error
            }
        }
        let next = BrowserSession(tokens)
        let cookie = cookies.holding(
            next.cookie, .session, for: auth.policy.sessions.idleLifetime)
        do throws(AuthError) {
            return try session(next, for: operation, setting: [cookie])
        } catch {
            throw PageFailure(error, cookies: [cookie])
        }
    }

    private func signed(_ stored: BrowserSession) -> Caller {
        caller.bearing(.token(stored.access))
    }
}
