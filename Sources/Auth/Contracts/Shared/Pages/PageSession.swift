internal import AuthDomain
internal import AuthOperations

/// A signed-in browser.
struct PageSession {
    let principal: Principal
    /// With the access token, for operations that authenticate by themselves.
    let caller: Caller
    /// Of the session that was refreshed for this request.
    let cookies: [Cookie]
}

extension PageRequest {
    var browserSession: BrowserSession? { BrowserSession(cookie: cookie(.session)) }

    /// nil if the browser is not signed in, or no longer: its session has ended or its account is
    /// disabled, as the store says now.
    ///
    /// - Parameter operation: whose rate limits count.
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

    /// As `session`, for forms and links that only signed-in users can use.
    func requiredSession(for operation: AuthOperation) throws -> PageSession {
        guard let session = try session(for: operation) else {
            throw AuthError.accessToken(.missing)
        }
        return session
    }

    private func session(
        _ stored: BrowserSession, for operation: AuthOperation, setting cookies: [Cookie] = []
    ) throws(AuthError) -> PageSession {
        let caller = signed(stored)
        return PageSession(
            principal: try auth.authenticate(caller, for: operation), caller: caller,
            cookies: cookies)
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
        Caller(
            address: caller.address, userAgent: caller.userAgent, language: caller.language,
            bearer: .token(stored.access))
    }
}

extension PageSession {
    /// The same for what is done with the session: an error does not lose its new cookie.
    func perform(_ body: () throws -> Answer) throws -> Answer {
        do {
            var answer = try body()
            answer.cookies += cookies
            return answer
        } catch {
            throw PageFailure(error, cookies: cookies)
        }
    }
}
