enum SessionState {
    /// The store has not been read.
    case unknown
    case signedOut(SignOutCause)
    case signedIn(LiveSession)

    var live: LiveSession? { if case .signedIn(let live) = self { live } else { nil } }

    var isUnknown: Bool { if case .unknown = self { true } else { false } }

    func session() throws(AuthError) -> LiveSession {
        switch self {
        case .signedIn(let live): return live
        case .signedOut(.server(let code)): throw .signInAgain(code: code)
        case .signedOut, .unknown: throw .signedOut
        }
    }

    /// The event that reports this state to a new listener.
    var event: SessionEvent {
        switch self {
        case .unknown: .unknown
        case .signedOut(let cause): .signedOut(cause)
        case .signedIn(let live): .signedIn(live.record.session)
        }
    }
}
