/// The races and failures of a refresh, for `emulator gate run` and the dashboard.
package enum RefreshPreset: String, CaseIterable, Sendable {
    case held, reordered, doubled, lost
    case signOut = "sign-out"

    package var summary: String {
        switch self {
        case .held: "two refreshes that both have read the session; their writes in order"
        case .reordered: "two refreshes that both have read the session; the second writes first"
        case .doubled: "the network delivers one refresh twice"
        case .lost: "the answer to a refresh is lost, and the app tries again"
        case .signOut: "a sign-out between the read and the write of a refresh"
        }
    }

    /// Whether the session must be active afterwards.
    var keepsSession: Bool { self != .signOut }
}
