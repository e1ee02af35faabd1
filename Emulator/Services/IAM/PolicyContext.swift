/// The name of a condition key. Names are compared without regard to the case of ASCII letters.
package struct ContextKey: Sendable, Hashable {
    private let lowercased: [UInt8]

    init(utf8: some Sequence<UInt8>) {
        lowercased = utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    package init(_ name: String) { self.init(utf8: name.utf8) }
}

/// What is known of a request: the values that conditions and variables read.
package struct PolicyContext: Sendable {
    private enum Value: Sendable {
        case one(String)
        /// A key that can have several values, perhaps none.
        case many([String])
    }

    /// The later one counts. Most requests meet no condition: a list is filled at a third of what a
    /// dictionary costs, and read rarely.
    private var values: [(key: ContextKey, value: Value)] = []

    package init() {}

    package mutating func set(_ name: String, _ value: String?) {
        if let value { values.append((ContextKey(name), .one(value))) }
    }

    package mutating func set(_ name: String, _ value: Bool) { set(name, value ? "true" : "false") }

    package mutating func set(_ name: String, all list: [String]) {
        values.append((ContextKey(name), .many(list)))
    }

    /// nil where the request does not have the key.
    func values(_ key: ContextKey) -> [String]? {
        switch value(key) {
        case .one(let value): [value]
        // A set without members is an absent key.
        case .many(let list): list.isEmpty ? nil : list
        case nil: nil
        }
    }

    /// What a variable stands for: a key with several values stands for nothing.
    func singleValue(_ key: ContextKey) -> String? {
        if case .one(let value) = value(key) { value } else { nil }
    }

    private func value(_ key: ContextKey) -> Value? { values.last { $0.key == key }?.value }
}
