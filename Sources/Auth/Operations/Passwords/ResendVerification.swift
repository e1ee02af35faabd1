package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Mails another link for the requester's own registration of an address, or else for the latest
/// registration. The response is the same if there is none.
package struct ResendVerification: Sendable {
    /// A registration lasts for 24 hours. In this time the rate limits allow at most 192
    /// registrations and resent mails for one address.
    private static let registrationsMax = 200

    let auth: AuthServices

    /// - Parameters:
    ///   - requestSecret: the secret of an earlier mail to the same address. It proves which
    ///     registration belongs to the requester.
    ///   - maker: the administrator who asks for it.
    /// - Returns: the secret that is needed together with the code of the mail, if mails have
    ///   codes.
    @discardableResult
    package func callAsFunction(
        _ email: EmailAddress, requestSecret: String? = nil, by maker: String? = nil,
        because reason: String? = nil, _ caller: Caller
    ) throws(AuthError) -> String? {
        // 1. Open: count, and find the registrations.
        let claimKey = StoreLayout.emailClaim(email)
        let chain = AuditChain.email(email)
        let opening = try auth.open(
            .resendVerification,
            counting: [(.address, caller.address), (.email, email.folded)],
            reading: [claimKey, chain.headKey],
            listing: PartitionQuery(
                StoreLayout.registrations(email), limit: Self.registrationsMax),
            mailing: .toAnyone(email))
        try opening.admit()
        let items = opening.page?.items ?? []
        let secret = requestSecret.flatMap(RequestSecret.init(parsing:))
        let own = items.first { secret?.choseThePassword(of: $0) == true }
        let chosen = try latest(of: own.map { [$0] } ?? items)

        // 2. Close: write a link, or dummy rows of the same size.
        let now = auth.clock.now()
        let registration =
            chosen
            ?? PendingRegistration(
                email: email, passwordHash: "", displayName: nil, createdAt: now)
        let isTaken = opening.items[claimKey] != nil
        var mail = try auth.verificationMail(
            registration, isTaken: isTaken, isForRegistrant: own != nil, caller, at: now)
        // The owner of a taken address was notified when it was registered again.
        if chosen == nil || isTaken { mail = mail.withoutMail(auth, at: now) }
        mail = try mail.within(opening.withheldBy, auth, at: now)
        var audit = try auth.audit(chain, opening.items)
        audit.record(
            .verificationRequested, caller, detail: "resend", by: maker, because: reason, at: now)
        guard try auth.commit(mail.writes, &audit) else { throw .unavailable(.contention) }
        mail.deliver()
        return mail.requestSecret
    }

    private func latest(of items: [Item]) throws(AuthError) -> PendingRegistration? {
        var latest: PendingRegistration?
        for item in items {
            let registration = try decoded(PendingRegistration(item))
            if registration.createdAt >= latest?.createdAt ?? registration.createdAt {
                latest = registration
            }
        }
        return latest
    }
}

extension AuthServices {
    package var resendVerification: ResendVerification { ResendVerification(auth: self) }
}

extension AuthOperation {
    package static let resendVerification = AuthOperation(
        "resendVerification", servedBy: "resend-verification", counting: [.address, .email],
        audited: .others)
}
