/// Optional events of the audit log, beyond sign-ins, sign-outs, changes and their failures.
package struct AuditPolicy: Equatable, Sendable {
    /// Whether each refresh is recorded, and each refusal of a refresh token: two more rows for the
    /// most frequent operation. The reuse of a token is recorded in any case.
    package var recordsRefreshes: Bool

    package init(recordsRefreshes: Bool = false) {
        self.recordsRefreshes = recordsRefreshes
    }
}
