package import EmulatorDebugging
internal import JSON
package import SQLite
internal import Synchronization
package import Time

/// Why a message could not be stored or read.
package enum MailboxFailure: Error, Sendable, Equatable {
    case database(SQLiteError)
    /// The stored data is invalid.
    case damaged
    case tooLarge
}

extension MailboxFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .database(let error): "sqlite: \(error.text) (code \(error.code))"
        case .damaged: "it is damaged"
        case .tooLarge: "a message is too large"
        }
    }
}

/// Limits of the mailbox. The oldest message is removed first.
package struct MailboxLimits: Sendable, Equatable {
    package var messagesMax: Int
    package var bytesMax: Int
    /// The number of clients that may wait for a message at a time.
    package var waitersMax: Int

    package init(messagesMax: Int = 10_000, bytesMax: Int = 512 << 20, waitersMax: Int = 1000) {
        self.messagesMax = messagesMax
        self.bytesMax = bytesMax
        self.waitersMax = waitersMax
    }
}

/// The storage of all mail, in a directory or in memory. Writes are kept even if the process is
/// killed immediately afterwards.
package final class Mailbox: Sendable {
    /// The limit of a message, the same as SES's.
    package static let messageBytesMax = 40 << 20

    package let limits: MailboxLimits
    /// The faults of SES and SMTP.
    package let faults: MailFaults
    let clock: WallClock
    private let state: Mutex<State>

    struct State: Sendable {
        let database: MailDatabase
        var count = 0
        var byteCount = 0
        var waiters: [Int: MailWaiter] = [:]
        var lastWaiter = 0
    }

    /// With a directory, the mailbox is stored in `mail.sqlite`; nil keeps it in memory.
    package init(
        directory: String?, limits: MailboxLimits = MailboxLimits(), clock: WallClock,
        faults: FaultList = FaultList()
    ) throws(MailboxFailure) {
        self.limits = limits
        self.faults = MailFaults(faults)
        self.clock = clock
        var state = State(
            database: try MailDatabase(file: directory.map { $0 + "/mail.sqlite" }))
        try state.readTotals()
        self.state = Mutex(state)
    }

    func locked<Result: Sendable>(
        _ body: (inout State) throws(MailboxFailure) -> Result
    ) throws(MailboxFailure) -> Result {
        try state.withLock { state throws(MailboxFailure) in try body(&state) }
    }

    /// Makes a change that cannot fail.
    func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in body(&state) }
    }

    /// Stores a message and notifies matching waiters.
    @discardableResult
    package func deliver(_ mail: IncomingMail) throws(MailboxFailure) -> Int64 {
        guard mail.raw.count <= Self.messageBytesMax else { throw .tooLarge }
        let summary = MailSummary(mail, MIMEMessage(mail.raw))
        let limits = limits
        let now = clock.now()
        let entry = try locked { state throws(MailboxFailure) in
            try state.add(mail.raw, summary, receivedAt: now, id: nil, limits)
        }
        answerWaiters(StoredMail(entry: entry, raw: mail.raw))
        return entry.id
    }

    package var count: Int { change { $0.count } }

    /// The matching messages, newest first.
    package func list(_ filter: MailFilter, limit: Int) throws(MailboxFailure) -> [MailEntry] {
        try locked { state throws(MailboxFailure) in
            var found: [MailEntry] = []
            guard limit > 0 else { return found }
            try state.search(filter, isRising: false) { entry in
                found.append(entry)
                return found.count < limit
            }
            return found
        }
    }

    package func message(_ id: Int64) throws(MailboxFailure) -> StoredMail? {
        try locked { state throws(MailboxFailure) in try state.message(id) }
    }

    /// The message with the ID that SES returned.
    package func message(messageID: String) throws(MailboxFailure) -> StoredMail? {
        try locked { state throws(MailboxFailure) in
            var id: Int64?
            try state.database.run(.byMessageID, [.text(messageID)]) {
                row throws(MailboxFailure) in
                id = try row.int(0)
                return false
            }
            guard let id else { return nil }
            return try state.message(id)
        }
    }

    /// Returns false if there is no such message.
    @discardableResult
    package func delete(_ id: Int64) throws(MailboxFailure) -> Bool {
        try locked { state throws(MailboxFailure) in try state.delete(id) }
    }

    package func deleteAll() throws(MailboxFailure) {
        try locked { state throws(MailboxFailure) in
            try state.database.run(.deleteAll)
            try state.readTotals()
        }
    }
}

