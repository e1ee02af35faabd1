/// The value of a setting, for an administrator.
package struct DeploymentSetting: Sendable {
    package enum Source: String, Sendable {
        case environment
        /// A file of `--env-file`.
        case file
        /// A credential that systemd passes (`LoadCredential=`).
        case credential
        /// The default of the contract or of this kind of process.
        case standard
    }

    /// nil for a secret.
    package let value: String?
    package let source: Source

    package init(value: String?, source: Source) {
        self.value = value
        self.source = source
    }

    /// - Parameters:
    ///   - name: the name of the setting.
    ///   - isSecret: whether the documentation calls the setting secret.
    /// - Returns: nil if it is not set.
    package typealias Find = @Sendable (_ name: String, _ isSecret: Bool) -> DeploymentSetting?
}

/// The files from which a process has read its settings.
package struct SettingsFiles: Sendable {
    /// The files of `--env-file`, or the file of the package's service.
    package let named: [String]
    /// The settings file in the process's folder. The operator's commands read it, too, but
    /// `--event` does not.
    package let standard: String?

    package init(named: [String] = [], standard: String? = nil) {
        self.named = named
        self.standard = standard
    }
}

extension AuthServices {
    /// The settings of this process.
    package func setting(_ name: String, isSecret: Bool = false) -> DeploymentSetting? {
        findSetting(name, isSecret)
    }
}
