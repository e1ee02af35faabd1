internal import Bytes
internal import EmulatorBase
package import Time

/// Selects messages.
package struct MailFilter: Sendable, Equatable {
    /// An address, or `@` and a domain: any recipient, including Bcc.
    package var to: String?
    /// A substring of the subject.
    package var subject: String?
    package var since: Instant?
    package var after: Int64 = 0
    package var before = Int64.max
    /// Whether to include messages that were not sent.
    package var includesFailed = true

    package init() {}

    func matches(_ entry: MailEntry) -> Bool {
        entry.id > after && entry.id < before && (since.map { entry.receivedAt >= $0 } ?? true)
            && (to.map { matches(entry.summary.recipients, $0) } ?? true)
            && matchesText(entry.summary)
    }

    /// The conditions that are not checked in SQL.
    func matchesText(_ summary: MailSummary) -> Bool {
        (includesFailed || summary.failure == nil)
            && (subject.map { summary.subject.containsIgnoringCase($0) } ?? true)
    }

    private func matches(_ recipients: [String], _ to: String) -> Bool {
        Self.haystack(recipients).firstRange(of: needle ?? []) != nil
    }

    /// The bytes to search for in a row's recipients.
    var needle: [UInt8]? {
        to.map { to in
            let isDomain = to.utf8.first == UInt8(ascii: "@")
            return (isDomain ? [] : [0x0A]) + to.utf8.map(\.lowercased) + [0x0A]
        }
    }

    /// Addresses are separated by line feeds, which none of them contains.
    static func haystack(_ recipients: [String]) -> [UInt8] {
        recipients.reduce(into: [0x0A]) { bytes, recipient in
            bytes += recipient.utf8.map(\.lowercased)
            bytes.append(0x0A)
        }
    }
}
