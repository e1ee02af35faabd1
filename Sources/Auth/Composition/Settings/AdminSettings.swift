internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Cryptography
internal import FunctionRuntime

/// `ADMIN_PASSWORD_HASH`, or `ADMIN_PASSWORD` in contracts whose original specification has it.
enum AdminSettings {
    enum Source: Sendable {
        case given(AdminPassword)
        /// A file with the password's hash. If there is none, the server generates a password when
        /// it starts.
        case file(path: String)
    }

    /// nil if no endpoint needs the password, or if an error was reported to `reader`.
    ///
    /// - Parameter file: where the hash is created if there is no setting.
    static func read(
        _ reader: inout SettingsReader, for needs: ServiceNeeds, _ policy: AdminPolicy,
        file: String?, _ warnings: inout [LogEvent]
    ) -> Source? {
        guard needs.contains(.adminPassword) else { return nil }
        if reader.text("ADMIN_PASSWORD_HASH") != nil {
            guard let hash = reader.secret("ADMIN_PASSWORD_HASH") else { return nil }
            if let password = AdminPassword(hash: String(decoding: hash.reveal(), as: UTF8.self)) {
                return .given(password)
            }
            reader.refuse("ADMIN_PASSWORD_HASH must be an Argon2id hash: $argon2id$v=19$…")
            return nil
        }
        if let file { return .file(path: file) }
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
        return .given(AdminPassword(plain: password))
    }
}

extension AdminSettings.Source {
    /// Generates the password if there is none yet, and adds it to the announcement.
    func password(
        random: RandomSource, _ announcement: inout ServerAnnouncement?
    ) throws(StartFailure) -> AdminPassword {
        switch self {
        case .given(let password): return password
        case .file(let path):
            let file = try AdminPasswordFile(path, random: random)
            announcement?.administrator.password = file.made
            return file.password
        }
    }
}
