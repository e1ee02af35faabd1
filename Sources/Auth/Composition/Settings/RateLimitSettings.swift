internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import Time

/// `RATE_LIMITS`: changes to the limits of the contract.
///
///     RATE_LIMITS=off
///     RATE_LIMITS=signIn.address=600/60,refresh.session=off
///
/// A limit is `operation.subject=requests/seconds`; the other limits of the contract are unchanged.
///
/// The limit of wrong second-factor codes can be changed but not switched off: six digits can be
/// guessed without it.
enum RateLimitSettings {
    private static let requestsMax: Int64 = 1_000_000_000
    private static let secondsMax: Int64 = 86_400

    static func read(_ reader: inout SettingsReader, _ contract: Contract) -> [RateLimit] {
        guard let raw = reader.text("RATE_LIMITS") else { return contract.policy.limits }
        if raw.isSame(as: "off") { return contract.policy.limits.filter(\.isOfWrongCodes) }
        var limits = contract.policy.limits
        for entry in reader.list("RATE_LIMITS") {
            let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let (operation, subject) = target(parts[0], contract) else {
                reader.refuse(
                    "RATE_LIMITS: each entry is operation.subject=requests/seconds or =off; "
                        + "the limits are \(countable(contract))")
                return contract.policy.limits
            }
            let isOff = parts[1].isSame(as: "off")
            if isOff, RateLimit.isOfWrongCodes(operation, subject) {
                reader.refuse("RATE_LIMITS: secondFactor.account cannot be off")
                return contract.policy.limits
            }
            limits.removeAll { $0.operation == operation && $0.subject == subject }
            if isOff { continue }
            guard let (requests, seconds) = rate(parts[1]) else {
                reader.refuse(
                    "RATE_LIMITS: a rate is requests/seconds, at most \(requestsMax) in "
                        + "\(secondsMax) seconds")
                return contract.policy.limits
            }
            limits.append(RateLimit(operation, per: subject, requests, in: .seconds(seconds)))
        }
        return limits
    }

    /// Whether every limit that can be switched off is off.
    static func areOff(_ limits: [RateLimit]) -> Bool { limits.allSatisfy(\.isOfWrongCodes) }

    private static func target(
        _ name: String, _ contract: Contract
    ) -> (AuthOperation, RateLimit.Subject)? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2,
            let operation = contract.countedOperations
                .first(where: { $0.name.isSame(as: parts[0]) }),
            let subject = operation.counted.first(where: { $0.rawValue.isSame(as: parts[1]) })
        else { return nil }
        return (operation, subject)
    }

    private static func rate(_ text: String) -> (requests: Int64, seconds: Int64)? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let requests = number(parts[0]), let seconds = number(parts[1]),
            (1...requestsMax).contains(requests), (1...secondsMax).contains(seconds)
        else { return nil }
        return (requests, seconds)
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy(\.isDigit) ? Int64(text) : nil
    }

    /// `challenge.address, signIn.address|account, …`
    private static func countable(_ contract: Contract) -> String {
        contract.countedOperations
            .map { "\($0.name).\($0.counted.map(\.rawValue).joined(separator: "|"))" }
            .joined(separator: ", ")
    }
}

extension RateLimit {
    fileprivate var isOfWrongCodes: Bool { Self.isOfWrongCodes(operation, subject) }

    fileprivate static func isOfWrongCodes(_ operation: AuthOperation, _ subject: Subject) -> Bool {
        operation == .secondFactor && subject == .account
    }
}
