internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// A person's decision that a client may have access, on a page or for a device.
struct NewConsent {
    let writes: [Write]
    /// The notice to the account's owner about a client that had no access before.
    let notice: OwnerNotice
    let clientEpoch: Int64

    /// - Parameters:
    ///   - isRemembered: whether the decision is valid for later requests.
    ///   - items: the rows that were read, with the former decision and the client's epoch.
    init(
        _ auth: AuthServices, to client: Client, _ scope: [String], _ resources: [String],
        isRemembered: Bool = true, of user: User, _ items: ReadItems, _ caller: Caller,
        at now: Instant
    ) throws(AuthError) {
        let former = try items[StoreLayout.consent(to: client.id, of: user.id)].map {
            row throws(AuthError) in try decoded(ConsentRecord(row))
        }
        clientEpoch = try auth.clientEpoch(client.id, items)
        let consent = ConsentRecord(
            client: client.id, scope: scope, resources: resources, givenAt: now,
            description: client.description, isRemembered: isRemembered, clientEpoch: clientEpoch
        ).adding(former)
        let end = now + (try auth.oauthPolicy).consentLifetime
        let isNew = former == nil && auth.hasMail && !client.isFirstParty
        notice =
            isNew
            ? try auth.notice(
                .newApplication, to: user, saying: ["application": client.name], caller, at: now)
            : .none
        writes =
            [.put(consent.item(of: user.id, expiresAt: end), when: [])]
            + consent.listing(of: user.id, replacing: former, expiresAt: end) + notice.writes
    }
}
