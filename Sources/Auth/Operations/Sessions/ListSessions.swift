package import AuthDomain
internal import AuthRecords
internal import KeyValueStore

/// The devices on which somebody is signed in (ASVS 7.5.2), the newest use first.
package struct ListSessions: Sendable {
    package static let listedMax = 100

    private let ground: Ground
    private let authenticate: Authenticate

    package init(_ ground: Ground, authenticate: Authenticate) {
        self.ground = ground
        self.authenticate = authenticate
    }

    package func callAsFunction(_ context: RequestContext) throws(Problem) -> Sessions {
        let principal = try authenticate(context.bearer)
        let items = try everyItem(
            of: ground.store,
            PartitionQuery(
                StoreLayout.profile(principal.user.id).partition,
                prefix: StoreLayout.sessionPrefix, limit: StoreLimits.itemsPerPageMax))
        var families: [SessionFamily] = []
        for item in items {
            guard let id = SessionRecord.id(of: item) else { continue }
            let family = try stored { () throws(StoreFailure) in
                try SessionRecord.family(item, id: id, user: principal.user.id)
            }
            if family.epoch == principal.user.epoch { families.append(family) }
        }
        families.sort { ($0.lastUsedAt, $0.id.text) > ($1.lastUsedAt, $1.id.text) }
        return Sessions(
            current: principal.session.id, all: Array(families.prefix(Self.listedMax)))
    }
}

package struct Sessions: Equatable, Sendable {
    package let current: SessionID
    package let all: [SessionFamily]
}
