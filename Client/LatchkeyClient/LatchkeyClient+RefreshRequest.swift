import Foundation

/// Why a refresh returned no tokens.
enum RefreshFailure: Error {
    /// The refresh token is dead.
    case ended(code: String?)
    case failed(AuthError)
}

extension LatchkeyClient {
    /// Sends a refresh token, and the same one again if no answer came: the server repeats a lost
    /// answer.
    func sendRefresh(
        _ token: String, spending spent: Revision? = nil
    ) async -> Result<SessionAnswer, RefreshFailure> {
        let start = clock.uptime()
        var attempts = 0
        while true {
            attempts += 1
            let sentAt = clock.uptime()
            let request: HTTPRequest
            do throws(AuthError) {
                request = try await self.request(
                    .refresh, body: .members([contract.names.refreshToken: token.json]))
            } catch {
                return .failure(.failed(error))
            }
            let outcome = await exchange(request)
            if Task.isCancelled, (try? outcome.get()) == nil {
                return .failure(.failed(.superseded))
            }
            let (error, canResend) = judge(outcome, sentAt)
            if let spent, leavesDoubt(outcome, error) { doubt(spent) }
            switch error {
            case .success(let answer): return .success(answer)
            case .failure(.ended(let code)): return .failure(.ended(code: code))
            case .failure(.failed(let error)):
                let backoff = Duration.milliseconds(500) * (1 << min(attempts - 1, 4))
                let pause = max(options.jitter(upTo: backoff), error.retryAfter ?? .zero)
                let isOver =
                    attempts >= options.refreshAttemptsMax
                    || clock.uptime() - start + pause > options.refreshTime
                guard canResend, !isOver else {
                    if let wait = error.retryAfter {
                        refreshPause = (clock.uptime() + min(wait, .seconds(300)), error)
                    }
                    return .failure(.failed(error))
                }
                do {
                    try await clock.sleep(for: pause)
                } catch {
                    return .failure(.failed(.superseded))
                }
            }
        }
    }

    /// Whether the server may have replaced the token. An error of the server's store does not
    /// exclude it: the write may have been made.
    private func leavesDoubt(
        _ outcome: Result<HTTPResponse, TransportError>,
        _ error: Result<SessionAnswer, RefreshFailure>
    ) -> Bool {
        if case .failure(.notSent) = outcome { return false }
        guard case .failure(.failed(let error)) = error else { return false }
        if case .rateLimited = error { return false }
        return true
    }

    /// Classifies an outcome, and decides whether the same token may be sent again.
    private func judge(
        _ outcome: Result<HTTPResponse, TransportError>, _ sentAt: Duration
    ) -> (Result<SessionAnswer, RefreshFailure>, canResend: Bool) {
        let isSafe = contract.refresh.isResendSafe
        let response: HTTPResponse
        switch outcome {
        case .success(let answer): response = answer
        case .failure(.notSent): return (.failure(.failed(.offline)), true)
        case .failure(.lost), .failure(.answerTooLarge), .failure(.cancelled):
            return (.failure(.failed(.unavailable(retryAfter: nil))), isSafe)
        }
        let body = JSON(response.body)
        if (200..<300).contains(response.status) {
            let answer = body.flatMap {
                SessionAnswer($0, response, contract, sentAt: sentAt, now: clock.now())
            }
            guard let answer else {
                return (.failure(.failed(.unavailable(retryAfter: nil))), isSafe)
            }
            return (.success(answer), false)
        }
        let problem = body.flatMap(contract.problem)
        if let problem, contract.refresh.isFinal(response.status, problem) {
            return (.failure(.ended(code: problem.code)), false)
        }
        let error = self.error(of: response, problem)
        switch error {
        // The server did nothing.
        case .rateLimited: return (.failure(.failed(error)), true)
        case .refused where problem?.action == "retry":
            return (.failure(.failed(.unavailable(retryAfter: nil))), true)
        default: return (.failure(.failed(error)), isSafe && error.isTransient)
        }
    }
}

extension AuthError {
    var retryAfter: Duration? {
        switch self {
        case .unavailable(let time), .rateLimited(let time): time
        default: nil
        }
    }

    var isUnavailable: Bool { if case .unavailable = self { true } else { false } }

    func after(_ time: Duration) -> AuthError {
        switch self {
        case .unavailable: .unavailable(retryAfter: time)
        case .rateLimited: .rateLimited(retryAfter: time)
        default: self
        }
    }
}
