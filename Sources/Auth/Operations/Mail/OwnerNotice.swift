internal import AuthDomain
internal import AuthRecords
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

    /// The mail to the owner of an address who asked for a link or a password, but signs in
    /// otherwise. Another person may have the mailbox of a former address, so a mail to it does not
    /// name the methods.
    ///
    /// - Parameter requested: the value that says what was requested.
    func signInMethodsMail(
        to user: User, _ email: EmailAddress, _ requested: String, _ caller: Caller,
        until expiresAt: Instant, at now: Instant
    ) -> Mail {
        let isFormer = !user.signsIn(with: StoreLayout.emailClaim(email))
        var values = signInLink
        values[requested] = now.iso8601Seconds
        if !isFormer {
            values["methods"] = user.providers.map(Self.shownMethod).joined(separator: ", ")
        }
        return Mail(
            .signInMethods, to: isFormer ? email.folded : user.login ?? email.folded,
            user: user.id, language: caller.language, values: values, expiresAt: expiresAt)
    }

    private static func shownMethod(_ provider: String) -> String {
        switch provider {
        case "apple": "Apple"
        case "google": "Google"
        case LinkedIdentity.passkeyProvider: "Passkey"
        default: provider
        }
    }
}

extension Mail.Kind {
    /// Whether the link of the notice leads to the account. In the notice about a changed address,
    /// the link undoes the change. A deleted account has no page.
    var leadsToAccount: Bool {
        switch self {
        case .passwordChanged, .newDevice, .newApplication, .methodAdded, .methodRemoved,
            .secondFactorChanged, .secondFactorRemoval, .wrongCodes, .addressChanged:
            true
        case .verifyEmail, .alreadyRegistered, .signInMethods, .invitation, .resetPassword,
            .magicLink, .emailChanged, .accountDeleted:
            false
        }
    }
}
