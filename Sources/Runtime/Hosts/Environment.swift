internal import Glibc
internal import Synchronization

/// A snapshot of the environment variables. It may contain secrets, so it cannot be printed.
package struct Environment: Sendable {
    /// Keyed by bytes: names that are canonically equivalent as `String` are different variables.
    private let values: [[UInt8]: String]
    private var record: Record?

    package init(_ variables: [(name: String, value: String)]) {
        values = Dictionary(
            variables.map { (Array($0.name.utf8), $0.value) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The value; nil if unset or not UTF-8. An empty value counts as unset, because templates
    /// cannot omit a variable.
    package subscript(name: String) -> String? {
        record?.names.withLock { $0.append(name) }
        return values[Array(name.utf8)].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Records which variables are read.
    final class Record: Sendable {
        let names = Mutex<[String]>([])
    }

    func recorded(in record: Record) -> Environment {
        var environment = self
        environment.record = record
        return environment
    }

    /// The variables with this prefix, without the prefix, sorted by name.
    func variables(withPrefix prefix: String) -> [(name: String, value: String)] {
        values.filter { $0.key.starts(with: prefix.utf8) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map {
                (String(decoding: $0.key.dropFirst(prefix.utf8.count), as: UTF8.self), $0.value)
            }
    }

    /// The variables of this process, read once at the start.
    package static func current() -> Environment {
        var variables: [(name: String, value: String)] = []
        var entry = environ
        while let pointer = entry.pointee {
            entry += 1
            guard let text = String(validatingCString: pointer),
                let equals = text.utf8.firstIndex(of: UInt8(ascii: "="))
            else { continue }
            let value = text.utf8[text.utf8.index(after: equals)...]
            variables.append((String(text[..<equals]), String(Substring(value))))
        }
        return Environment(variables)
    }
}

// All three, or string interpolation, `dump` or a failed expectation would print the values.
extension Environment: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<environment of \(values.count) variables>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
