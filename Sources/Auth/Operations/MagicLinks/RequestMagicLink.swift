package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Mails a sign-in link. The response does not reveal whether there is an account.
///
/// A link signs in only to accounts that have e-mail as a sign-in method: access to a mailbox alone
/// must not add one. If the contract allows it, a link creates an account for an address that has
/// none, because using it proves the address.
package struct RequestMagicLink: Sendable {
    let auth: AuthServices

    /// - Returns: the secret that the app needs to use the link. Another app that learns of the
    ///   link cannot use it without the secret.
    package func callAsFunction(
        _ email: EmailAddress, _ caller: Caller
    ) throws(AuthError) -> String {
        // 1. Open: count, and find the account.
        let claimKey = StoreLayout.emailClaim(email)
        let opening = try auth.open(
            .requestMagicLink,
            counting: [(.address, caller.address), (.email, email.folded)],
            reading: [claimKey], mailing: .toRecipient(email))
        try opening.admit()

        // 2. A second read, because the row of the address contains only the account's ID. Only
        //    mails to addresses without an account count in the mail budget of strangers.
        let owner = try auth.owner(opening.items[claimKey])
        let found = try auth.emailLookup(
            email, owner, .requestMagicLink,
            mailing: try auth.magicLinks.createsAccounts ? .toStrangers(owner == nil) : nil)

        // 3. Close: write the link and its mail, or dummy rows of the same size.
        let now = auth.clock.now()
        let (secret, wanted) = try mail(
            try recipient(owner, found), email, caller, at: now)
        let mail = try wanted.within(
            opening.withheldBy ?? found.mailWithheldBy, auth, at: now)
        var audit = found.attempts
        audit.record(.magicLinkRequested, caller, at: now)
        guard try auth.commit(mail.writes, &audit) else { throw .unavailable(.contention) }
        mail.deliver()
        return secret.text
    }

    /// The recipient of the mail.
    private enum Recipient {
        case account(User)
        case newAccount
        /// The address belongs to an account without e-mail sign-in. Its owner learns its methods.
        case otherwiseSignedIn(User)
        case none
    }

    private func recipient(
        _ owner: UserID?, _ found: EmailLookup
    ) throws(AuthError) -> Recipient {
        if let user = found.account?.user { return user.isDisabled ? .none : .account(user) }
        if let user = found.otherwiseSignedIn { return .otherwiseSignedIn(user) }
        guard owner == nil else { return .none }
        return try auth.magicLinks.createsAccounts ? .newAccount : .none
    }

    private func mail(
        _ recipient: Recipient, _ email: EmailAddress, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> (RequestSecret, MailedChange) {
        let (token, link) = AddressLink.make(for: email, random: auth.random)
        let code = auth.mailedCode(at: link.place)
        let secret = code?.secret ?? RequestSecret(random: auth.random)
        let expiresAt = now + (try auth.magicLinks).lifetime
        var target = MagicLink.Target.newAccount(email)
        var address = email.text
        var owner: UserID?
        if case .account(let user) = recipient {
            target = .account(user.id, epoch: user.epoch)
            // The mail goes to the address as stored in the account, never to another spelling of
            // it.
            address = user.login ?? email.folded
            owner = user.id
        }
        let plainRow = MagicLink(target, requestHash: secret.hash).item(link, expiresAt: expiresAt)
        let row = code?.marking(plainRow) ?? plainRow
        let values = try auth.linkValues(.magicLink, token, code, until: expiresAt, now)
        var letter = Mail(
            .magicLink, to: address, user: owner, language: caller.language, values: values,
            expiresAt: expiresAt)
        if case .otherwiseSignedIn(let user) = recipient {
            letter = auth.signInMethodsMail(
                to: user, email, "linkRequested", caller, until: expiresAt, at: now)
        }
        let message = try auth.mail.prepare(letter, auth: auth, at: now)
        let linkWrite = Write.put(row, when: [.absent])
        switch recipient {
        case .account, .newAccount:
            return (
                secret, MailedChange(writes: [linkWrite, message.write], message: message)
            )
        case .otherwiseSignedIn:
            let writes = auth.dummyRows(of: [linkWrite], at: now) + [message.write]
            return (secret, MailedChange(writes: writes, message: message))
        case .none:
            let writes = auth.dummyRows(of: [linkWrite, message.write], at: now)
            return (secret, MailedChange(writes: writes))
        }
    }
}

extension AuthServices {
    package var requestMagicLink: RequestMagicLink { RequestMagicLink(auth: self) }

    var magicLinks: MagicLinkPolicy {
        get throws(AuthError) {
            guard let policy = policy.magicLinks else { throw .fault(.serviceNotConfigured) }
            return policy
        }
    }
}

extension AuthOperation {
    package static let requestMagicLink = AuthOperation(
        "requestMagicLink", servedBy: "magic-link", counting: [.address, .email],
        audited: .others)
}
