package import AuthDomain
internal import AuthRecords
internal import Bytes
package import Cryptography
internal import JSON
package import KeyValueStore
package import Time

/// Sends mail through an outbox: a message is written, encrypted, in the transaction of the change
/// that causes it, and deleted when it has been sent. So no message is lost, and none is sent for a
/// change that did not happen.
///
///     let message = try auth.mail.prepare(mail, auth: auth, at: now)
///     try stored { try auth.store.write([change, message.write]) }
///     message.deliver()
package struct MailServices: Sendable {
    /// `MAIL_DELIVERY`, and `WEBHOOK_DELIVERY` for events
    package enum Delivery: String, CaseIterable, Sendable {
        /// The function that causes the message sends it, after its reply.
        case afterReply = "after-reply"
        /// Only housekeeping sends messages.
        case outbox
    }

    package typealias Report = @Sendable (MailOutcome) -> Void

    private let sealing: AESGCMKey
    private let sender: MailSender
    private let delivery: Delivery
    let report: Report
    /// nil if a hook sends the mail, which has its own templates.
    package let previews: MailPreviews?

    package init(
        sealing: AESGCMKey, sender: MailSender, delivery: Delivery = .afterReply,
        previews: MailPreviews? = nil, report: @escaping Report = { _ in }
    ) {
        self.sealing = sealing
        self.sender = sender
        self.delivery = delivery
        self.previews = previews
        self.report = report
    }

    /// The outbox row of the message, to be written with the change that causes it, and its
    /// delivery.
    package func prepare(
        _ mail: Mail, auth: AuthServices, at now: Instant
    ) throws(AuthError) -> PreparedMail {
        let id = auth.random.bytes(OutboxRecord.idByteCount)
        let plain = MailCodec.encode(mail)
        guard
            let sealed = try? sealing.seal(
                plain, additional: Self.context(id), random: auth.random)
        else { throw .fault(.signingFailed) }
        // This request makes the first attempt, so the row is written with a lease.
        let isOurs = delivery == .afterReply
        let record = OutboxRecord(
            id: id, due: isOurs ? OutboxSchedule.nextAttempt(after: 1, at: now) : now,
            attempts: isOurs ? 1 : 0,
            validUntil: mail.expiresAt ?? now + OutboxSchedule.lifetime, sealed: sealed)
        let write = Write.put(record.item, when: [])
        guard isOurs else { return PreparedMail(kind: mail.kind, write: write) {} }
        return PreparedMail(kind: mail.kind, write: write) {
            auth.afterReply.add { deadline in attempt(mail, record, auth, deadline) }
        }
    }

    /// Sends a test mail at once, without the outbox. nil if a hook sends the mail.
    ///
    /// - Parameter limit: how long it may take.
    func test(
        _ to: EmailAddress, _ auth: AuthServices, within limit: Span
    ) -> MailTest? {
        let id = Hex.encode(auth.random.bytes(OutboxRecord.idByteCount))
        return sender.test.map { $0(to, id, limit) }
    }

    /// The first attempt, in the time that the invocation has left. If it is not made, housekeeping
    /// sends the message when the lease has ended.
    private func attempt(
        _ mail: Mail, _ record: OutboxRecord, _ auth: AuthServices, _ deadline: Instant?
    ) {
        let now = auth.clock.now()
        var limit = OutboxSchedule.attemptMax
        if let deadline { limit = min(limit, deadline - Self.deadlineMargin - now) }
        // A process that was suspended in between may resume after the lease has ended.
        guard limit >= Self.attemptMin, now + limit <= record.due else { return }
        _ = try? send(mail, record, auth, limit)
    }

    /// The time reserved after an attempt, before the deadline of the invocation.
    private static let deadlineMargin = Span.milliseconds(500)
    private static let attemptMin = Span.seconds(1)
}

extension MailServices {
    /// The result of one attempt to send a message.
    enum Attempt: Equatable, Sendable {
        case sent, dropped
        case failed(MailFailure)
    }

    /// Makes one attempt to send a message that the caller has claimed. The row is deleted if no
    /// further attempt is needed; otherwise it is due again when the claim ends.
    func send(
        _ mail: Mail, _ record: OutboxRecord, _ auth: AuthServices, _ limit: Span
    ) throws(AuthError) -> Attempt {
        do {
            try sender.send(mail, Hex.encode(record.id), limit)
        } catch {
            switch error {
            case .addressRejected: return try drop(mail, .addressRejected, record, auth)
            case .notRenderable: return try drop(mail, .notRenderable, record, auth)
            case .unavailable, .refused, .unreadable:
                return try failed(mail, error, record, auth)
            }
        }
        report(.sent(mail.kind, attempt: record.attempts))
        // If the deletion fails, the message is sent again, but not before the claim ends.
        try? auth.store.write([.delete(record.key, when: [])])
        return .sent
    }

