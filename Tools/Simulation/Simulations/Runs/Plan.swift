import AuthTestSupport

/// The events of a run, decided before it begins, so that some can be left out.
struct Plan: Equatable, Sendable {
    struct Step: Equatable, Sendable {
        /// The number of the step in the seed's plan.
        let number: Int
        let call: ClientCall
        let device: Int
        let app: Int
        let choice: Int
    }

    struct Round: Equatable, Sendable {
        var steps: [Step]
        /// Whether faults end after this round. Every honest app must work then.
        var settles: Bool
        /// The time until the next round, in seconds.
        var pause: Int64
        /// The maximum number of events before the next round begins; nil for all.
        var limit: Int?
    }

    let seed: UInt64
    var rounds: [Round]
    /// Calls that are more frequent in this run.
    private(set) var theme: [ClientCall] = []
    private(set) var frequent: [ClientCall] = []
    /// Faults that are left out, in addition to those that the seed leaves out.
    var without: [Fault] = []

    /// Whether the run begins with functions of the former release.
    var beginsWithFormer: Bool { seed % 8 == 5 && !rounds.isEmpty }
    /// How many rounds at the beginning have only functions of the former release (`formerOnly`),
    /// and until which round some functions are of the former release (`formerEnd`).
    static let formerOnly = 6
    static let formerEnd = 11

    static let people = 3
    /// The number of devices of each person.
    static let devices = 2

    /// - Parameter admits: whether the contract has a call.
    init(
        seed: UInt64, _ features: Set<Feature> = [], admits: (ClientCall) -> Bool = { _ in true }
    ) {
        self.seed = seed
        var random = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        let ordered = Feature.allCases.filter(features.contains)
        let themes = Self.themes + ordered.flatMap { Self.themesOfFeatures[$0] ?? [] }
        let storms = Self.storms + ordered.flatMap { Self.stormsOfFeatures[$0] ?? [] }
        let possible = ClientCall.allCases.filter { $0.feature.map(features.contains) ?? true }
        let theme =
            random.happens(60) ? themes[Int(random.next(below: UInt64(themes.count)))] : []
        let (drawn, frequent) = Self.weights(of: possible, theme, &random, admits)
        // The flows of these features begin when a user grants access.
        let isAboutAccess = features.contains(where: \.isOfProvider)
        let weights = zip(possible, drawn).map { call, weight in
            isAboutAccess && call == .grantAccess ? weight * 4 : weight
        }
        let total = weights.reduce(0, +)
        var number = 0
        func call() -> ClientCall {
            var left = Int(random.next(below: UInt64(total)))
            for (call, weight) in zip(possible, weights) {
                left -= weight
                if left < 0 { return call }
            }
            return .profile
        }
        // First, every person gets an account.
        rounds = Self.opening(&number, &random, admits)
        var next: [Step] = []
        for index in 0..<24 {
            var steps = next
            next = []
            if random.happens(25) { steps += Self.storm(of: storms, &number, &random, admits) }
            for _ in 0...random.next(below: 4) {
                number += 1
                let isNear = !steps.isEmpty && random.happens(35)
                let step = Step(
                    number: number, call: call(),
                    device: isNear
                        ? steps[0].device
                        : Int(random.next(below: UInt64(Self.people * Self.devices))),
                    app: random.happens(60) ? 0 : 1, choice: Int(random.next(below: 1 << 20)))
                steps.append(step)
                // Secrets in mails are used, sometimes by two apps at once.
                guard let answers = step.call.answers, random.happens(75) else { continue }
                let answer = answers[Int(random.next(below: UInt64(answers.count)))]
                guard admits(answer) else { continue }
                for app in random.happens(40) ? [0, 1] : [step.app] {
                    number += 1
                    next.append(
                        Step(
                            number: number, call: answer, device: step.device, app: app, choice: 1))
                }
            }
            let settles = index % 4 == 3
            rounds.append(
                Round(
                    steps: steps, settles: settles,
                    pause: settles ? Self.pause(&random) : Int64(random.next(below: 4)),
                    limit: random.happens(30) ? 5 + Int(random.next(below: 60)) : nil))
        }
        (self.theme, self.frequent) = (theme, frequent)
        if beginsWithFormer { leaveToFormer() }
    }

    /// Concurrent calls of one person that are known to race.
    private static func storm(
        of storms: [[(ClientCall, Int, Int)]], _ number: inout Int, _ random: inout SplitMix64,
        _ admits: (ClientCall) -> Bool
    ) -> [Step] {
        let storm = storms[Int(random.next(below: UInt64(storms.count)))]
        let first = Int(random.next(below: UInt64(people))) * devices
        let choice = Int(random.next(below: 1 << 20))
        var steps: [Step] = []
        for (call, device, app) in storm where admits(call) {
            number += 1
            steps.append(
                Step(number: number, call: call, device: first + device, app: app, choice: choice))
        }
        return steps
    }

