import AuthTestSupport

/// The seed's draws for the features of the provider.
struct ProviderDraws: Sendable {
    struct Documents: Sendable {
        /// Whether only programs of listed hosts are accepted.
        let isListed: Bool
        let documents: [(url: String, ageMax: Span?, hasKey: Bool)]
    }

    /// Programs that prove a key.
    private(set) var provers: Set<String> = []
    /// Whether tokens for `ProviderSettings.notes` must be bound to a key.
    private(set) var notesNeedKey = false
    /// nil without `Feature.clientDocuments`.
    private(set) var documents: Documents?
    /// An unused self-registered program is kept for this long; nil for the policy's value.
    private(set) var registrationHours: Int64?
    /// Whether programs on devices without a keyboard also ask for access.
    private(set) var hasDevices = false
    /// Programs that are notified when sessions end.
    private(set) var told: Set<String> = []

    static let listedHosts = ["tools.example.com", "claude.example.com"]
    private static let urls = [
        "https://tools.example.com/client.json", "https://claude.example.com/client.json",
        "https://elsewhere.example.net/client.json",
    ]

    init(seed: UInt64, _ features: Set<Feature>) {
        var random = SplitMix64(seed: seed &* 0xA24B_AED4_963E_E407 &+ 7)
        if features.contains(.boundTokens) {
            provers = ["vault"]
            for name in ["printer", "terminal", "companion", "agent"] where random.happens(60) {
                provers.insert(name)
            }
            notesNeedKey = random.happens(30)
        }
        if features.contains(.clientDocuments) {
            let ages: [Span?] = [nil, .seconds(0), .minutes(20), .hours(2)]
            documents = Documents(
                isListed: random.happens(75),
                documents: Self.urls.map { url in
                    let ageMax = ages[Int(random.next(below: UInt64(ages.count)))]
                    return (url, ageMax, random.happens(50))
                })
        }
        if features.contains(.programsEnd) {
            registrationHours = 26 + 11 * Int64(random.next(below: 4))
        }
        hasDevices = features.contains(.devices)
        if features.contains(.logout) {
            told = ["printer"]
            for name in ["gallery", "companion", "house", "agent", "television"]
            where random.happens(60) {
                told.insert(name)
            }
        }
    }

    func change(_ policy: inout Policy) {
        guard let registrationHours else { return }
        policy.oauth?.registrationLifetime = .hours(registrationHours)
    }

    /// The draws, one a line.
    var drawn: [String] {
        let keys = provers.isEmpty ? "none" : provers.sorted().joined(separator: ", ")
        let sites = documents?.documents.map { url, ageMax, hasKey in
            "\(url) (\(hasKey ? "with" : "without") a key, kept for "
                + "\(ageMax.map { "\($0.seconds) s" } ?? "the usual time"))"
        }
        let hosts = documents.map { $0.isListed ? "of listed hosts" : "of all hosts" } ?? ""
        return [
            "programs with keys: \(keys)" + (notesNeedKey ? "; tokens for notes need one" : ""),
            "documents of programs: " + (sites?.joined(separator: ", ") ?? "none")
                + (hosts.isEmpty ? "" : "; \(hosts) are accepted"),
            "registrations of programs are kept for "
                + (registrationHours.map { "\($0) hours" } ?? "the usual time"),
            "programs that are notified of sign-outs: "
                + (told.isEmpty ? "none" : told.sorted().joined(separator: ", ")),
        ]
    }
}
