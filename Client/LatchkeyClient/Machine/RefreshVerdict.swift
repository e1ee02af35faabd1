import Foundation

/// The meaning of the response to a refresh.
enum RefreshVerdict {
    case renewed(SessionAnswer)
    /// The refresh token is no longer valid.
    case ended(code: String?)
    /// - canResend: whether the same token may be sent again.
    /// - leavesDoubt: whether the server may have replaced the token.
    case failed(AuthError, canResend: Bool = false, leavesDoubt: Bool = false)

    init(
        _ outcome: Result<HTTPResponse, TransportError>, _ contract: ClientContract,
        sentAt: Duration, now: Date
    ) {
        let isSafe = contract.refresh.isResendSafe
        let unknown = Self.failed(
            .unavailable(retryAfter: nil), canResend: isSafe, leavesDoubt: true)
        switch outcome {
        case .failure(.notSent): self = .failed(.offline, canResend: true)
        case .failure(.lost), .failure(.answerTooLarge), .failure(.cancelled): self = unknown
        case .success(let response) where (200..<300).contains(response.status):
            let answer = JSON(response.body).flatMap {
                SessionAnswer($0, response, contract, sentAt: sentAt, now: now)
            }
            self = answer.map { .renewed($0) } ?? unknown
        case .success(let response):
            let problem = contract.problem(ErrorBody(json: JSON(response.body)))
            if let problem, contract.refresh.isFinal(response.status, problem) {
                self = .ended(code: problem.code)
                return
            }
            let error = AuthError(response, problem)
            switch error {
            // The server has not changed anything.
            case .rateLimited: self = .failed(error, canResend: true)
            // The server's store has failed: the write may have been made.
            case .refused where problem?.action == "retry":
                self = .failed(.unavailable(retryAfter: nil), canResend: true, leavesDoubt: true)
            default:
                self = .failed(error, canResend: isSafe && error.isTransient, leavesDoubt: true)
            }
        }
    }
}
