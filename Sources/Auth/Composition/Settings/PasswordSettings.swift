internal import AuthDomain
internal import AuthOperations
internal import IdentityProviders

/// `PASSWORD_HASHES_MAX` and `BREACHED_PASSWORDS_URL`.
struct PasswordSettings: ServicePart {
    let hashesMax: Int?
    let breachedPasswords: ProviderURL?

    static func read(_ reader: inout SettingsReader, _ policy: Policy) -> PasswordSettings {
        PasswordSettings(
            hashesMax: reader.integer("PASSWORD_HASHES_MAX", HashingSlots.counts).map { Int($0) },
            breachedPasswords: policy.passwords == nil
                ? nil : BreachedPasswordSettings.read(&reader))
    }

    func install(in services: inout OptionalServices, _ context: ServiceContext) {
        services.hashingLimit =
            HashingSlots(
                folder: context.assembly.sharedFolder, count: hashesMax,
                sleep: context.assembly.sleep
            ).limit
        services.breachedPasswords = breachedPasswords.map { url in
            let service = BreachedPasswordService(
                url, transport: context.requests.transport(for: .breachedPasswords))
            return BreachedPasswords(
                { password throws(BreachLookupFailure) in try service.contains(password) },
                report: context.reports.breachLookup)
        }
    }
}
