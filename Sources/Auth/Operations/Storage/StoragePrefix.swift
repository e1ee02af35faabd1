internal import AuthDomain

/// A prefix of the bucket that is literal in a policy.
///
/// Policies interpret `*`, `?` and `${…}`; some clients interpret `..`; and `users/1` is a prefix
/// of `users/10`. So a prefix consists of plain segments and always ends in `/`.
package struct StoragePrefix: Equatable, Sendable {
    package static let bytesMax = 512
    package static let segmentsMax = 16

    package let text: String

    package init?(parsing raw: String) {
        let bytes = Array(raw.utf8)
        guard bytes.count >= 2, bytes.count <= Self.bytesMax, bytes.last == slash else {
            return nil
        }
        let segments = bytes.dropLast().split(separator: slash, omittingEmptySubsequences: false)
        guard segments.count <= Self.segmentsMax, segments.allSatisfy(Self.isPlain) else {
            return nil
        }
        text = raw
    }

    /// ASCII letters, digits and `-_.=@+,` are literal in ARNs, policies, JSON, XML and URLs.
    private static func isPlain(_ segment: ArraySlice<UInt8>) -> Bool {
        guard !segment.isEmpty, !segment.allSatisfy({ $0 == UInt8(ascii: ".") }) else {
            return false
        }
        return segment.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_.=@+,".utf8.contains(byte)
            }
        }
    }

    /// The prefix of a user: `template` with `{userId}` replaced. nil unless the placeholder is a
    /// whole segment.
    package init?(template: String, user: String) {
        let parts = template.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.filter({ $0 == "{userId}" }).count == 1,
            !user.utf8.contains(slash)
        else { return nil }
        let filled = parts.map { $0 == "{userId}" ? user : String($0) }.joined(separator: "/")
        self.init(parsing: filled)
    }

    /// A part of this prefix: relative to it, or in full as returned earlier.
    package func narrowed(to asked: String) -> StoragePrefix? {
        let ended = asked.utf8.last == slash ? asked : asked + "/"
        let full = ended.utf8.starts(with: text.utf8) ? ended : text + ended
        guard let narrowed = StoragePrefix(parsing: full),
            narrowed.text.utf8.starts(with: text.utf8)
        else { return nil }
        return narrowed
    }
}

private let slash = UInt8(ascii: "/")
