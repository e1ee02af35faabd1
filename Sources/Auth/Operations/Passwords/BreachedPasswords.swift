/// The interface to a service that knows passwords from data breaches (NIST SP 800-63B-4 section
/// 3.1.1.2, ASVS 5.0, 6.2.12).
///
/// If the service does not answer, the password is accepted and the failure is logged: setting a
/// password must not depend on an external service. The built-in list of common passwords still
/// applies.
package struct BreachedPasswords: Sendable {
    package typealias Lookup = @Sendable (_ password: String) throws(BreachLookupFailure) -> Bool
    package typealias Report = @Sendable (BreachLookupFailure) -> Void

    private let lookup: Lookup
    private let report: Report

    package init(_ lookup: @escaping Lookup, report: @escaping Report = { _ in }) {
        self.lookup = lookup
        self.report = report
    }

    func contains(_ password: String) -> Bool {
        do {
            return try lookup(password)
        } catch {
            report(error)
            return false
        }
    }
}

package enum BreachLookupFailure: String, Error, CaseIterable, Sendable {
    /// The service is unreachable.
    case unavailable
    case timedOut
    /// The status of the response is not 200.
    case refused
    /// The response is too long, or not a list of hashes.
    case unreadable
}
