package import AuthOperations
internal import FunctionRuntime

extension Assembly {
    /// The settings for an administrator, who does not see secrets.
    ///
    /// - Parameters:
    ///   - names: the contract's own names of settings.
    ///   - defaults: the defaults of the contract and of this kind of start.
    package func shownSettings(
        names: [String: String] = [:], defaults: [String: String] = [:]
    ) -> DeploymentSetting.Find {
        { [environment] name, isSecret in
            for used in [names[name], name].compactMap(\.self) {
                guard let value = environment[used] else { continue }
                let isHidden = isSecret || SettingsListing.isSecret(used)
                let source: DeploymentSetting.Source =
                    switch StartSettings.origin(of: used) {
                    case nil: .environment
                    case .file: .file
                    case .credential: .credential
                    }
                return DeploymentSetting(
                    value: isHidden ? nil : SettingsListing.shown(value), source: source)
            }
            return defaults[name].map {
                DeploymentSetting(value: SettingsListing.shown($0), source: .standard)
            }
        }
    }
}
