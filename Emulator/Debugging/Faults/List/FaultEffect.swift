/// The effect of a fault on a request.
package enum FaultEffect: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case error, delay, hang, reset, throttle, lose

        /// A description for the list of effects.
        package var sentence: String {
            switch self {
            case .error: "Answers with the error of that name; the service does nothing."
            case .delay: "Waits for that many milliseconds, then serves the request."
            case .hang: "Does not answer; after that many milliseconds the connection is reset."
            case .reset: "Resets the connection; the service does nothing."
            case .throttle: "Answers with the service's throttling error."
            case .lose:
                "The service does its work, and its answer is lost: the connection is reset, "
                    + "hangs, or has an error instead (answer)."
            }
        }
    }

    /// The name of an error in the service's catalogue.
    case error(String)
    case delay
    case hang
    case reset
    case throttle
    case lose(LostAnswer)

    package var kind: Kind {
        switch self {
        case .error: .error
        case .delay: .delay
        case .hang: .hang
        case .reset: .reset
        case .throttle: .throttle
        case .lose: .lose
        }
    }
}

/// The client's view of a lost response.
package enum LostAnswer: Sendable, Equatable {
    case reset, hang
    case error(String)

    package var text: String {
        switch self {
        case .reset: "reset"
        case .hang: "hang"
        case .error(let name): name
        }
    }
}

package enum FaultLimits {
    package static let faultsMax = 64
    package static let gatesMax = 16
    package static let countMax: Int64 = 1_000_000
    package static let millisecondsMax: Int64 = 600_000
    package static let patternBytesMax = 1024
    package static let arrivalsMax: Int64 = 64
    /// The maximum number of releases of one request.
    package static let releasesMax = 128
    /// The maximum number of requests that are delayed, hanging or at a gate at the same time.
    package static let heldMax = 200
    package static let delayMilliseconds = 1000
    package static let hangMilliseconds = 60_000
    package static let gateMilliseconds = 10_000
}

/// A fault as defined by the user.
package struct FaultRule: Sendable {
    package var match: FaultMatch
    package var effect: FaultEffect
    /// The duration of a delay or a hang; for an error, a delay before it.
    package var milliseconds: Int?
    /// The number of affected requests; nil for no limit.
    package var count: Int?
    /// The number of matching requests that are served first.
    package var skip: Int
    /// nil affects each matching request.
    package var probability: Double?
    package var seed: UInt64

    package init(
        _ match: FaultMatch, _ effect: FaultEffect, milliseconds: Int? = nil, count: Int? = nil,
        skip: Int = 0, probability: Double? = nil, seed: UInt64 = 0
    ) {
        self.match = match
        self.effect = effect
        self.milliseconds = milliseconds
        self.count = count
        self.skip = skip
        self.probability = probability
        self.seed = seed
    }

    /// `dynamodb operation=UpdateItem: lose, 2 times`
    package var text: String {
        var words = "\(match.text): \(effect.kind.rawValue)"
        switch effect {
        case .error(let name): words += " \(name)"
        case .lose(let answer): words += ", \(answer.text)"
        case .delay, .hang, .reset, .throttle: break
        }
        if let milliseconds { words += " \(milliseconds) ms" }
        if let count { words += count == 1 ? ", once" : ", \(count) times" }
        if let probability { words += ", probability \(probability)" }
        return words
    }
}
