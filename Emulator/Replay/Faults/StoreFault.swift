internal import EmulatorBase
internal import EmulatorDebugging

/// The faults of a call to the store.
enum StoreFault: String, CaseIterable {
    /// The store does nothing and answers with an error, however often the call is repeated.
    case refused
    /// The store does its work each time, and its answer is lost each time.
    case lost
    /// The store does its work, and the connection ends before the answer; a repetition is
    /// answered.
    case lostOnce

    var text: String {
        switch self {
        case .refused: "is refused"
        case .lost: "is carried out, but its answer is lost"
        case .lostOnce: "is carried out, but its answer is lost once"
        }
    }

    /// Whether the fault affects only one attempt of the call.
    var isSingle: Bool { self == .lostOnce }

    /// Whether the call can have been carried out.
    var mayHaveHappened: Bool { self == .lost || self == .lostOnce }

    /// For a read, it makes no difference whether it is refused or its answer is lost.
    func applies(to call: StoreCall) -> Bool { self == .refused || call.isWrite }

    /// The answer of the store; nil if the connection ends without one.
    var response: ServerResponse? {
        switch self {
        case .refused, .lost:
            FaultErrors.named("InternalServerError", .dynamodb)?.response(.dynamodb)
        case .lostOnce: nil
        }
    }
}