    /// How often each call is drawn, and the calls that are more frequent in this run.
    private static func weights(
        of possible: [ClientCall], _ theme: [ClientCall], _ random: inout SplitMix64,
        _ admits: (ClientCall) -> Bool
    ) -> (weights: [Int], frequent: [ClientCall]) {
        var frequent: [ClientCall] = []
        let weights = possible.map { call in
            if random.happens(25) { frequent.append(call) }
            let weight =
                (frequent.last == call ? call.weight * 4 : call.weight)
                * (theme.contains(call) ? 6 : 1)
            return admits(call) ? weight : 0
        }
        return (weights, frequent)
    }

    /// Keeps only calls that the former release also has.
    private mutating func leaveToFormer() {
        for (index, round) in rounds.prefix(Self.formerEnd).enumerated() {
            rounds[index].steps = round.steps.compactMap { step in
                guard step.call == .register || FormerRelease.calls.contains(step.call) else {
                    return nil
                }
                let call = step.call == .register ? .signInWithProvider : step.call
                return Step(
                    number: step.number, call: call, device: step.device, app: step.app,
                    choice: step.choice)
            }
        }
    }

    /// Calls that belong together, and would rarely occur together otherwise.
    private static let themes: [[ClientCall]] = [
        [.enrolFactor, .removeFactor, .logIn, .requestLink, .redeemLink],
        [.signUpWithPasskey, .signInWithPasskey, .addPasskey, .removePasskey],
        [.beginAsGuest, .keepGuest, .signInWithProvider, .deleteAccount],
        [.refresh, .cancelledRefresh, .logIn, .signOut, .changePassword, .killApp],
        [.disableUser, .enableUser, .signOutUser, .deploy, .rotateKey, .retireKey],
    ]

    private static let themesOfFeatures: [Feature: [[ClientCall]]] = [
        .accountChanges: themesOfChanges, .provider: themesOfProvider,
        .boundTokens: [[.grantAccess, .abuseKey, .useAccess, .refreshAccess]],
        .clientDocuments: [[.grantAccess, .changeDocument, .refreshAccess, .useAccess]],
        .programsEnd: [
            [.grantAccess, .deleteProgram, .registerProgram, .refreshAccess, .changeProgram]
        ],
        .devices: [
            [.beginDevice, .typeCode, .pollDevice, .abuseDevice],
            [.beginDevice, .typeCode, .pollDevice, .leaveBrowser, .removeApplication],
        ],
        .logout: [
            [.grantAccess, .leaveByProgram, .leaveBrowser, .stopReceiver],
            [.grantAccess, .changePassword, .signOutEverywhere, .disableUser, .deleteAccount],
        ],
    ]

    private static let stormsOfFeatures: [Feature: [[(ClientCall, Int, Int)]]] = [
        .accountChanges: stormsOfChanges, .provider: stormsOfProvider,
        .boundTokens: [
            [(.abuseKey, 0, 0), (.refreshAccess, 0, 0)], [(.abuseKey, 0, 0), (.useAccess, 0, 0)],
        ],
        .clientDocuments: [[(.grantAccess, 0, 0), (.changeDocument, 0, 0)]],
        .programsEnd: [
            [(.grantAccess, 0, 0), (.deleteProgram, 0, 0)],
            [(.refreshAccess, 0, 0), (.deleteProgram, 0, 0), (.useAccess, 0, 0)],
            [(.registerProgram, 0, 0), (.deleteProgram, 0, 0)],
        ],
        .devices: [
            [(.typeCode, 0, 0), (.typeCode, 1, 0)], [(.typeCode, 0, 0), (.pollDevice, 0, 0)],
            [(.pollDevice, 0, 0), (.pollDevice, 1, 0)],
            [(.typeCode, 0, 0), (.leaveBrowser, 0, 0), (.pollDevice, 1, 0)],
            [(.pollDevice, 0, 0), (.signOutEverywhere, 1, 0)],
            [(.pollDevice, 0, 0), (.disableUser, 0, 0)],
            [(.pollDevice, 0, 0), (.removeApplication, 1, 0)],
        ],
        .logout: [
            [(.grantAccess, 0, 0), (.leaveByProgram, 0, 0)],
            [(.leaveByProgram, 0, 0), (.leaveBrowser, 0, 0)],
            [(.leaveByProgram, 0, 0), (.signOutEverywhere, 1, 0)],
            [(.stopReceiver, 0, 0), (.leaveBrowser, 0, 0), (.grantAccess, 0, 0)],
            [(.grantAccess, 0, 0), (.changePassword, 1, 0), (.leaveByProgram, 0, 0)],
        ],
    ]

    private static let themesOfChanges: [[ClientCall]] = [
        [.changeEmail, .confirmEmail, .undoEmail, .logIn, .register],
        [.linkIdentity, .removeMethod, .undoChange, .addPassword, .addPasskey],
        [.signInOnPage, .mergeSessions, .stepUp, .signInWithProvider, .beginAsGuest],
    ]

    private static let themesOfProvider: [[ClientCall]] = [
        [.grantAccess, .useAccess, .refreshAccess, .abuseAccess],
        [.grantAccess, .refreshAccess, .revokeAccess, .removeApplication, .leaveBrowser],
        [.grantAccess, .refreshAccess, .changePassword, .disableUser, .signOutEverywhere],
        [.grantAccess, .answerForAnother, .changeProgram, .registerProgram],
    ]

