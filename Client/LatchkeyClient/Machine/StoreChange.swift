/// A change of the stored record.
enum StoreChange {
    /// A refresh with these tokens is about to be sent.
    case doubt(Revision)
    /// Replaces an earlier generation of the session or, by a sign-in, any session.
    case put(SessionRecord, over: LiveSession.Storage, deviceToken: String? = nil)
    case remove(Removal)
    /// Stores or removes the secret of a mail.
    case mail(MailPurpose, PendingMail?)
    case trust(deviceToken: String)

    /// Whether the change also replaces an unreadable record.
    var replacesUnreadable: Bool {
        switch self {
        case .doubt, .mail, .trust: false
        case .put(_, let storage, _): storage == .unsavedSignIn
        case .remove(let removal): removal.isAny
        }
    }

    /// - Returns: whether the record has changed.
    func apply(to record: inout StoredRecord) -> Bool {
        let stored = record.session
        switch self {
        case .doubt(let spent):
            guard stored?.revision == spent else { return false }
            record.session?.awaitsRefresh = true
        case .put(var session, let storage, let deviceToken):
            if storage != .unsavedSignIn {
                guard let stored, stored.id == session.id, stored.generation <= session.generation
                else { return false }
            }
            // Another process is refreshing these tokens.
            if let stored, stored.revision == session.revision, stored.awaitsRefresh == true {
                session.awaitsRefresh = true
            }
            record.session = session
            if let deviceToken { record.deviceToken = deviceToken }
        case .remove(let removal):
            guard let stored, removal.covers(stored.revision) else { return false }
            record.session = nil
        case .mail(let purpose, let mail):
            if record.mails[purpose.rawValue] == mail { return false }
            record.mails[purpose.rawValue] = mail
        case .trust(let token): record.deviceToken = token
        }
        return true
    }
}

/// Sessions that have ended here and may still be stored.
struct Removal {
    /// Whether the store could not be read, or still has a session that this client has replaced.
    var isAny = false
    /// The highest ended generation of each session, by session ID. Another process may have stored
    /// a later one.
    var generations: [String: Int] = [:]

    init() {}

    /// - Parameter generation: the current one if nil.
    init(_ live: LiveSession, upTo generation: Int? = nil) {
        isAny = live.storage == .unsavedSignIn
        generations = [live.record.id: generation ?? live.record.generation]
    }

    var isEmpty: Bool { !isAny && generations.isEmpty }

    func covers(_ revision: Revision) -> Bool {
        isAny || generations[revision.id].map { revision.generation <= $0 } ?? false
    }
}

/// The record that is stored after a change, and whether the change was made.
struct Written {
    let record: StoredRecord
    let isChanged: Bool
}
