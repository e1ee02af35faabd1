internal import JSON

/// Holds matching requests until a number of them has arrived, then releases them in an order.
package struct GatePlan: Sendable {
    package enum Order: Sendable, Equatable {
        case arrival, reverse
        /// The numbers of the requests in their order of arrival, from 1. A number that occurs
        /// twice duplicates its request; a missing number drops its request.
        case numbers([Int])
    }

    package var match: FaultMatch
    package var arrivals: Int
    package var order: Order
    /// The time from the first arrival. After it, the requests held so far are released in the
    /// order of arrival.
    package var timeoutMilliseconds: Int
    /// Whether all requests are released at once, instead of each after the response to the
    /// previous one.
    package var isTogether: Bool

    package init(
        _ match: FaultMatch, arrivals: Int, order: Order = .arrival,
        timeoutMilliseconds: Int = FaultLimits.gateMilliseconds, isTogether: Bool = false
    ) {
        self.match = match
        self.arrivals = arrivals
        self.order = order
        self.timeoutMilliseconds = timeoutMilliseconds
        self.isTogether = isTogether
    }

    /// The indices of the held requests, in the order of their release.
    func releases(of count: Int) -> [Int] {
        switch order {
        case .arrival: Array(0..<count)
        case .reverse: Array((0..<count).reversed())
        case .numbers(let numbers): numbers.map { $0 - 1 }.filter { $0 < count }
        }
    }

    package var text: String {
        let order =
            switch order {
            case .arrival: "in the order of arrival"
            case .reverse: "in reverse"
            case .numbers(let numbers): "as \(numbers.map(String.init).joined(separator: ","))"
            }
        return "\(match.text): \(arrivals) arrivals, let through \(order)"
            + (isTogether ? ", together" : "")
    }
}

/// A gate and its requests.
package struct Gate: Sendable {
    package enum Phase: String, Sendable {
        /// Waits for requests.
        case waiting
        case releasing
        case done
        /// Too few requests arrived in time.
        case timedOut = "timed-out"
        /// Opened by a command.
        case opened
    }

    package enum Fate: Sendable, Equatable {
        /// 0 if the connection was reset.
        case answered(status: Int)
        case unanswered
        case dropped
    }

    package struct Release: Sendable, Equatable {
        /// The order of arrival, from 1.
        package let arrival: Int
        package let isCopy: Bool
        package let fate: Fate
    }

    package let id: Int
    package let plan: GatePlan
    package var phase = Phase.waiting
    package var arrived: [FaultSubject] = []
    package var releases: [Release] = []
}
