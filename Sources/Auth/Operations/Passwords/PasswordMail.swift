internal import AuthDomain
internal import AuthRecords
internal import Cryptography
internal import KeyValueStore
internal import Time

/// A mail and the rows written with it. For an address without an account, dummy rows of the same
/// size are written, so that the response time does not reveal that there is none.
struct MailedChange {
    let writes: [Write]
    let deliver: () -> Void
}

extension AuthServices {
    /// The link that completes a registration, or a notice to the owner of an address that is
    /// already registered.
    func verificationMail(
        _ registration: PendingRegistration, isTaken: Bool, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> MailedChange {
        let (token, link) = AddressLink.make(for: registration.email, random: random)
        let expiresAt = now + (try passwords).policy.verificationLifetime
        // The row is also written for a registered address, although its secret is not mailed.
        let row = registration.item(link, expiresAt: expiresAt)
        var values = try linkValues(.verifyEmail, token, until: expiresAt, now)
        if case .afterVerification(repeatsPassword: false) = (try passwords).policy.registration {
            values["chosenAt"] = registration.createdAt.iso8601Seconds
        }
        let message = try mail.prepare(
            Mail(
                isTaken ? .alreadyRegistered : .verifyEmail, to: registration.email.text,
                language: caller.language, values: isTaken ? [:] : values,
                expiresAt: expiresAt),
            auth: self, at: now)
        return MailedChange(
            writes: [.put(row, when: [.absent]), message.write], deliver: message.deliver)
    }

    /// - Parameters:
    ///   - user: nil if no account signs in with the address.
    ///   - chosenAt: when a password was registered for the address that the account does not have.
    func resetMail(
        to user: User?, _ email: EmailAddress, chosenAt: Instant? = nil, _ caller: Caller,
        at now: Instant
    ) throws(AuthError) -> MailedChange {
        let (token, link) = AccountLink.make(
            for: user?.id ?? UserID(random: random), random: random)
        let expiresAt = now + (try passwords).policy.resetLifetime
        let row = link.item(.resetPassword, epoch: user?.epoch ?? 0, expiresAt: expiresAt)
        var values = try linkValues(.resetPassword, token, until: expiresAt, now)
        values["chosenAt"] = chosenAt?.iso8601Seconds
        // The mail goes to the address as stored in the account, never to another spelling of it.
        let message = try mail.prepare(
            Mail(
                .resetPassword, to: user?.login ?? email.folded, language: caller.language,
                values: values, expiresAt: expiresAt),
            auth: self, at: now)
        let writes: [Write] = [.put(row, when: [.absent]), message.write]
        guard user != nil else { return MailedChange(writes: dummyRows(of: writes, at: now)) {} }
        return MailedChange(writes: writes, deliver: message.deliver)
    }

    /// Rows of the same size under unused keys, which expire soon.
    func dummyRows(of writes: [Write], at now: Instant) -> [Write] {
        writes.map { write in
            guard case .put(let item, _) = write else { return write }
            let key = StoreLayout.dummyRow(random.bytes(32))
            return .put(Item(key, item.attributes, expiresAt: now + .minutes(1)), when: [])
        }
    }

    func linkValues(
        _ purpose: LinkPolicy.Purpose, _ token: String, until expiresAt: Instant, _ now: Instant
    ) throws(AuthError) -> [String: String] {
        guard let links = policy.links else { throw .fault(.serviceNotConfigured) }
        return [
            "link": links.link(purpose, token: token),
            "minutes": "\((expiresAt - now).milliseconds / 60_000)",
        ]
    }
}
