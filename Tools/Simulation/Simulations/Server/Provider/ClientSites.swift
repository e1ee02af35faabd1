import AuthTestSupport

/// The web sites at which programs describe themselves (OAuth Client ID Metadata Document).
final class ClientSites: @unchecked Sendable {
    /// A version of a document, which is published for a while.
    struct Version: Sendable {
        /// The number in the program's name, which people see.
        var name = 1
        var redirectURI: String
        /// The number of the program's key; nil if it does not authenticate.
        var key: Int?
        let publishedAt: Instant
        /// When the next version was published.
        var replacedAt: Instant?
    }

    enum Change: CaseIterable, Sendable {
        case rename, moveAddress, replaceKey, proveOtherwise, goDown, comeBack, damage
    }

    struct Site {
        /// The ID of the program.
        let url: String
        let ageMax: Span?
        var versions: [Version]
        var isDown = false
        /// Whether the document describes another program.
        var isDamaged = false

        var current: Version { versions[versions.count - 1] }

        /// How long the functions may use the document without fetching it again.
        var freshness: Span { min(max(ageMax ?? .minutes(5), .minutes(5)), .hours(24)) }
    }

    private(set) var sites: [String: Site] = [:]
    /// The hosts that are accepted; nil for all.
    let hosts: [String]?
    private let context: SimulationContext

    static let namePrefix = "Helper number "

    init(_ drawn: ProviderDraws.Documents, _ context: SimulationContext) {
        self.context = context
        hosts = drawn.isListed ? ProviderDraws.listedHosts : nil
        for (url, ageMax, hasKey) in drawn.documents {
            let version = Version(
                redirectURI: Self.address(of: url, 1), key: hasKey ? 1 : nil,
                publishedAt: context.scheduler.clock.now)
            sites[url] = Site(url: url, ageMax: ageMax, versions: [version])
        }
    }

    private static func address(of url: String, _ number: Int) -> String {
        "\(url.dropLast("client.json".count))back/\(number)"
    }

    /// Whether the program with this ID may get anything.
    func isListed(_ id: String) -> Bool {
        let host = id.dropFirst("https://".count).prefix { $0 != "/" }
        return hosts?.contains(String(host)) ?? true
    }

    // MARK: Responses

    func document(at url: String) -> ClientDocuments.Answer? {
        guard let site = sites[url], !site.isDown, !context.happens(.documentFails) else {
            return nil
        }
        var body = Program(site).description
        body["client_id"] = .string(site.isDamaged ? "https://other.example.com/" : url)
        return ClientDocuments.Answer(body: body.serialized, ageMax: site.ageMax)
    }

    // MARK: Earlier versions

    /// The versions that the functions may have used between two points in time.
    func versions(
        of id: String, usedFrom start: Instant, to end: Instant
    ) -> [(index: Int, version: Version)] {
        guard let site = sites[id] else { return [] }
        let begin = start - site.freshness - .seconds(5)
        return site.versions.enumerated().map { ($0, $1) }.filter { _, version in
            version.publishedAt <= end && version.replacedAt.map { $0 >= begin } ?? true
        }
    }

    func hasChanged(_ id: String, since start: Instant) -> Bool {
        guard let site = sites[id] else { return false }
        return site.current.publishedAt >= start - site.freshness - .seconds(5)
            && site.versions.count > 1
    }

    // MARK: Changes

    func change(_ id: String, _ change: Change) {
        guard var site = sites[id] else { return }
        var next = site.current
        switch change {
        case .rename: next.name += 1
        case .moveAddress:
            next.redirectURI = Self.address(of: id, site.versions.count + 1)
        case .replaceKey: next.key = next.key.map { $0 % ProgramKey.documentKeys + 1 }
        case .proveOtherwise:
            let latest = site.versions.compactMap(\.key).last ?? 0
            next.key = next.key == nil ? latest % ProgramKey.documentKeys + 1 : nil
        case .goDown: site.isDown = true
        case .comeBack: (site.isDown, site.isDamaged) = (false, false)
        case .damage: site.isDamaged = true
        }
        let now = context.scheduler.clock.now
        if [.rename, .moveAddress, .replaceKey, .proveOtherwise].contains(change) {
            site.versions[site.versions.count - 1].replacedAt = now
            site.versions.append(
                Version(
                    name: next.name, redirectURI: next.redirectURI, key: next.key,
                    publishedAt: now))
        }
        sites[id] = site
        context.transcript.add { "the document of \(id): \(change)" }
    }
}

extension Program {
    /// The program as its document currently describes it.
    init(_ site: ClientSites.Site) {
        let version = site.current
        self.init(
            id: site.url, proof: version.key == nil ? .none : .key,
            redirectURI: version.redirectURI)
        name = ClientSites.namePrefix + "\(version.name)"
        (isSelfRegistered, isDescribed) = (true, true)
        keyNumber = version.key ?? 0
    }
}
