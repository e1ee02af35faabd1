internal import Bytes
package import Time

/// The second factor of an account: an authenticator app, and recovery codes for when it is lost.
///
/// Answers are judged here, without I/O. The caller writes the changed value on the condition that
/// the row is unchanged since it was read: of two requests with one code only one succeeds, and
/// every guess that is judged is also counted.
package struct SecondFactor: Equatable, Sendable {
    /// The secret of the app, encrypted.
    package var sealedSecret: [UInt8]
    package let enrolledAt: Instant
    package var state: State
    /// The time step of the last accepted code.
    package var lastStep: Int64?
    /// The hashes of the unused codes.
    package var recoveryCodes: [[UInt8]]
    /// When the recovery codes were last replaced; nil if they are the first ones.
    package var codesReplacedAt: Instant?
    /// The number of wrong codes in the current window.
    package var wrongCodes: RequestCount
    /// The number of wrong codes since the last correct answer, in any window.
    package var consecutiveFailures: Int64
    /// The time from which an administrator may remove the factor as lost. The next accepted answer
    /// or passkey cancels the removal.
    package var removableFrom: Instant?
    /// Each write increments the revision.
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
        /// There were too many wrong codes in the current window, so the code was not compared.
        case limited
        /// There were too many wrong codes in a row. The code was not compared, and a recovery code
        /// is required.
        case locked
    }

    /// After this many wrong codes in a row, codes are refused (NIST SP 800-63B-4 section 3.2.2).
    /// By itself, the limit per window would let an attacker who knows the password guess
    /// indefinitely.
    package static let consecutiveFailuresMax: Int64 = 100

    /// The owner is notified at these counts.
    package static let reported: [Int64] = [20, consecutiveFailuresMax]

    /// Whether to notify the owner of the last wrong code.
    package var reportsFailure: Bool {
        state == .enabled && Self.reported.contains(consecutiveFailures)
    }

    /// Judges an answer and updates the factor: an accepted code becomes used, a wrong one is
    /// counted.
    ///
    /// - Parameter limit: the limit of wrong codes. Recovery codes cannot be guessed and are not
    ///   limited, so that an attacker who knows the password cannot lock out the owner.
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
            removableFrom = nil
            return .accepted
        case .recoveryCode(let text):
            guard let hash = RecoveryCode(parsing: text)?.hash(of: user) else { return .wrong }
            let index = recoveryCodes.firstIndex { constantTimeEquals($0, hash) }
            guard let index else { return .wrong }
            recoveryCodes.remove(at: index)
            consecutiveFailures = 0
            removableFrom = nil
            return .accepted
        }
    }
}

/// A user's answer to the request for the second factor.
package enum SecondFactorAnswer: Sendable {
    case code(String)
    case recoveryCode(String)

    /// - Parameter code: as typed; some apps show codes with a space in the middle.
    package static func code(typed code: String) -> SecondFactorAnswer {
        .code(String(decoding: code.utf8.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    }
}