    private static let stormsOfProvider: [[(ClientCall, Int, Int)]] = [
        [(.refreshAccess, 0, 0), (.refreshAccess, 0, 0)],
        [(.refreshAccess, 0, 0), (.revokeAccess, 0, 0)],
        [(.refreshAccess, 0, 0), (.removeApplication, 0, 0)],
        [(.refreshAccess, 0, 0), (.signOutEverywhere, 1, 0)],
        [(.refreshAccess, 0, 0), (.disableUser, 0, 0)],
        [(.grantAccess, 0, 0), (.removeApplication, 0, 0)],
        [(.grantAccess, 0, 0), (.changePassword, 1, 0)],
        [(.grantAccess, 0, 0), (.leaveBrowser, 0, 0)],
        [(.grantAccess, 0, 0), (.grantAccess, 1, 0), (.answerForAnother, 1, 0)],
    ]

    private static let stormsOfChanges: [[(ClientCall, Int, Int)]] = [
        [(.confirmEmail, 0, 0), (.confirmEmail, 0, 1)],
        [(.confirmEmail, 0, 0), (.confirmEmail, 1, 0)],
        [(.undoEmail, 0, 0), (.undoEmail, 1, 0)],
        [(.undoEmail, 0, 0), (.logIn, 1, 0)],
        [(.undoEmail, 0, 0), (.addPasskey, 1, 0)],
        [(.undoChange, 0, 0), (.enrolFactor, 1, 0)],
        [(.removeMethod, 0, 0), (.removeMethod, 1, 0)],
        [(.removeMethod, 0, 0), (.signInWithProvider, 1, 0)],
        [(.confirmEmail, 0, 0), (.register, 1, 0)],
        [(.signInOnPage, 0, 0), (.signOutEverywhere, 1, 0)],
    ]

    /// Calls that compete for the same rows, each with the number of the person's device and of the
    /// app.
    private static let storms: [[(ClientCall, Int, Int)]] = [
        [(.refresh, 0, 0), (.signOut, 0, 1)],
        [(.refresh, 0, 0), (.logIn, 0, 1)],
        [(.refresh, 0, 0), (.refresh, 0, 1), (.signOut, 0, 0)],
        [(.changePassword, 0, 0), (.refresh, 0, 1)],
        [(.refresh, 0, 0), (.refresh, 0, 1), (.signOutEverywhere, 1, 0)],
        [(.refresh, 0, 0), (.changePassword, 1, 0)],
        [(.changePassword, 0, 0), (.changePassword, 1, 0)],
        [(.refresh, 0, 0), (.deleteAccount, 1, 0)],
        [(.signInWithProvider, 0, 0), (.signInWithProvider, 1, 0)],
        [(.redeemLink, 0, 0), (.redeemLink, 0, 1)],
        [(.resetByLink, 0, 0), (.resetByLink, 0, 1)],
        [(.verifyByLink, 0, 0), (.verifyByLink, 1, 0)],
        [(.logIn, 0, 0), (.signOutEverywhere, 1, 0)],
        [(.changePassword, 0, 0), (.deleteAccount, 1, 0)],
        [(.changePassword, 0, 0), (.signOutEverywhere, 1, 0)],
        [(.resetByLink, 0, 0), (.deleteAccount, 1, 0)],
        [(.changePassword, 0, 0), (.disableUser, 1, 0)],
        [(.refresh, 0, 0), (.disableUser, 0, 0)],
        [(.logIn, 0, 0), (.signOutUser, 0, 0)],
        [(.resetByLink, 0, 0), (.disableUser, 0, 0)],
        [(.logIn, 0, 0), (.logIn, 1, 0)],
        [(.enrolFactor, 0, 0), (.changePassword, 1, 0)],
        [(.removeFactor, 0, 0), (.logIn, 1, 0)],
        [(.signInWithPasskey, 1, 0), (.removePasskey, 0, 0)],
        [(.addPasskey, 0, 0), (.removePasskey, 1, 0)],
        [(.keepGuest, 0, 0), (.keepGuest, 0, 1)],
        [(.copyIdentityToken, 0, 0), (.signInWithProvider, 0, 0)],
    ]

    private static func opening(
        _ number: inout Int, _ random: inout SplitMix64, _ admits: (ClientCall) -> Bool
    ) -> [Round] {
        var rounds: [Round] = []
        let both = (0..<people).map { _ in random.happens(30) }
        let calls: [ClientCall] =
            !admits(.register)
            ? [.signInWithProvider]
            : [.register, admits(.verifyByLink) ? .verifyByLink : .logIn]
        for call in calls {
            var steps: [Step] = []
            for person in 0..<people {
                // Some people begin on both devices.
                for device in 0...(both[person] ? 1 : 0) {
                    number += 1
                    steps.append(
                        Step(
                            number: number, call: call, device: person * devices + device, app: 0,
                            choice: device * 8))
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
