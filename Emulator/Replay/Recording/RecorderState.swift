internal import Bytes
internal import JSON

/// A text of a live session that no fixture may hold, and what stands for it.
struct KnownValue {
    enum Origin {
        /// The answer to an earlier event of the session, and where in its body.
        case answer(entry: Int, path: String)
        case idToken(recipe: JSON)
        /// Something that the caller made up.
        case made(String)
    }

    /// The name of its placeholder while the session lasts; in a fixture it may have a shorter one.
    let name: String
    let stem: String
    let text: String
    let origin: Origin
}

/// An event of the session, with placeholders.
struct SessionEntry {
    let function: String
    let event: JSON
    let status: Int64
    let isReading: Bool
    /// Whether STS had to say yes.
    let givesCredentials: Bool
    /// The names of the values that it holds.
    let consumed: Set<String>
    /// Marks of the people whom it is about.
    let people: Set<String>
    /// Why it cannot be repeated; nil when a step can repeat it.
    let obstacle: String?
}

/// What a recorder has seen so far.
struct RecorderState {
    private(set) var values: [KnownValue] = []
    var entries: [SessionEntry] = []
    private(set) var aliases: [Alias] = []
    private var substitutions = Substitutions()
    /// The shapes that were recorded, and under which name.
    var recorded: [(shape: String, name: String)] = []

    static let entriesMax = 2000

    mutating func add(_ text: String, from origin: KnownValue.Origin, called stem: String) {
        guard !values.contains(where: { $0.text.isSame(as: text) }) else { return }
        let name = "\(stem)x\(values.count)"
        values.append(KnownValue(name: name, stem: stem, text: text, origin: origin))
        substitutions.add(text, placeholder: name)
    }

    func value(_ name: String) -> KnownValue? { values.first { $0.name.isSame(as: name) } }

    /// The mark that stands for a person's data; the same text gets the same.
    @discardableResult
    mutating func alias(_ kind: Alias.Kind, _ text: String) -> String {
        if let known = aliases.first(where: { $0.text.isSame(as: text) }) { return known.mark }
        let alias = Alias(kind: kind, text: text, number: aliases.count)
        aliases.append(alias)
        switch kind {
        case .address, .subject: substitutions.add(text, mark: alias.mark)
        // A name may be a part of any word.
        case .name: substitutions.add("\"\(text)\"", mark: "\"\(alias.mark)\"")
        }
        return alias.mark
    }

    /// The text with a placeholder or a mark for all that is known, and the names of the
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

/// What stands for something that says who a person is.
struct Alias {
    enum Kind { case address, subject, name }

    let kind: Kind
    let text: String
    let number: Int

    /// STX, as good as never in a JSON text.
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

// What has to happen before.
extension RecorderState {
    /// The earlier events that a fixture with these values and people needs, in order: those that
    /// made one of the values, and those that did something with one, or with the same person.
    func preconditions(
        _ names: Set<String>, people: Set<String>
    ) -> (entries: [Int], names: Set<String>) {
        var names = names.union(nonces(of: names))
        var people = people
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
                guard isTouching || !made.isDisjoint(with: names) else { continue }
                needed.insert(index)
                names.formUnion(made)
                names.formUnion(entry.consumed)
                names.formUnion(nonces(of: entry.consumed))
                people.formUnion(entry.people)
            }
        }
        return (needed.sorted(), names)
    }

    private func produced(by entry: Int) -> Set<String> {
        var names: Set<String> = []
        for value in values {
            if case .answer(entry, _) = value.origin { names.insert(value.name) }
        }
        return names
    }

    /// The values that the recipes of these tokens name.
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

    /// The people whom these tokens are about.
    func people(of names: Set<String>) -> Set<String> {
        var people: Set<String> = []
        for name in names {
            guard case .idToken(let recipe)? = value(name)?.origin else { continue }
            recipe["claims"]?["sub"]?.stringValue.map { _ = people.insert($0) }
        }
        return people
    }
}
