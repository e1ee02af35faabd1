internal import Bytes

/// The name of a condition key. Names are compared without regard to the case of ASCII letters.
package struct ContextKey: Sendable, Hashable {
    private let lowercased: [UInt8]

    init(utf8: some Sequence<UInt8>) {
        lowercased = utf8.map(\.lowercased)
    }

    package init(_ name: String) { self.init(utf8: name.utf8) }
}

/// The values of a request for conditions and policy variables.
package struct PolicyContext: Sendable {
    private enum Value: Sendable {
        case one(String)
        /// A key with any number of values.
        case many([String])
    }

    /// The last value of a key wins. A list instead of a dictionary, because filling it costs a
    /// third and most requests need no condition.
    private var values: [(key: ContextKey, value: Value)] = []

    package init() {}

    package mutating func set(_ name: String, _ value: String?) {
        if let value { values.append((ContextKey(name), .one(value))) }
    }

    package mutating func set(_ name: String, _ value: Bool) { set(name, value ? "true" : "false") }

    package mutating func set(_ name: String, all list: [String]) {
        values.append((ContextKey(name), .many(list)))
    }

    /// nil if the request does not have the key.
    func values(_ key: ContextKey) -> [String]? {
        switch value(key) {
        case .one(let value): [value]
        // An empty set counts as an absent key.
        case .many(let list): list.isEmpty ? nil : list
        case nil: nil
        }
    }

    /// The value of a policy variable: a key with several values has none.
    func singleValue(_ key: ContextKey) -> String? {
        if case .one(let value) = value(key) { value } else { nil }
    }

    private func value(_ key: ContextKey) -> Value? { values.last { $0.key == key }?.value }
}
