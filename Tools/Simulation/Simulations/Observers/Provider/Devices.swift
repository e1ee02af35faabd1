import AuthDomain
import JSON
import Time

/// An approval gives a device only one set of tokens.
struct DeviceGivesOnce: Observer {
    let invariant = Invariant.deviceGivesOnce
    private var used: Set<String> = []

    mutating func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let device = seen.provider?.device, seen.provider?.issued != nil else { return nil }
        return used.insert(device.code).inserted ? nil : "a device's code gave tokens twice"
    }
}

/// A device gets tokens only for an account to which its code was shown, and which has allowed the
/// request since. It gets none after a refusal, after the code has expired, or after the allowing
/// session has ended.
struct DeviceIsAllowed: Observer {
    let invariant = Invariant.deviceIsAllowed

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider, let fact = seen.device?.fact, let issued = seen.issued
        else { return nil }
        let (exchange, client) = (seen.exchange, fact.asked.client)
        if seen.client?.id != client { return "a device's code of another client was taken" }
        guard let browsers = fact.allowing[issued.user] else {
            return "a device got tokens of an account that has not allowed it"
        }
        if !fact.readers.contains(issued.user) {
            return "a device was allowed by an account that was not shown its code"
        }
        if fact.refusedAt.map({ $0 < exchange.startedAt }) ?? false {
            return "a device got tokens after the refusal"
        }
        if let approval = fact.approval,
            facts.provider.grantEnds.hasEnded(
                client, givenAt: approval.settledAt, before: exchange.startedAt)
        {
            return "a device got tokens that were allowed before the end (\(Facts.allEnded))"
        }
        if fact.endsAt + .seconds(2) < facts.now { return "a device got tokens after its end" }
        let ends = browsers.map { facts.end(of: $0, before: exchange) }
        if let end = ends.first ?? nil, ends.allSatisfy({ $0 != nil }) {
            return "a device was allowed in a session that had ended (\(end))"
        }
        if facts.accounts.closing(of: issued.user, before: exchange) != nil
            || facts.provider.isDisabled(client, before: exchange.startedAt)
        {
            return "a device got tokens of a closed account or client"
        }
        let pair = ProviderFacts.Pair(user: issued.user, client: client)
        return facts.provider.hasConsent(pair, to: fact.asked, at: exchange.startedAt)
            ? nil : "a device got tokens after the person has removed \(client)"
    }
}

/// A device that polls no more often than allowed gets the decision.
struct DeviceIsHeard: Observer {
    let invariant = Invariant.deviceIsHeard
    /// The polling interval in seconds.
    private static let interval: Int64 = 5
    private static let refusals: Set<String> = [
        "slow_down", "authorization_pending", "access_denied", "expired_token", "invalid_grant",
    ]

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider, let fact = seen.device?.fact, let refusal = seen.refusal,
            Self.refusals.contains(refusal), let question = fact.questions[seen.exchange.number],
            !question.isOverlapped
        else { return nil }
        if seen.isRight, !question.wasSpent, facts.mustGive(fact, before: seen.exchange) {
            return "a device that was allowed is refused with \(refusal)"
        }
        guard refusal == "slow_down" else { return nil }
        guard let pause = question.pause else {
            return "a device is told to slow down at its first poll"
        }
        let needed = Span.seconds(Self.interval * (fact.slowed + 1) + 1)
        return pause < needed
            ? nil : "a device is told to slow down after a wait of \(pause.seconds) s"
    }
}

/// Five wrong user codes lock an account's code entry for a while.
struct CodesAreCounted: Observer {
    let invariant = Invariant.codesAreCounted
    private static let most = 5
    private static let window: Int64 = 600
    private var wrong: [String: Int] = [:]

    mutating func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider, seen.exchange.operation == "POST /oauth/device",
            let typed = seen.fields["user_code"], seen.exchange.status == 400,
            facts.provider.devices.request(typed: typed) == nil,
            let user = seen.exchange.browser?.user
        else { return nil }
        let name = "\(user) \(facts.now.seconds / Self.window)"
        wrong[name, default: 0] += 1
        return wrong[name] ?? 0 > Self.most
            ? "an account has tried more than \(Self.most) wrong codes" : nil
    }
}
