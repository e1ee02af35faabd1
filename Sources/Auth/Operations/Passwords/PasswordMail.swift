internal import AuthDomain
internal import AuthRecords
internal import Cryptography
internal import KeyValueStore
internal import Time

/// A mail and the rows written with it. For an address without an account, dummy rows of the same
/// size are written, so that the response time does not reveal that there is none.
struct MailedChange {
    let writes: [Write]
    /// The secret for the app that asked for the mail, if the mail has a code. It exists even if
    /// there is no mail.
    var requestSecret: String?
    /// The message. Its row is one of `writes`. nil if there is no mail.
    var message: PreparedMail?

    /// Call it after the writes are committed.
    func deliver() { message?.deliver() }
}

extension AuthServices {
    /// The link that completes a registration, or a notice to the owner of an address that is
    /// already registered.
    ///
    /// - Parameter isForRegistrant: whether the requester has proven that they chose the password.
    func verificationMail(
        _ registration: PendingRegistration, isTaken: Bool, isForRegistrant: Bool,
        _ caller: Caller, at now: Instant
    ) throws(AuthError) -> MailedChange {
        let (token, link) = AddressLink.make(for: registration.email, random: random)
        let expiresAt = now + (try passwords).policy.verificationLifetime
        // The row is also written for a registered address, but its secret is not mailed.
        let code = mailedCode(at: link.place)
        let plainRow = registration.item(link, expiresAt: expiresAt)
        let row = code?.marking(plainRow, isForRegistrant: isForRegistrant) ?? plainRow
        var values = try linkValues(.verifyEmail, token, code, until: expiresAt, now)
        if case .afterVerification(repeatsPassword: false) = (try passwords).policy.registration {
            values["chosenAt"] = registration.createdAt.iso8601Seconds
        }
        let message = try mail.prepare(
            Mail(
                isTaken ? .alreadyRegistered : .verifyEmail, to: registration.email.text,
                language: caller.language, values: isTaken ? signInLink : values,
                expiresAt: expiresAt),
            auth: self, at: now)
        return MailedChange(
            writes: [.put(row, when: [.absent]), message.write],
            requestSecret: code?.secret.text, message: message)
    }

    /// - Parameters:
    ///   - user: nil if no account signs in with the address.
    ///   - owner: an account that owns the address, but does not sign in with it.
    ///   - kind: `resetPassword`, or the `invitation` to a new account.
    ///   - chosenAt: when a password was registered for the address, if that is not the account's
    ///     password.
    ///   - hasCode: false for a mail that no app has asked for.
    func resetMail(
        to user: User?, otherwiseSignedIn owner: User? = nil, _ email: EmailAddress,
        as kind: Mail.Kind = .resetPassword, chosenAt: Instant? = nil, hasCode: Bool,
        _ caller: Caller, at now: Instant
    ) throws(AuthError) -> MailedChange {
        let (token, link) = AccountLink.make(
            for: user?.id ?? UserID(random: random), random: random)
        let policy = (try passwords).policy
        let expiresAt =
            now + (kind == .invitation ? policy.invitationLifetime : policy.resetLifetime)
        let plainRow = link.item(
            .resetPassword, epoch: user?.epoch ?? 0, to: user?.loginAddress ?? email,
            expiresAt: expiresAt)
        let code =
            hasCode && self.policy.mailCodes != nil
            ? mailedCode(at: try mail.seal(link.user, random: random) + link.place) : nil
        let row = code?.marking(plainRow) ?? plainRow
        var values = try linkValues(.resetPassword, token, code, until: expiresAt, now)
        values["chosenAt"] = chosenAt?.iso8601Seconds
        // The mail goes to the address as stored in the account, never to another spelling of it.
        var letter = Mail(
            kind, to: user?.login ?? email.folded, user: link.user, language: caller.language,
            values: values, expiresAt: expiresAt)
        if let owner {
            letter = signInMethodsMail(
                to: owner, email, "passwordRequested", caller, until: expiresAt, at: now)
        }
        let message = try mail.prepare(letter, auth: self, at: now)
        let writes: [Write] = [.put(row, when: [.absent]), message.write]
        let secret = code?.secret.text
        if owner != nil {
            return MailedChange(
                writes: dummyRows(of: [writes[0]], at: now) + [message.write],
                requestSecret: secret, message: message)
        }
        guard user != nil else {
            return MailedChange(
                writes: dummyRows(of: writes, at: now), requestSecret: secret)
        }
        return MailedChange(writes: writes, requestSecret: secret, message: message)
    }

    /// The link that proves an address for an existing account. If the address belongs to another
    /// account, its owner gets a notice instead, and the link is not mailed.
    ///
    /// - Parameters:
    ///   - user: the account for which the address is proven.
    ///   - place: the position of the link's row.
    ///   - row: returns the row for an expiry time.
    func provingMail(
        to email: EmailAddress, _ purpose: LinkPolicy.Purpose, _ token: String,
        of user: UserID, at place: [UInt8], until expiresAt: Instant, isTaken: Bool,
        _ caller: Caller, at now: Instant, row: (Instant) -> Item
    ) throws(AuthError) -> MailedChange {
        let code = mailedCode(at: place)
        let plainRow = row(expiresAt)
        let write = Write.put(code?.marking(plainRow) ?? plainRow, when: [.absent])
        let values = try linkValues(purpose, token, code, until: expiresAt, now)
        let message = try mail.prepare(
            Mail(
                isTaken ? .alreadyRegistered : .verifyEmail, to: email.text,
                user: isTaken ? nil : user, language: caller.language,
                values: isTaken ? signInLink : values, expiresAt: expiresAt),
            auth: self, at: now)
        return MailedChange(
            writes: (isTaken ? dummyRows(of: [write], at: now) : [write]) + [message.write],
            requestSecret: code?.secret.text, message: message)
    }

    /// Rows of the same size under unused keys, which expire soon.
    func dummyRows(of writes: [Write], at now: Instant) -> [Write] {
        writes.map { write in
            guard case .put(let item, _) = write else { return write }
            let key = StoreLayout.dummyRow(for: item.key)
            return .put(Item(key, item.attributes, expiresAt: now + .minutes(1)), when: [])
        }
    }

    func linkValues(
        _ purpose: LinkPolicy.Purpose, _ token: String, _ code: MailedCode? = nil,
        until expiresAt: Instant, _ now: Instant
    ) throws(AuthError) -> [String: String] {
        guard let links = policy.links else { throw .fault(.serviceNotConfigured) }
        var values = ["link": links.link(purpose, token: token)]
        values["code"] = code?.code
        // Templates have a paragraph for each unit. Both numbers are at least two, so only the
        // plural is needed.
        let minutes = (expiresAt - now).milliseconds / 60_000
        let isInHours = minutes >= 120 && minutes % 60 == 0
        values[isInHours ? "hours" : "minutes"] = "\(isInHours ? minutes / 60 : minutes)"
        return values
    }
}
