package import Time

/// At most `requestsMax` requests of one operation and subject in a window.
///
/// Each contract's limits are in `Contracts/<Name>/<Name>.swift`, limits that several contracts
/// share in `Contracts/Shared/StandardRateLimits.swift`.
package struct RateLimit: Equatable, Sendable {
    package enum Subject: String, CaseIterable, Sendable {
        /// The client's network address.
        case address
        /// The account: the user, or the identity in a verified token.
        case account
        case session
        /// The hash of an e-mail address, whether or not it has an account.
        case email
        /// A third-party client, by its ID.
        case client
        /// All requests together.
        case overall
    }

    package let operation: AuthOperation
    package let subject: Subject
    package let requestsMax: Int64
    package let window: Span

    package init(
        _ operation: AuthOperation, per subject: Subject, _ requestsMax: Int64, in window: Span
    ) {
        self.operation = operation
        self.subject = subject
        self.requestsMax = requestsMax
        self.window = window
    }

    /// The name in the setting `RATE_LIMITS`: `refresh.session`.
    package var name: String { "\(operation.name).\(subject.rawValue)" }
}

/// A count in a fixed window, for limits whose counter is part of another row.
package struct RequestCount: Equatable, Sendable {
    package var window: Int64
    package var count: Int64

    package init(window: Int64, count: Int64) {
        self.window = window
        self.count = count
    }

    /// The count with one more request; a new window starts at one. A window in the future was
    /// counted by a machine whose clock is ahead, and is not restarted.
    package func adding(at now: Instant, window length: Span) -> RequestCount {
        let current = now.milliseconds / length.milliseconds
        guard window >= current else { return RequestCount(window: current, count: 1) }
        return RequestCount(window: window, count: count + 1)
    }
}