extension Mailbox.State {
    mutating func readTotals() throws(MailboxFailure) {
        var totals = (count: 0, bytes: 0)
        try database.run(.totals) { row throws(MailboxFailure) in
            totals = (Int(clamping: try row.int(0)), Int(clamping: try row.int(1)))
            return true
        }
        count = totals.count
        byteCount = totals.bytes
    }

    /// nil assigns the next ID.
    mutating func add(
        _ raw: [UInt8], _ summary: MailSummary, receivedAt: Instant, id: Int64?,
        _ limits: MailboxLimits
    ) throws(MailboxFailure) -> MailEntry {
        let before = (count, byteCount)
        do throws(MailboxFailure) {
            return try database.transaction { () throws(MailboxFailure) in
                let entry = try insert(raw, summary, receivedAt: receivedAt, id: id)
                while count > 1 && (count > limits.messagesMax || byteCount > limits.bytesMax) {
                    try dropOldest()
                }
                return entry
            }
        } catch {
            (count, byteCount) = before
            throw error
        }
    }

    private mutating func insert(
        _ raw: [UInt8], _ summary: MailSummary, receivedAt: Instant, id: Int64?
    ) throws(MailboxFailure) -> MailEntry {
        var next: Int64 = 1
        try database.run(.newest) { row throws(MailboxFailure) in
            next = try row.int(0) + 1
            return true
        }
        let id = id ?? next
        try database.run(
            .add,
            [
                .integer(id), .integer(receivedAt.milliseconds), .integer(Int64(raw.count)),
                .text(summary.messageID), .bytes(MailFilter.haystack(summary.recipients)),
                .bytes(summary.json.serialized), .bytes(raw),
            ])
        count += 1
        byteCount += raw.count
        return MailEntry(
            id: id, receivedAt: receivedAt, byteCount: raw.count, summary: summary)
    }

    private mutating func dropOldest() throws(MailboxFailure) {
        var oldest: Int64?
        try database.run(.oldest) { row throws(MailboxFailure) in
            oldest = try row.int(0)
            return false
        }
        guard let oldest else { throw .damaged }
        try delete(oldest)
    }

    @discardableResult
    mutating func delete(_ id: Int64) throws(MailboxFailure) -> Bool {
        var size: Int64?
        try database.run(.delete, [.integer(id)]) { row throws(MailboxFailure) in
            size = try row.int(0)
            return true
        }
        guard let size else { return false }
        count -= 1
        byteCount -= Int(clamping: size)
        return true
    }

    /// Passes matching messages to `take` until it returns false.
    func search(
        _ filter: MailFilter, isRising: Bool, take: (MailEntry) throws(MailboxFailure) -> Bool
    ) throws(MailboxFailure) {
        try database.run(
            isRising ? .listUp : .listDown,
            [
                .integer(filter.after), .integer(filter.before),
                .integer(filter.since?.milliseconds ?? .min),
                filter.needle.map { .bytes($0) } ?? .null,
            ]
        ) { row throws(MailboxFailure) in
            let entry = try row.entry()
            return filter.matchesText(entry.summary) ? try take(entry) : true
        }
    }

    func message(_ id: Int64) throws(MailboxFailure) -> StoredMail? {
        var found: StoredMail?
        try database.run(.message, [.integer(id)]) { row throws(MailboxFailure) in
            found = StoredMail(entry: try row.entry(), raw: try row.bytes(4))
            return true
        }
        return found
    }
}
