internal import Glibc
internal import Synchronization

/// A snapshot of the environment variables. It may contain secrets, so it cannot be printed.
package struct Environment: Sendable {
    /// The variables, sorted by the bytes of their names: names that are canonically equivalent as
    /// `String` are different variables. If a name occurs twice, the first value is used.
    ///
    /// This is not a dictionary with bytes as keys, because the runtime's search for the
    /// conformance of such keys costs a start more than all lookups.
    private var variables: [(name: String, value: String)] = []
    private var record: Record?

    package init(_ variables: [(name: String, value: String)]) {
        self.variables.reserveCapacity(variables.count)
        for variable in variables {
            let place = place(of: variable.name)
            if !place.isTaken { self.variables.insert(variable, at: place.index) }
        }
    }

    private func place(of name: String) -> (index: Int, isTaken: Bool) {
        var (low, high) = (0, variables.count)
        while low < high {
            let middle = (low + high) / 2
            switch name.compareBytes(with: variables[middle].name) {
            case 0: return (middle, true)
            case ..<0: high = middle
            default: low = middle + 1
            }
        }
        return (low, false)
    }

    /// The value; nil if unset or not UTF-8. An empty value counts as unset, because templates
    /// cannot omit a variable.
    package subscript(name: String) -> String? {
        record?.names.withLock { $0.append(name) }
        let place = place(of: name)
        guard place.isTaken else { return nil }
        let value = variables[place.index].value
        return value.isEmpty ? nil : value
    }

    /// The same variables, one of them with another value.
    package func setting(_ name: String, to value: String) -> Environment {
        var environment = self
        let place = place(of: name)
        if place.isTaken {
            environment.variables[place.index].value = value
        } else {
            environment.variables.insert((name, value), at: place.index)
        }
        return environment
    }

    /// Whether the variable is set, even if it is empty.
    package func has(_ name: String) -> Bool { place(of: name).isTaken }

    /// The variables, sorted by name. They are not recorded as read.
    package var all: [(name: String, value: String)] { variables }

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
        variables.filter { $0.name.utf8.starts(with: prefix.utf8) }
            .map { (String(Substring($0.name.utf8.dropFirst(prefix.utf8.count))), $0.value) }
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

// All three conformances are needed: otherwise string interpolation, `dump` or a failed expectation
// would print the values.
extension Environment: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<environment of \(variables.count) variables>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
    /// Negative, zero or positive.
    fileprivate func compareBytes(with other: String) -> Int {
        let (left, right) = (utf8.span, other.utf8.span)
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return Int(left[index]) - Int(right[index])
        }
        return left.count - right.count
    }
}
