internal import Bytes
internal import EmulatorBase
internal import JSON

/// A text of a live session that must not be written to a fixture, and its placeholder.
struct KnownValue {
    enum Origin {
        /// The value is from the response to an earlier event of the session, at a path in its
        /// body.
        case answer(entry: Int, path: String)
        case idToken(recipe: JSON)
        /// The client has chosen the value.
        case made(String)
    }

    /// The name of its placeholder during the session; in a fixture it may have a shorter one.
    let name: String
    let stem: String
    let text: String
    let origin: Origin
}

/// An event of the session, with placeholders.
struct SessionEntry {
    let number: Int
    let function: String
    let event: JSON
    let status: Int64
    let isReading: Bool
    /// Whether the request replaces everything that earlier requests wrote at its path: `PUT` (RFC
    /// 9110 section 9.3.4).
    let isReplacing: Bool
    /// The resource of the call, if its path names one.
    let path: String?
    /// Whether STS had to grant a role.
    let givesCredentials: Bool
    /// The names of the values that it contains.
    let consumed: Set<String>
    /// The marks of the people that it refers to.
    let people: Set<String>
    /// Why it cannot be repeated; nil if a step can repeat it.
    let obstacle: String?
}

/// The values and events of a recorder's session.
struct RecorderState {
    private(set) var values: [KnownValue] = []
    var entries: [SessionEntry] = []
    private(set) var aliases: [Alias] = []
    private var substitutions = Substitutions()
    /// The recorded shapes and the names of their fixtures.
    var recorded: [(shape: String, name: String)] = []

    private var userAgents: [String] = []

    static let entriesMax = 2000
    private static let userAgentBytesMin = 8

    mutating func add(_ text: String, from origin: KnownValue.Origin, called stem: String) {
        guard !values.contains(where: { $0.text.isSame(as: text) }) else { return }
        let name = "\(stem)x\(values.count)"
        values.append(KnownValue(name: name, stem: stem, text: text, origin: origin))
        substitutions.add(text, placeholder: name)
    }

    /// Replaces the client's `user-agent` by the one of the short form, in events, and in responses
    /// that repeat it.
    mutating func standardise(userAgent: String) {
        // A shorter text may be a word of a body.
        guard userAgent.contains("/"), userAgent.utf8.count >= Self.userAgentBytesMin,
            !userAgents.containsText(userAgent)
        else { return }
        userAgents.append(userAgent)
        substitutions.add(userAgent, mark: ShortEvent.userAgent)
    }

    func withStandardUserAgent(_ text: String) -> String {
        userAgents.reduce(text) { $0.replacing($1, with: ShortEvent.userAgent) }
    }

    func value(_ name: String) -> KnownValue? { values.first { $0.name.isSame(as: name) } }

    /// The mark that replaces a person's data; equal texts get equal marks.
    @discardableResult
    mutating func alias(_ kind: Alias.Kind, _ text: String) -> String {
        if let known = aliases.first(where: { $0.text.isSame(as: text) }) { return known.mark }
        let alias = Alias(kind: kind, text: text, number: aliases.count)
        aliases.append(alias)
        switch kind {
        case .address, .subject: substitutions.add(text, mark: alias.mark)
        // A name is replaced only as a complete string, because it may be a part of any word.
        case .name: substitutions.add("\"\(text)\"", mark: "\"\(alias.mark)\"")
        }
        return alias.mark
    }

    /// The text with all known values replaced by placeholders and marks, and the names of the
    /// placeholders.
    func concealed(_ text: String) -> (text: String, names: Set<String>) {
        let (text, placeholders) = substitutions.apply(to: text)
        return (text, placeholders)
    }

    func concealed(_ json: JSON) -> (json: JSON, names: Set<String>) {
        var names: Set<String> = []
        let concealed = EventRewriting.map(json) { text in
            let (text, found) = self.concealed(text)
            names.formUnion(found)
            return text
        }
        return (concealed, names)
    }
}

/// A replacement for a text that identifies a person.
struct Alias {
    enum Kind { case address, subject, name }

