package import Time

/// How accounts are deleted by their owners.
package struct DeletionPolicy: Equatable, Sendable {
    /// Only a session that was opened within this time may delete its account (ASVS 5.0, 7.5.1), so
    /// that a stolen access token does not suffice; nil: any session.
    package var sessionAgeMax: Span?
    /// How long the row of a deleted account is kept, without personal data.
    package var retention: Span

    package init(sessionAgeMax: Span? = .minutes(10), retention: Span = .days(30)) {
        self.sessionAgeMax = sessionAgeMax
        self.retention = retention
    }
}
