internal import AuthDomain
internal import KeyValueStore
internal import Time

/// Notifies the owner of an account of a change (ASVS 5.0, 6.3.7), at each of the account's
/// addresses.
struct OwnerNotice {
    fileprivate let messages: [PreparedMail]

    static let none = OwnerNotice(messages: [])

    /// The writes for the transaction of the change.
    var writes: [Write] { messages.map(\.write) }

    /// Call it after the writes are committed.
    func deliver() { for message in messages { message.deliver() } }
}

extension AuthServices {
    /// - Parameters:
    ///   - former: the account before the change, if the change affects its addresses.
    ///   - values: the values of the message, without the time and the client's address.
    func notice(
        _ kind: Mail.Kind, to user: User, and former: User? = nil,
        saying values: [String: String] = [:], _ caller: Caller, at now: Instant
    ) throws(AuthError) -> OwnerNotice {
        try notice(kind, to: user, and: former, caller, at: now) { _ in values }
    }

    /// - Parameter values: returns the values of the message to the given address.
    func notice(
        _ kind: Mail.Kind, to user: User, and former: User? = nil, _ caller: Caller,
        at now: Instant, saying values: (_ address: String) -> [String: String]
    ) throws(AuthError) -> OwnerNotice {
        var common = ["time": now.iso8601Seconds, "address": caller.address ?? "-"]
        common["link"] = pageOfNotice(kind)
        var messages: [PreparedMail] = []
        let old = former?.noticeAddresses ?? []
        for address in old + user.noticeAddresses.filter({ !old.contains($0) }) {
            let mail = Mail(
                kind, to: address, user: user.id, language: caller.language,
                values: common.merging(values(address)) { $1 })
            messages.append(try self.mail.prepare(mail, auth: self, at: now))
        }
        return OwnerNotice(messages: messages)
    }

    /// The notice of a recovery code that was used.
    func recoveryCodeNotice(
        to user: User, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> OwnerNotice {
        try notice(
            .secondFactorChanged, to: user, saying: ["used": now.iso8601Seconds], caller, at: now)
    }

    /// The link in a mail to an address that has an account already. It leads to the account's
    /// page, which asks for a sign-in. Empty without pages.
    var signInLink: [String: String] { accountPage.map { ["link": $0] } ?? [:] }
}

extension Mail.Kind {
    /// Whether the link of the notice leads to the account. In the notice about a changed address,
    /// the link undoes the change. A deleted account has no page.
    var leadsToAccount: Bool {
        switch self {
        case .passwordChanged, .newDevice, .newApplication, .methodAdded, .methodRemoved,
            .secondFactorChanged, .secondFactorRemoval, .wrongCodes, .addressChanged:
            true
        case .verifyEmail, .alreadyRegistered, .invitation, .resetPassword, .magicLink,
            .emailChanged, .accountDeleted:
            false
        }
    }
}
