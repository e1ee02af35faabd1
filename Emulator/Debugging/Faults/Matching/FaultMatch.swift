internal import EmulatorBase
package import JSON

/// The requests that a fault or a gate affects: requests of a service with all of these properties.
package struct FaultMatch: Sendable {
    package let service: FaultService
    /// `*` matches any text; operations and methods can have alternatives: `PutItem|DeleteItem`.
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

    /// Whether the only condition is the provider's name `provider`.
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
