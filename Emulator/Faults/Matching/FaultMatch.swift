package import JSON

/// Which requests a fault or a gate concerns: those of a service, with all of these properties.
package struct FaultMatch: Sendable {
    package let service: FaultService
    /// `*` stands for any text; operations and methods may be several: `PutItem|DeleteItem`.
    package let patterns: [(field: FaultField, pattern: String)]

    package init(_ service: FaultService, _ patterns: [(field: FaultField, pattern: String)] = []) {
        self.service = service
        self.patterns = patterns
    }

    package func matches(_ subject: FaultSubject) -> Bool {
        subject.service == service
            && patterns.allSatisfy { field, pattern in
                field == .contains
                    ? subject.contains(pattern)
                    : field.alternatives(pattern).contains { pattern in
                        subject.values(field).contains { Wildcard.matches(pattern, $0) }
                    }
            }
    }

    /// Whether it is for this provider by name, and has no other condition.
    package func concernsOnly(provider: String) -> Bool {
        service == .provider && patterns.count == 1 && pattern(.provider) == provider
    }

    func pattern(_ field: FaultField) -> String? { patterns.first { $0.field == field }?.pattern }

    package var json: JSON {
        .object(
            JSONObject(
                [("service", .string(service.rawValue))]
                    + patterns.map { ($0.field.rawValue, .string($0.pattern)) }))
    }

    /// `dynamodb operation=UpdateItem`
    package var text: String {
        ([service.rawValue] + patterns.map { "\($0.field.rawValue)=\($0.pattern)" })
            .joined(separator: " ")
    }
}

/// Compares a text with a pattern in which `*` stands for any text.
enum Wildcard {
    static func matches(_ pattern: String, _ text: String) -> Bool {
        let pattern = Array(pattern.utf8)
        let text = Array(text.utf8)
        let star = UInt8(ascii: "*")
        var at = (pattern: 0, text: 0)
        // Where to continue if what follows the last star does not match.
        var retry: (pattern: Int, text: Int)?
        while at.text < text.count {
            if at.pattern < pattern.count, pattern[at.pattern] == star {
                retry = (at.pattern + 1, at.text)
                at.pattern += 1
            } else if at.pattern < pattern.count, pattern[at.pattern] == text[at.text] {
                at = (at.pattern + 1, at.text + 1)
            } else if let last = retry {
                retry = (last.pattern, last.text + 1)
                at = (last.pattern, last.text + 1)
            } else {
                return false
            }
        }
        return pattern[at.pattern...].allSatisfy { $0 == star }
    }
}
