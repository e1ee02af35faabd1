internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import FunctionRuntime

/// `AUDIT_KEY`: the key of the audit log in functions that have no master key.
///
/// With a master key, events are linked with a key derived from it, and `AUDIT_KEY` is used only in
/// verification.
enum AuditSettings {
    static let bytesMin = 32

    /// nil if the key is not set, or if an error was reported to `reader`.
    static func read(_ reader: inout SettingsReader) -> SecretBytes? {
        guard let given = reader.secret("AUDIT_KEY") else { return nil }
        guard given.count >= bytesMin else {
            reader.refuse("AUDIT_KEY must hold at least \(bytesMin) bytes")
            return nil
        }
        return MasterKey.auditKey(of: given)
    }

    static func keys(_ master: MasterKey?, _ own: SecretBytes?) -> AuditKeys? {
        guard let master else { return own.map { AuditKeys($0) } }
        return AuditKeys(
            master.audit, others: master.previous.map(\.audit) + (own.map { [$0] } ?? []))
    }
}
