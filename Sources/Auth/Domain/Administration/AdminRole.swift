/// The rights of an administrator. Each role includes the ones before it.
package enum AdminRole: String, CaseIterable, Comparable, Sendable {
    /// May see users, their timelines, and the state of the deployment.
    case viewer
    /// May also sign out, disable and enable users, and mail links to them.
    case support
    case administrator

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .support: 1
        case .administrator: 2
        }
    }

    package static func < (left: AdminRole, right: AdminRole) -> Bool { left.rank < right.rank }
}
