package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Mails another link for the latest registration of an address. The response is the same if there
/// is none.
package struct ResendVerification: Sendable {
    /// More than the rate limits allow for one address at a time.
    private static let registrationsMax = 50

    let auth: AuthServices

    /// - Returns: what the code of the mail works with, if mails have codes.
    @discardableResult
    package func callAsFunction(
        _ email: EmailAddress, _ caller: Caller
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
        let latest = try latest(of: opening.page)

        // 2. Close: a link, or dummy rows of the same size.
        let now = auth.clock.now()
        let registration =
            latest
            ?? PendingRegistration(
                email: email, passwordHash: "", displayName: nil, createdAt: now)
        let isTaken = opening.items[claimKey] != nil
        var mail = try auth.verificationMail(registration, isTaken: isTaken, caller, at: now)
        // The owner of a taken address was notified when it was registered again.
        if latest == nil || isTaken { mail = mail.withoutMail(auth, at: now) }
        mail = try mail.within(opening.withheldBy, auth, at: now)
        var audit = try auth.audit(chain, opening.items)
        audit.record(.verificationRequested, caller, detail: "resend", at: now)
        guard try auth.commit(mail.writes, &audit) else { throw .unavailable(.contention) }
        mail.deliver()
        return mail.requestSecret
    }

    private func latest(of page: Page?) throws(AuthError) -> PendingRegistration? {
        var latest: PendingRegistration?
        for item in page?.items ?? [] {
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