    let kind: Kind
    let text: String
    let number: Int

    /// STX: does not normally occur in a JSON text.
    static let markStart: UInt8 = 2
    private static let markEnd: UInt8 = 3

    var mark: String { "\u{2}\(number)\u{3}" }

    static func numbers(in text: String) -> [Int] {
        text.utf8.split(separator: markStart, omittingEmptySubsequences: false).dropFirst()
            .compactMap { piece in
                piece.firstIndex(of: markEnd).flatMap { Int(Substring(piece[..<$0])) }
            }
    }

    func shown(as number: Int) -> String {
        switch kind {
        case .address: "person-\(number)@example.com"
        case .subject: "subject-\(number)"
        case .name: "Person \(number)"
        }
    }
}

/// The texts of a fixture that replace marks, numbered in the order of their first use.
struct ShownAliases: Sendable {
    private var texts: [(mark: String, text: String)] = []

    mutating func add(_ numbers: [Int], of state: RecorderState) {
        for number in numbers {
            guard let alias = state.aliases.first(where: { $0.number == number }),
                !texts.contains(where: { $0.mark.isSame(as: alias.mark) })
            else { continue }
            texts.append((alias.mark, alias.shown(as: texts.count + 1)))
        }
    }

    func applied(to text: String) -> String {
        guard text.utf8.contains(Alias.markStart) else { return text }
        return texts.reduce(text) { $0.replacing($1.mark, with: $1.text) }
    }
}

// Finds the earlier events that a fixture depends on.
extension RecorderState {
    /// The earlier events that a fixture with these values and people needs, in order: events that
    /// issued one of the values, and events that changed something with one of the values, for the
    /// same person, or at the same path.
    func preconditions(
        _ names: Set<String>, people: Set<String>, path: String?
    ) -> (entries: [Int], names: Set<String>) {
        var names = names.union(nonces(of: names))
        var people = people
        let changes = changes(at: path)
        var needed: Set<Int> = []
        var count = -1
        while count != needed.count {
            count = needed.count
            for (index, entry) in entries.enumerated().reversed() where !needed.contains(index) {
                let made = produced(by: index)
                let isTouching =
                    !entry.isReading
                    && !(entry.consumed.isDisjoint(with: names)
                        && entry.people.isDisjoint(with: people))
                guard isTouching || changes.contains(index) || !made.isDisjoint(with: names) else {
                    continue
                }
                needed.insert(index)
                names.formUnion(made)
                names.formUnion(entry.consumed)
                names.formUnion(nonces(of: entry.consumed))
                people.formUnion(entry.people)
            }
        }
        return (needed.sorted(), names)
    }

    /// The successful changes of the resource at this path, from its last replacement on.
    private func changes(at path: String?) -> Set<Int> {
        guard let path else { return [] }
        var found: Set<Int> = []
        for (index, entry) in entries.enumerated().reversed() {
            guard entry.path?.isSame(as: path) == true, !entry.isReading, entry.obstacle == nil,
                (200..<300).contains(entry.status)
            else { continue }
            found.insert(index)
            if entry.isReplacing { break }
        }
        return found
    }

    private func produced(by entry: Int) -> Set<String> {
        var names: Set<String> = []
        for value in values {
            if case .answer(entry, _) = value.origin { names.insert(value.name) }
        }
        return names
    }

    /// The values that the claims of these tokens refer to.
    func nonces(of names: Set<String>) -> Set<String> {
        var found: Set<String> = []
        for name in names {
            guard case .idToken(let recipe)? = value(name)?.origin,
                let nonce = recipe["claims"]?["nonce"]?.stringValue
            else { continue }
            found.formUnion(Placeholder.names(in: nonce))
        }
        return found
    }

    /// The subjects of these tokens.
    func people(of names: Set<String>) -> Set<String> {
        var people: Set<String> = []
        for name in names {
            guard case .idToken(let recipe)? = value(name)?.origin else { continue }
            recipe["claims"]?["sub"]?.stringValue.map { _ = people.insert($0) }
        }
        return people
    }
}
