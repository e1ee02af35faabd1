internal import Bytes
package import Time

/// The second factor of an account: an authenticator app, and recovery codes for when it is lost.
///
/// The verdict on an answer is computed here, without I/O. The caller writes the changed value on
/// the condition that nothing changed since it was read: of two requests with one code one wins,
/// and no guess is judged that is not counted.
package struct SecondFactor: Equatable, Sendable {
    /// The secret of the app, encrypted.
    package var sealedSecret: [UInt8]
    package let enrolledAt: Instant
    package var state: State
    /// The step of the last code that was accepted.
    package var lastStep: Int64?
    /// Of those that are unused.
    package var recoveryCodes: [[UInt8]]
    /// Wrong codes in the current window.
    package var wrongCodes: RequestCount
    /// Wrong codes since the last right answer, whenever they were given.
    package var consecutiveFailures: Int64
    /// Increased with each write.
    package var revision: Int64

    package enum State: Equatable, Sendable {
        /// The app has not shown a code yet. Only the session that enrolled it can confirm it.
        case pending(SessionID)
        case enabled
    }

    package init(sealedSecret: [UInt8], enrolledAt: Instant, state: State) {
        self.sealedSecret = sealedSecret
        self.enrolledAt = enrolledAt
        self.state = state
        recoveryCodes = []
        wrongCodes = RequestCount(window: 0, count: 0)
        consecutiveFailures = 0
        revision = 0
    }

    package enum CodeCheck: Equatable, Sendable {
        case accepted
        case wrong
        /// Too many wrong codes in the current window: nothing was compared.
        case limited
        /// Too many wrong codes in a row: nothing was compared, and only a recovery code helps.
        case locked
    }

    /// No code is judged after so many wrong ones in a row (NIST SP 800-63B-4 section 3.2.2).
    /// The limit per window alone would let an attacker with the password guess without end.
    package static let consecutiveFailuresMax: Int64 = 100

    /// The owner is told at these counts.
    private static let reported: [Int64] = [20, consecutiveFailuresMax]

    /// Whether the owner is to learn of the wrong code that was counted last.
    package var reportsFailure: Bool {
        state == .enabled && Self.reported.contains(consecutiveFailures)
    }

    /// Judges an answer, and changes as that demands: what was accepted is used up, what was wrong
    /// is counted.
    ///
    /// - Parameter limit: of wrong codes. Recovery codes cannot be guessed and are not limited, so
    ///   that an attacker with the password cannot lock out the owner.
    package mutating func judge(
        _ answer: SecondFactorAnswer, _ password: OneTimePassword, of user: UserID,
        limit: RateLimit?, at now: Instant
    ) -> CodeCheck {
        switch answer {
        case .code(let code):
            guard consecutiveFailures < Self.consecutiveFailuresMax else { return .locked }
            if let limit {
                let next = wrongCodes.adding(at: now, window: limit.window)
                if next.count > limit.requestsMax { return .limited }
                wrongCodes = next
            }
            guard let step = password.acceptedStep(of: code, at: now, after: lastStep) else {
                consecutiveFailures += 1
                return .wrong
            }
            lastStep = step
            wrongCodes = RequestCount(window: wrongCodes.window, count: 0)
            consecutiveFailures = 0
            return .accepted
        case .recoveryCode(let text):
            guard let hash = RecoveryCode(parsing: text)?.hash(of: user) else { return .wrong }
            let index = recoveryCodes.firstIndex { constantTimeEquals($0, hash) }
            guard let index else { return .wrong }
            recoveryCodes.remove(at: index)
            consecutiveFailures = 0
            return .accepted
        }
    }
}

/// What a user answers who is asked for the second factor.
package enum SecondFactorAnswer: Sendable {
    case code(String)
    case recoveryCode(String)

    /// - Parameter code: as an app shows it, some of which put a space in the middle.
    package static func code(typed code: String) -> SecondFactorAnswer {
        .code(String(decoding: code.utf8.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    }
}
