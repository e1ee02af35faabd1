package import AuthDomain
internal import AuthRecords
internal import Bytes
package import Cryptography
internal import JSON
package import KeyValueStore
package import Time

/// Sends mail by way of an outbox: a message is written, sealed, in the transaction of the change
/// that causes it, and deleted when it has been sent. So no message is lost, and none is sent for a
/// change that did not happen.
///
///     let message = try auth.mail.prepare(mail, auth: auth, at: now)
///     try stored { try auth.store.write([change, message.write]) }
///     message.deliver()
package struct MailServices: Sendable {
    /// `MAIL_DELIVERY`
    package enum Delivery: String, CaseIterable, Sendable {
        /// By the function that causes the message, once its caller has the answer.
        case afterReply = "after-reply"
        /// By housekeeping only.
        case outbox
    }

    package typealias Report = @Sendable (MailOutcome) -> Void

    private let sealing: AESGCMKey
    private let sender: MailSender
    private let delivery: Delivery
    let report: Report

    package init(
        sealing: AESGCMKey, sender: MailSender, delivery: Delivery = .afterReply,
        report: @escaping Report = { _ in }
    ) {
        self.sealing = sealing
        self.sender = sender
        self.delivery = delivery
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
        // The first attempt is this request's own: the row is born with a lease.
        let isOurs = delivery == .afterReply
        let record = OutboxRecord(
            id: id, due: isOurs ? OutboxSchedule.nextAttempt(after: 1, at: now) : now,
            attempts: isOurs ? 1 : 0,
            validUntil: mail.expiresAt ?? now + OutboxSchedule.lifetime, sealed: sealed)
        guard isOurs else { return PreparedMail(write: .put(record.item, when: [])) {} }
        return PreparedMail(write: .put(record.item, when: [])) {
            auth.afterReply.add { deadline in attempt(mail, record, auth, deadline) }
        }
    }

    /// The first attempt, in the time that the invocation has left. Whatever it does not do is done
    /// when the lease has ended.
    private func attempt(
        _ mail: Mail, _ record: OutboxRecord, _ auth: AuthServices, _ deadline: Instant?
    ) {
        let now = auth.clock.now()
        var limit = OutboxSchedule.attemptMax
        if let deadline { limit = min(limit, deadline - Self.deadlineMargin - now) }
        // A process that was suspended in between may wake up when the lease is over.
        guard limit >= Self.attemptMin, now + limit <= record.due else { return }
        _ = try? send(mail, record, auth, limit)
    }

    /// Left of an invocation for what follows an attempt.
    private static let deadlineMargin = Span.milliseconds(500)
    private static let attemptMin = Span.seconds(1)
}

extension MailServices {
    /// What came of one attempt at a message.
    enum Attempt: Equatable, Sendable {
        case sent, dropped
        case failed(MailFailure)
    }

    /// One attempt at a message that the caller has claimed. The row goes when nothing is left to
    /// be done; otherwise it is due again when the claim ends.
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
        // Failing to delete it repeats the message when the claim ends, and no earlier.
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
        // A failure leaves the row to the next run of housekeeping.
        _ = try remove(.delete(record.key, when: []), mail, reason, auth)
        return .dropped
    }

    /// Removes the row of a message that is given up, and records it in the audit log. False if the
    /// row is not as the removal expects it.
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

    /// nil for a row that another master key sealed.
    func open(_ record: OutboxRecord) -> Mail? {
        guard let bytes = try? sealing.open(record.sealed, additional: Self.context(record.id))
        else { return nil }
        return MailCodec.decode(bytes.reveal())
    }

    /// A message opens only under the id that it was sealed for.
    private static func context(_ id: [UInt8]) -> [UInt8] { Array("latchkey mail\0".utf8) + id }
}

/// A message that waits for the change which causes it.
package struct PreparedMail: Sendable {
    /// The row of the outbox: part of the transaction of that change.
    package let write: Write
    private let delivery: @Sendable () -> Void

    fileprivate init(write: Write, delivery: @escaping @Sendable () -> Void) {
        self.write = write
        self.delivery = delivery
    }

    /// Call it when the transaction has been made. The message is sent when the caller has its
    /// answer, so that the time of the answer does not tell that there was one; what fails then is
    /// left to the outbox.
    package func deliver() { delivery() }
}

/// The words of a mail in its sealed row.
private enum MailCodec {
    static func encode(_ mail: Mail) -> [UInt8] {
        var values = JSONObject()
        for (name, value) in mail.values.sorted(by: { $0.key < $1.key }) {
            values[name] = .string(value)
        }
        var object: JSONObject = [
            "kind": .string(mail.kind.rawValue), "to": .string(mail.to), "values": .object(values),
        ]
        if let language = mail.language { object["language"] = .string(language) }
        if let expiresAt = mail.expiresAt { object["expiresAt"] = .number(expiresAt.milliseconds) }
        return object.serialized
    }

    static func decode(_ bytes: [UInt8]) -> Mail? {
        guard let json = try? JSON.parse(bytes, limits: .request),
            let kind = json["kind"]?.stringValue.flatMap(Mail.Kind.init(rawValue:)),
            let to = json["to"]?.stringValue, let members = json["values"]?.objectValue?.members
        else { return nil }
        var values: [String: String] = [:]
        for member in members { values[member.name] = member.value.stringValue }
        let expiresAt = json["expiresAt"]?.int64Value.map(Instant.init(milliseconds:))
        return Mail(
            kind, to: to, language: json["language"]?.stringValue, values: values,
            expiresAt: expiresAt)
    }
}
