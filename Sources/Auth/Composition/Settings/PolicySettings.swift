internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import Time

/// The settings that change a contract's policy.
enum PolicySettings {
    private enum Switch: String, CaseIterable { case on, off }
    private enum SignUp: String, CaseIterable { case open, closed }

    static func listsRevocations(_ reader: SettingsReader) -> Bool {
        reader.text("REVOCATIONS").map { $0.isSame(as: Switch.on.rawValue) } ?? false
    }

    static func read(
        _ reader: inout SettingsReader, _ contract: Contract, _ needs: ServiceNeeds,
        _ issuer: String, _ warnings: inout [LogEvent]
    ) -> Policy {
        var policy = contract.policy
        if let audience = reader.text("TOKEN_AUDIENCE") { policy.accessTokens.audience = audience }
        policy.accessTokens.algorithm = KeySettings.algorithm(&reader, policy.accessTokens)
        if let minutes = reader.integer("ACCESS_TOKEN_EXPIRE_MINUTES", 1...1440) {
            policy.accessTokens.lifetime = .minutes(minutes)
        }
        if let days = reader.integer("REFRESH_TOKEN_EXPIRE_DAYS", 1...365) {
            // If both lifetimes are equal, use does not extend a session.
            if policy.sessions.absoluteLifetime == policy.sessions.idleLifetime {
                policy.sessions.absoluteLifetime = .days(days)
            }
            policy.sessions.idleLifetime = .days(days)
        }
        if let seconds = reader.integer("REFRESH_GRACE_SECONDS", 0...300),
            case .everyUse = policy.sessions.rotation
        {
            policy.sessions.rotation = .everyUse(grace: .seconds(seconds))
        }
        if let value = reader.choice("REQUIRE_NONCE", BooleanSetting.self),
            policy.identity.nonce != .none
        {
            policy.identity.requiresNonce = value == .yes
        }
        if let value = reader.choice("AUDIT_REFRESHES", BooleanSetting.self) {
            policy.audit.recordsRefreshes = value == .yes
        }
        if policy.pages != nil, PageSettings.areOn(reader) {
            // Links in mails lead to the pages.
            let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
            reader.defaults["LINK_BASE"] = base + "/auth/ui"
        }
        if needs.contains(.links) { policy.links = LinkSettings.read(&reader, policy.links) }
        if needs.contains(.mail) {
            policy.mailBudget = MailBudgetSettings.read(&reader, policy.mailBudget)
        }
        if reader.choice("USER_SEARCH", Switch.self) == .off {
            policy.accounts.isSearchable = false
        }
        if policy.pages != nil, reader.choice("SIGN_UP", SignUp.self) == .closed {
            policy.accounts.isOpen = false
        }
        policy.guests = GuestSettings.read(&reader, policy.guests)
        policy.proofs = ProofSettings.read(&reader, policy.proofs)
        policy.pages = PageSettings.read(&reader, policy.pages, proofs: policy.proofs)
        policy.oauth = OAuthSettings.policy(&reader, policy.oauth)
        if reader.choice("REVOCATIONS", Switch.self) != .on { policy.revocations = nil }
        policy.secondFactors?.issuerName =
            reader.text("APP_NAME") ?? issuer.split(separator: "/").dropFirst().first.map(
                String.init)
            ?? issuer
        if let hours = reader.integer("SECOND_FACTOR_REMOVAL_HOURS", 0...720) {
            policy.secondFactors?.removalDelay = .hours(hours)
        }
        readLimits(&reader, contract, &policy, &warnings)
        return policy
    }

    private static func readLimits(
        _ reader: inout SettingsReader, _ contract: Contract, _ policy: inout Policy,
        _ warnings: inout [LogEvent]
    ) {
        policy.limits = RateLimitSettings.read(&reader, contract)
        if RateLimitSettings.areOff(policy.limits),
            !RateLimitSettings.areOff(contract.policy.limits)
        {
            warnings.append(.rateLimitsOff)
        }
    }
}

/// The values of a boolean setting.
enum BooleanSetting: String, CaseIterable {
    case yes = "true"
    case no = "false"
}