    func failed(
        _ mail: Mail?, _ failure: MailFailure, _ record: OutboxRecord, _ auth: AuthServices
    ) throws(AuthError) -> Attempt {
        guard record.attempts < OutboxSchedule.attemptsMax else {
            let reason: MailDropReason =
                failure == .unreadable ? .unreadable : .attemptsExhausted
            return try drop(mail, reason, record, auth)
        }
        report(.failed(mail?.kind, attempt: record.attempts, failure))
        return .failed(failure)
    }

    private func drop(
        _ mail: Mail?, _ reason: MailDropReason, _ record: OutboxRecord, _ auth: AuthServices
    ) throws(AuthError) -> Attempt {
        // If this fails, the next run of housekeeping removes the row.
        _ = try remove(.delete(record.key, when: []), mail, reason, auth)
        return .dropped
    }

    /// Removes the row of a message that is not tried again, and records it in the audit log. False
    /// if the conditions of the removal do not hold.
    func remove(
        _ removal: Write, _ mail: Mail?, _ reason: MailDropReason, _ auth: AuthServices
    ) throws(AuthError) -> Bool {
        var audit = auth.audit(
            mail.flatMap { EmailAddress(parsing: $0.to) }.map(AuditChain.email) ?? .mail)
        let kind = mail?.kind.rawValue ?? "unknown"
        audit.record(
            .mailDropped, Caller(), detail: "\(kind).\(reason.rawValue)", at: auth.clock.now())
        guard try auth.commit([removal], &audit) else { return false }
        report(.dropped(mail?.kind, reason))
        return true
    }

    /// nil for a row that was encrypted with a master key that is not configured.
    func open(_ record: OutboxRecord) -> Mail? {
        guard let bytes = try? sealing.open(record.sealed, additional: Self.context(record.id))
        else { return nil }
        return MailCodec.decode(bytes.reveal())
    }

    /// Encrypts the account's ID, which is a part of the request's secret. Without encryption, two
    /// requests for one address would show the same ID, and whether there is an account.
    func seal(_ user: UserID, random: RandomSource) throws(AuthError) -> [UInt8] {
        guard
            let sealed = try? sealing.seal(
                user.uuid.bytes, additional: Self.accountContext, random: random)
        else { throw .fault(.signingFailed) }
        return sealed
    }

    /// - Returns: the account, and the bytes after it; nil if the bytes were not encrypted here.
    func openAccount(_ bytes: [UInt8]) -> (user: UserID, rest: [UInt8])? {
        let count = AESGCMKey.nonceByteCount + 16 + AESGCMKey.tagByteCount
        guard bytes.count >= count,
            let plain = try? sealing.open(
                Array(bytes[..<count]), additional: Self.accountContext)
        else { return nil }
        return (UserID(UUIDText(bytes: plain.reveal())), Array(bytes[count...]))
    }

    private static let accountContext = Array("latchkey mailed account\0".utf8)

    /// A message can be decrypted only with the ID for which it was encrypted.
    private static func context(_ id: [UInt8]) -> [UInt8] { Array("latchkey mail\0".utf8) + id }
}

/// A message whose outbox row is not written yet.
package struct PreparedMail: Sendable {
    let kind: Mail.Kind
    /// The outbox row, for the transaction of the change that causes the message.
    package let write: Write
    private let delivery: @Sendable () -> Void

    fileprivate init(
        kind: Mail.Kind, write: Write, delivery: @escaping @Sendable () -> Void
    ) {
        self.kind = kind
        self.write = write
        self.delivery = delivery
    }

    /// Call it after the transaction is committed. The message is sent after the reply, so that the
    /// response time does not reveal whether there was a message; a failed attempt is repeated from
    /// the outbox.
    package func deliver() { delivery() }
}

/// Serialises a mail for its encrypted row.
private enum MailCodec {
    static func encode(_ mail: Mail) -> [UInt8] {
        var values = JSONObject()
        for (name, value) in mail.values.sorted(by: { $0.key < $1.key }) {
            values[name] = .string(value)
        }
        var object: JSONObject = [
            "kind": .string(mail.kind.rawValue), "to": .string(mail.to), "values": .object(values),
            "user": .string(mail.user?.text ?? noUser),
        ]
        if let language = mail.language { object["language"] = .string(language) }
        if let expiresAt = mail.expiresAt { object["expiresAt"] = .number(expiresAt.milliseconds) }
        return object.serialized
    }

    /// The filler is as long as an ID, so that the size of a row does not reveal whether there is
    /// an account.
    private static let noUser = String(repeating: "-", count: 36)

    static func decode(_ bytes: [UInt8]) -> Mail? {
        guard let json = try? JSON.parse(bytes, limits: .request),
            let kind = json["kind"]?.stringValue.flatMap(Mail.Kind.init(rawValue:)),
            let to = json["to"]?.stringValue, let members = json["values"]?.objectValue?.members
        else { return nil }
        var values: [String: String] = [:]
        for member in members { values[member.name] = member.value.stringValue }
        let expiresAt = json["expiresAt"]?.int64Value.map(Instant.init(milliseconds:))
        return Mail(
            kind, to: to, user: json["user"]?.stringValue.flatMap(UserID.init(parsing:)),
            language: json["language"]?.stringValue, values: values,
            expiresAt: expiresAt)
    }
}
