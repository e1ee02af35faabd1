package import AuthDomain
package import AuthOperations
package import JSON

/// One wire format of the system: its routes, bodies, errors, lifetimes and limits, as a value.
///
/// A contract knows no storage and an operation knows no contract. To add one, write one file
/// that makes such a value and name it in `Contract.all`.
package struct Contract: Sendable {
    package let name: String
    package let policy: Policy
    package let endpoints: [Endpoint]
    /// How a problem looks from outside; in one exhaustive switch per contract.
    package let face: @Sendable (Problem, Operation) -> Face

    package init(
        name: String, policy: Policy, endpoints: [Endpoint],
        face: @escaping @Sendable (Problem, Operation) -> Face
    ) {
        self.name = name
        self.policy = policy
        self.endpoints = endpoints
        self.face = face
    }

    package static let all: [Contract] = [.latchkey, .whateat, .photolala]

    package static func named(_ name: String) -> Contract? {
        all.first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}

/// What a caller may want; one executable serves one or two of these.
package enum Operation: String, Sendable, CaseIterable {
    case challenge, signIn, refresh, signOut, me, listSessions, revokeSession, credentials
    case keySet, discovery
}

/// One route and how its bodies are read and written.
package struct Endpoint: Sendable {
    package let operation: Operation
    /// nil: this endpoint has no HTTP face and is invoked directly.
    package let route: Route?
    package let exchange: Exchange
    /// How a direct invoke chooses among the endpoints of one executable.
    package let selector: DirectSelector?

    package init(
        _ operation: Operation, _ route: Route?, _ exchange: Exchange,
        selectedBy selector: DirectSelector? = nil
    ) {
        self.operation = operation
        self.route = route
        self.exchange = exchange
        self.selector = selector
    }
}

/// `POST /auth/signin`, `DELETE /auth/sessions/{id}`.
package struct Route: Equatable, Sendable {
    package let method: String
    package let path: String

    package static func get(_ path: String) -> Route { Route(method: "GET", path: path) }
    package static func post(_ path: String) -> Route { Route(method: "POST", path: path) }
    package static func delete(_ path: String) -> Route { Route(method: "DELETE", path: path) }

    /// The values of `{…}` segments when `path` is one of this route.
    package func match(_ path: String) -> [String: String]? {
        let pattern = self.path.utf8.split(separator: slash, omittingEmptySubsequences: false)
        let actual = path.utf8.split(separator: slash, omittingEmptySubsequences: false)
        guard pattern.count == actual.count else { return nil }
        var parameters: [String: String] = [:]
        for (expected, segment) in zip(pattern, actual) {
            if expected.first == UInt8(ascii: "{"), expected.last == UInt8(ascii: "}") {
                guard !segment.isEmpty else { return nil }
                let name = String(Substring(expected.dropFirst().dropLast()))
                parameters[name] = String(Substring(segment))
            } else if !expected.elementsEqual(segment) {
                return nil
            }
        }
        return parameters
    }
}

private let slash = UInt8(ascii: "/")

/// A member of a direct payload that asks for this endpoint, with the value it must have.
package struct DirectSelector: Equatable, Sendable {
    package let member: String
    package let value: String?

    package init(_ member: String, is value: String? = nil) {
        self.member = member
        self.value = value
    }
}

/// An answer without the envelope of any platform.
package struct Answer: Equatable, Sendable {
    package var status: Int
    package var body: JSON?
    package var headers: [(name: String, value: String)]

    package init(
        _ status: Int, _ body: JSON?, headers: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.body = body
        self.headers = headers
    }

    /// 200.
    package init(_ body: JSON?) { self.init(200, body) }

    package static func == (left: Answer, right: Answer) -> Bool {
        left.status == right.status && left.body == right.body
            && left.headers.elementsEqual(right.headers) { $0 == $1 }
    }
}

/// How a problem looks from outside: a status, a code, a sentence, the field that is meant.
package struct Face: Equatable, Sendable {
    package let answer: Answer
    /// For the log.
    package let code: StaticCode

    package init(_ answer: Answer, code: StaticCode) {
        self.answer = answer
        self.code = code
    }
}

/// A code of a contract's table: only literals can become one, so no value of a request does.
package struct StaticCode: Equatable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    package init(stringLiteral text: StaticString) { self.text = "\(text)" }
}
