package import AuthDomain
internal import Bytes
internal import Cryptography
package import KeyValueStore
internal import Time

/// All keys of the single table.
///
/// External values (subjects, nonces, addresses) are hashed: keys then have a fixed size and
/// alphabet, and contain no personal data.
package enum StoreLayout {
    /// `USER#<id>`: the profile and the sessions of one user, read together.
    package static func profile(_ user: UserID) -> ItemKey {
        ItemKey("\(userPrefix)\(user.text)", profileSort)
    }

    package static let userPrefix = "USER#"
    static let profileSort = "PROFILE"

    /// The user whose partition has the row.
    package static func owner(of key: ItemKey) -> UserID? {
        guard key.partition.utf8.starts(with: userPrefix.utf8) else { return nil }
        return UserID(parsing: String(key.partition.dropFirst(userPrefix.utf8.count)))
    }

    /// The row that is read to check that the store answers. It is written instead if the store's
    /// disk can be full.
    package static let readinessProbe = ItemKey("READINESS", "PROBE")

    package static func session(_ session: SessionID, of user: UserID) -> ItemKey {
        ItemKey("USER#\(user.text)", sessionPrefix + session.text)
    }

    package static let sessionPrefix = "SESSION#"

    /// A device on which the user has signed in. Its sort key has the same prefix as the sort keys
    /// of sessions, so that a sign-in reads devices and sessions in one query.
    package static func device(_ device: DeviceID, of user: UserID) -> ItemKey {
        ItemKey("USER#\(user.text)", devicePrefix + device.text)
    }

    package static let devicePrefix = "SESSIONDEVICE#"
    package static let sessionsAndDevicesPrefix = "SESSION"

    /// A provider's own refresh token, encrypted. It is revoked when the account is deleted or the
    /// identity is removed from it. Each identity of the account has its own rows.
    package static func grant(
        of identity: IdentityDigest, clientID: String, in user: UserID
    ) -> ItemKey {
        ItemKey("USER#\(user.text)", "\(grantPrefix)\(identity.text)#\(digest([clientID]))")
    }

    private static let grantPrefix = "GRANT#"

    package static func isGrant(_ row: ItemKey) -> Bool {
        row.sort.utf8.starts(with: grantPrefix.utf8)
    }

    package static func grants(of identity: IdentityDigest, in user: UserID) -> PartitionQuery {
        PartitionQuery(
            profile(user).partition, prefix: "\(grantPrefix)\(identity.text)#", limit: grantsMax)
    }

    /// A provider issues one token for each of our client IDs.
    private static let grantsMax = 64

    /// The account that belongs to (issuer, subject).
    package static func identity(issuer: String, subject: String) -> ItemKey {
        identity(IdentityDigest(issuer: issuer, subject: subject))
    }

    package static func identity(_ identity: IdentityDigest) -> ItemKey {
        ItemKey("IDENTITY#\(identity.text)", "OWNER")
    }

    /// The account that has claimed an e-mail address, in contracts where it is unique.
    package static func emailClaim(_ address: EmailAddress) -> ItemKey {
        emailClaim(addressDigest: addressDigest(address))
    }

    package static func emailClaim(addressDigest: [UInt8]) -> ItemKey {
        ItemKey("EMAIL#\(Base64URL.encode(addressDigest))", "OWNER")
    }

    /// The form of an address in keys.
    package static func addressDigest(_ address: EmailAddress) -> [UInt8] {
        digestBytes([address.folded])
    }

    /// The hash of the account's password.
    package static func password(of user: UserID) -> ItemKey {
        ItemKey("USER#\(user.text)", "PASSWORD")
    }

    /// The work that imported hashes take (`ImportedHashes`).
    package static let importedHashes = ItemKey("IMPORTED#HASHES", "WORK")

    /// The mark of an account that was imported with a hash. It sorts before `WORK`.
    package static func importedHash(of user: UserID) -> ItemKey {
        ItemKey(importedHashes.partition, "USER#\(user.text)")
    }

    /// The account's second factor.
    package static func secondFactor(of user: UserID) -> ItemKey {
        ItemKey("USER#\(user.text)", secondFactorSort)
    }

    package static func isSecondFactor(_ row: ItemKey) -> Bool {
        row.sort.isSame(as: secondFactorSort)
    }

    private static let secondFactorSort = "SECONDFACTOR"

    /// A passkey of the account, by the digest of its credential ID (`LinkedIdentity.passkey`).
    package static func passkey(_ id: String, of user: UserID) -> ItemKey {
        ItemKey("USER#\(user.text)", passkeyPrefix + id)
    }

    package static func isPasskey(_ row: ItemKey) -> Bool {
        row.sort.utf8.starts(with: passkeyPrefix.utf8)
    }

    static func passkeyID(_ row: ItemKey) -> String {
        String(row.sort.dropFirst(passkeyPrefix.count))
    }

    package static func passkeys(of user: UserID) -> PartitionQuery {
        PartitionQuery(profile(user).partition, prefix: passkeyPrefix, limit: passkeysMax)
    }

    private static let passkeyPrefix = "PASSKEY#"
    /// A number above the maximum of every policy.
    private static let passkeysMax = 64

    /// A ceremony of WebAuthn that waits for the answer of an authenticator.
    package static func ceremony(secretHash: [UInt8]) -> ItemKey {
        ItemKey("CEREMONY#\(Base64URL.encode(secretHash))", "PASSKEY")
    }

    /// How often the answer to a ceremony was presented.
    package static func presentations(ofCeremony secretHash: [UInt8]) -> ItemKey {
        ItemKey("RATE#ceremony#\(Base64URL.encode(secretHash))", "PRESENTED")
    }

    /// How often a code of a mail was tried, by the hash of the secret that is needed with it.
    package static func presentations(ofCodeWith secretHash: [UInt8]) -> ItemKey {
        ItemKey("RATE#code#\(Base64URL.encode(secretHash))", "PRESENTED")
    }

    /// A registration whose address is not verified yet. An address can have several.
    package static func registration(addressDigest: [UInt8], secretHash: [UInt8]) -> ItemKey {
        ItemKey(
            "REGISTRATION#\(Base64URL.encode(addressDigest))", Base64URL.encode(secretHash))
    }

    package static func registrations(_ address: EmailAddress) -> String {
        registrations(addressDigest: addressDigest(address))
    }

    package static func registrations(addressDigest: [UInt8]) -> String {
        "REGISTRATION#\(Base64URL.encode(addressDigest))"
    }

    /// A sign-in link that was mailed to an address. An address can have several.
    package static func magicLink(addressDigest: [UInt8], secretHash: [UInt8]) -> ItemKey {
        ItemKey("MAGICLINK#\(Base64URL.encode(addressDigest))", Base64URL.encode(secretHash))
    }

    /// A link that was mailed to the owner of an account. Each purpose has a separate namespace.
    package static func link(
        _ purpose: AccountLink.Purpose, secretHash: [UInt8], of user: UserID
    ) -> ItemKey {
        ItemKey("USER#\(user.text)", "LINK#\(purpose.rawValue)#\(Base64URL.encode(secretHash))")
    }

    package static func isUndoLink(_ row: ItemKey) -> Bool {
        row.sort.utf8.starts(with: "LINK#\(AccountLink.Purpose.undoEmail.rawValue)#".utf8)
    }

    /// An index entry of an account by its e-mail address, claimed or not, for searches by
    /// administrators.
    package static func emailUser(_ address: EmailAddress, _ user: UserID) -> ItemKey {
        ItemKey(emailClaim(address).partition, emailUserPrefix + user.text)
    }

    package static let emailUserPrefix = "USER#"

    /// The directory of all accounts, the newest first: a small row for each, written with the
    /// account. One partition takes 500 new accounts a second in DynamoDB.
    package static let directoryPartition = "USERS#ALL"

    package static func directory(_ user: User) -> ItemKey {
        ItemKey(directoryPartition, "\(latestFirst(user.createdAt))#\(user.id.text)")
    }

    /// The beginning of a sort key that puts the latest rows first.
    static func latestFirst(_ time: Instant) -> String {
        padded(max(0, latestMilliseconds - time.milliseconds), 13)
    }

    private static let latestMilliseconds: Int64 = 9_999_999_999_999

    /// How far housekeeping has gone through the directory (`DirectoryWalk`).
    package static let directoryWalk = ItemKey("USERS#STATE", "WALK")

    /// A row of the index by the beginnings of addresses and names. It is the only key with
    /// personal data, because a hash cannot be searched by a beginning. Operators can turn the
    /// index off.
    package static func searchable(_ term: SearchTerm, _ user: UserID) -> ItemKey {
        ItemKey(term.partition, "\(term.text)#\(user.text)")
    }

    /// The account in a sort key of that index.
    package static func searchedUser(_ sort: String) -> UserID? {
        sort.split(separator: "#").last.flatMap { UserID(parsing: String($0)) }
    }

    /// The account in a sort key of the directory, or of a client's users; nil for any other text.
    package static func directoryUser(_ sort: String) -> UserID? {
        let parts = sort.split(separator: "#", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 13,
            parts[0].utf8.allSatisfy(\.isDigit)
        else { return nil }
        return UserID(parsing: String(parts[1]))
    }

    /// The account with an integer ID, in contracts with integer IDs.
    package static func publicID(_ id: Int64) -> ItemKey { ItemKey("PUBLICID#\(id)", "OWNER") }

    /// The counter of assigned integer IDs.
    package static let publicIDCounter = ItemKey("PUBLICID#COUNTER", "COUNTER")

    /// The session of a refresh token that does not contain the session's ID.
    package static func refreshToken(hash: [UInt8]) -> ItemKey {
        ItemKey("REFRESH#\(Base64URL.encode(hash))", "TOKEN")
    }

    /// The accounts with a role: a small row for each, written with the change of the role.
    package static let roleHoldersPartition = "ROLES#ALL"

    package static func roleHolder(_ user: UserID) -> ItemKey {
        ItemKey(roleHoldersPartition, user.text)
    }

    /// The counts of one server in an hour or a day (`ActivityRecord`), the oldest first.
    package static func activity(_ window: ActivityWindow, _ number: Int64, of process: String)
        -> ItemKey
    {
        ItemKey(window.partition, "\(padded(number, 8))#\(process)")
    }

    /// The link for the first administrator. There is at most one.
    package static let firstAdministratorLink = ItemKey("FIRSTADMINISTRATOR#LINK", "HASH")

    /// An administrator's session.
    package static func adminSession(hash: [UInt8]) -> ItemKey {
        ItemKey("ADMINSESSION#\(Base64URL.encode(hash))", "SESSION")
    }

    /// A nonce that we issued. Each kind of one-time value has a separate namespace: a shared one
    /// allowed replaying a consumed link (Keycloak issue 47715).
    package static func challenge(nonce: String) -> ItemKey {
        ItemKey("CHALLENGE#\(digest([nonce]))", "NONCE")
    }

    /// A used identity token.
    package static func usedIdentityToken(fingerprint: [UInt8]) -> ItemKey {
        ItemKey("SPENT#\(Base64URL.encode(fingerprint))", "IDTOKEN")
    }

    /// A notification of an identity provider that was processed.
    package static func notification(issuer: String, id: String) -> ItemKey {
        ItemKey("NOTIFICATION#\(digest([issuer, id]))", "SEEN")
    }

    /// A dummy row that is written instead of a real one and never read, so that a request costs
    /// the same with and without an account. Its key is next to the real row's key: in a large
    /// table that place is not cached, and a partition for dummy rows always would be.
    package static func dummyRow(for key: ItemKey) -> ItemKey {
        ItemKey("\(key.partition)#DUMMY", key.sort)
    }

    package static func rate(_ limit: String, _ identifier: String, window: Int64) -> ItemKey {
        ItemKey("RATE#\(limit)#\(digest([identifier]))", "\(window)")
    }

    /// The counter of presentations of a DPoP proof.
    package static func presentations(ofProof fingerprint: [UInt8]) -> ItemKey {
        ItemKey("RATE#proof#\(Base64URL.encode(fingerprint))", "PRESENTED")
    }

    /// The events of a chain of the audit log (`AuditChain`), the newest first.
    package static func auditEvents(_ chain: String) -> String { auditPrefix + chain }

    package static let auditPrefix = "AUDIT#"

    /// nil if the partition does not belong to a chain.
    package static func auditChain(ofPartition name: String) -> AuditChain? {
        guard name.utf8.starts(with: auditPrefix.utf8) else { return nil }
        return String(name.utf8.dropFirst(auditPrefix.utf8.count)).flatMap(AuditChain.init(named:))
    }

    package static func audit(_ partition: String, sequence: Int64, id: UUIDText) -> ItemKey {
        ItemKey(partition, auditPrefix(sequence: sequence) + id.text)
    }

    /// The number counts down, so that a query finds the newest event first.
    package static func auditPrefix(sequence: Int64) -> String {
        "\(padded(Int64.max - max(0, sequence), 19))#"
    }

    /// Whether a text is a sort key of an event.
    package static func isAuditPlace(_ sort: String) -> Bool {
        sort.utf8.count <= 64 && auditSequence(ItemKey("AUDIT", sort)) != nil
    }

    /// The sequence number of an event, from its key.
    package static func auditSequence(_ key: ItemKey) -> Int64? {
        let parts = key.sort.split(separator: "#", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 19, let rest = Int64(parts[0]), rest >= 0
        else { return nil }
        return Int64.max - rest
    }

    /// The head of a chain.
    package static func auditHead(_ chain: String) -> ItemKey {
        let shard = Int(SHA256.hash(Array(chain.utf8))[0]) % auditHeadShards
        return ItemKey(auditHeads(shard: shard), chain)
    }

    /// Several shards, because one partition of DynamoDB takes 1,000 write units a second.
    package static let auditHeadShards = 64

    package static func auditHeads(shard: Int) -> String { "AUDITHEAD#\(shard)" }

    static func networkDigest(_ prefix: String) -> [UInt8] { digestBytes([prefix]) }

    /// A message that waits to be sent. The rows of a shard are in the order in which they are due.
    package static func outbox(shard: Int, due: String, id: String) -> ItemKey {
        ItemKey(outboxPartition(shard), "\(due)#\(id)")
    }

    package static func outboxPartition(_ shard: Int) -> String { "OUTBOX#\(shard)" }

    /// A deleted account with data to erase, or an identity that was removed from its account and
    /// has tokens to revoke, in the order in which they are due. One partition takes hundreds of
    /// deletions a second in DynamoDB.
    package static func deletion(
        of user: UserID, _ identity: IdentityDigest?, due: String
    ) -> ItemKey {
        ItemKey(
            deletionPartition, "\(due)#\(user.text)\(identity.map { "#\($0.text)" } ?? "")")
    }

    package static let deletionPartition = "DELETION#ALL"

    /// The check of a guest account, in the order in which the guests' sessions may have ended. One
    /// partition takes 500 new guests a second in DynamoDB.
    package static func guest(_ user: UserID, due: String) -> ItemKey {
        ItemKey(guestPartition, "\(due)#\(user.text)")
    }

    package static let guestPartition = "GUEST#ALL"

    /// A merged account with data to move, in the order in which they are due.
    package static func merge(of user: UserID, due: String) -> ItemKey {
        ItemKey(mergePartition, "\(due)#\(user.text)")
    }

    package static let mergePartition = "MERGE#ALL"

    package static func signingKeys(_ algorithm: String) -> String { "SIGNINGKEYS#\(algorithm)" }

    package static let lastHousekeeping = ItemKey("HOUSEKEEPING#ALL", "LASTRUN")

    /// The current master key.
    package static let masterKey = ItemKey("MASTERKEY#CURRENT", "SINCE")

    /// The index of rows with secrets that a master key encrypted (`SealedRowEntry`).
    static func sealedRows(shard: Int) -> String { "SEALED#\(shard)" }
}
