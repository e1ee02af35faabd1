import Contracts

/// The executables and what each serves: their `main.swift` files, for a run inside the test.
enum FunctionTable {
    static let served: [(name: String, operations: [Operation])] = [
        ("challenge", [.challenge]), ("signin", [.signIn]), ("refresh", [.refresh]),
        ("signout", [.signOut]), ("me", [.me]), ("sessions", [.listSessions, .revokeSession]),
        ("credentials", [.credentials]), ("keys", [.keySet, .discovery]), ("authorizer", []),
    ]

    static var names: [String] { served.map(\.name) }

    static func operations(of name: String) -> [Operation]? {
        served.first { $0.name == name }?.operations
    }
}
