import AuthTestSupport

/// The schedule of a simulated day: an app whose users all have their evening at the same time.
struct Day {
    enum Occasion {
        /// A user opens the app: refreshes an expired access token, or signs in, and then sends
        /// requests.
        case open(user: Int)
        case signOut(user: Int)
        /// A script uses a session of the hot account.
        case hot
        /// A wrong password for the attacked account, from one of many addresses.
        case attack(address: Int)
        case housekeeping
    }

    /// The assumptions in docs/scaling.md.
    static let opensOfUser = 6
    static let requestsOfOpen = 2
    static let newUsersPercent: UInt64 = 1
    static let signOutsPercent: UInt64 = 3
    static let burstPercent: UInt64 = 10
    static let burstSeconds: UInt64 = 60
    static let attackSeconds: Int64 = 600
    static let attacksOfSecond = 20
    static let attackAddresses: UInt64 = 1000
    static let hotSeconds: Int64 = 600
    static let hotOfSecond = 20

    private static let seconds: UInt64 = 86_400
    private static let burstAt: Int64 = 19 * 3600
    private static let attackAt: Int64 = 3 * 3600
    private static let hotAt: Int64 = 12 * 3600

    /// The relative load of each hour: a fifth at night, the most between 19 and 21 o'clock.
    private static let load: [UInt64] = [
        30, 20, 16, 14, 14, 18, 30, 50, 62, 62, 60, 62, 70, 66, 60, 60, 64, 72, 84, 96, 100, 90, 70,
        46,
    ]
    /// The busiest hour's load relative to the mean.
    static var peak: Double {
        Double(load.max() ?? 1) * Double(load.count) / Double(load.reduce(0, +))
    }

    let occasions: [(second: Int64, occasion: Occasion)]

    init(users: Int, random: inout SplitMix64) {
        var all: [(second: Int64, occasion: Occasion)] = []
        for user in 0..<users {
            for _ in 0..<Self.opensOfUser {
                all.append((Self.moment(&random), .open(user: user)))
            }
            if random.happens(Self.signOutsPercent) {
                all.append((Self.moment(&random), .signOut(user: user)))
            }
            if random.happens(Self.burstPercent) {
                let delay = Int64(random.next(below: Self.burstSeconds))
                all.append((Self.burstAt + delay, .open(user: user)))
            }
        }
        for second in 0..<Self.attackSeconds {
            for _ in 0..<Self.attacksOfSecond {
                let address = Int(random.next(below: Self.attackAddresses))
                all.append((Self.attackAt + second, .attack(address: address)))
            }
        }
        for second in 0..<Self.hotSeconds {
            for _ in 0..<Self.hotOfSecond { all.append((Self.hotAt + second, .hot)) }
        }
        for minute in 0..<Int64(Self.seconds / 60) { all.append((minute * 60, .housekeeping)) }
        occasions = all.sorted { $0.second < $1.second }
    }

    private static func moment(_ random: inout SplitMix64) -> Int64 {
        while true {
            let second = random.next(below: seconds)
            if random.next(below: 100) < load[Int(second / 3600)] { return Int64(second) }
        }
    }
}
