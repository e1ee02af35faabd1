import AuthTestSupport

/// What happens in a run, decided before it begins, so that parts of it can be left out.
struct Plan: Equatable, Sendable {
    struct Step: Equatable, Sendable {
        /// In the plan of the seed.
        let number: Int
        let call: ClientCall
        let device: Int
        let app: Int
        let choice: Int
    }

    struct Round: Equatable, Sendable {
        var steps: [Step]
        /// After it: faults end, and every honest app must work.
        var settles: Bool
        /// What passes after that, in seconds.
        var pause: Int64
        /// How many things may happen before the next round begins, if not all.
        var limit: Int?
    }

    let seed: UInt64
    var rounds: [Round]
    /// Left out, beside those that the seed leaves out.
    var without: [Fault] = []

    static let people = 3
    /// Of each person.
    static let devices = 2

    init(seed: UInt64) {
        self.seed = seed
        var random = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        let weights = ClientCall.allCases.map { call in
            // Some runs have more of some calls.
            random.happens(25) ? call.weight * 4 : call.weight
        }
        let total = weights.reduce(0, +)
        var number = 0
        func call() -> ClientCall {
            var left = Int(random.next(below: UInt64(total)))
            for (call, weight) in zip(ClientCall.allCases, weights) {
                left -= weight
                if left < 0 { return call }
            }
            return .profile
        }
        // Somebody is there at the beginning.
        rounds = Self.opening(&number, &random)
        for index in 0..<24 {
            let count = 1 + Int(random.next(below: 4))
            let steps = (0..<count).map { _ in
                number += 1
                return Step(
                    number: number, call: call(),
                    device: Int(random.next(below: UInt64(Self.people * Self.devices))),
                    app: random.happens(80) ? 0 : 1, choice: Int(random.next(below: 1 << 20)))
            }
            let settles = index % 4 == 3
            rounds.append(
                Round(
                    steps: steps, settles: settles,
                    pause: settles ? Self.pause(&random) : Int64(random.next(below: 4)),
                    limit: random.happens(30) ? 5 + Int(random.next(below: 60)) : nil))
        }
    }

    private static func opening(_ number: inout Int, _ random: inout SplitMix64) -> [Round] {
        var rounds: [Round] = []
        for calls in [[ClientCall.register], [.verifyByLink]] {
            var steps: [Step] = []
            for person in 0..<people {
                for call in calls {
                    number += 1
                    steps.append(
                        Step(
                            number: number, call: call, device: person * devices, app: 0,
                            choice: 0))
                }
            }
            rounds.append(Round(steps: steps, settles: false, pause: 1, limit: nil))
        }
        return rounds
    }

    private static func pause(_ random: inout SplitMix64) -> Int64 {
        switch random.next(below: 4) {
        case 0: 30
        case 1: 16 * 60
        case 2: 3 * 3600
        default: Int64(random.next(below: 40)) * 3600
        }
    }
}
