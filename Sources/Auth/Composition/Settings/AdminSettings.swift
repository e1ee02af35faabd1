internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import FunctionRuntime

/// `ADMIN_PASSWORD_HASH`, or `ADMIN_PASSWORD` in contracts whose seed has it.
enum AdminSettings {
    /// nil where `reader` has been told why.
    static func read(
        _ reader: inout SettingsReader, _ policy: AdminPolicy, _ warnings: inout [LogEvent]
    ) -> AdminPassword? {
        if reader.text("ADMIN_PASSWORD_HASH") != nil {
            guard let hash = reader.secret("ADMIN_PASSWORD_HASH") else { return nil }
            if let password = AdminPassword(hash: String(decoding: hash.reveal(), as: UTF8.self)) {
                return password
            }
            reader.refuse("ADMIN_PASSWORD_HASH must be an Argon2id hash: $argon2id$v=19$…")
            return nil
        }
        guard policy.allowsPlainPassword else {
            reader.refuse("ADMIN_PASSWORD_HASH is required")
            return nil
        }
        guard reader.text("ADMIN_PASSWORD") != nil else {
            reader.refuse("ADMIN_PASSWORD_HASH is required, or ADMIN_PASSWORD")
            return nil
        }
        guard let password = reader.secret("ADMIN_PASSWORD") else { return nil }
        guard !password.isEmpty else {
            reader.refuse("ADMIN_PASSWORD must not be empty")
            return nil
        }
        warnings.append(.adminPasswordNotHashed)
        return AdminPassword(plain: password)
    }
}
