/// The port to a service that knows passwords from data breaches (NIST SP 800-63B-4 section
/// 3.1.1.2, ASVS 5.0, 6.2.12).
///
/// Where it does not answer the password is taken, and the failure is logged: a password can be set
/// whatever becomes of a service of others. The built-in list of common passwords counts all the
/// same.
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
    /// Not reached.
    case unavailable
    case timedOut
    /// The answer is another than 200.
    case refused
    /// The answer is too long, or no list of hashes.
    case unreadable
}
