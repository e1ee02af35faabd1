import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import KeyValueStore
import TestSupport
import Testing
import Time

extension AccountAction {
    static func becomeGuest(_ person: Int) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            .session(try kit.auth.createGuest(DeviceClaim(), caller))
        }
    }
}

extension GuestPolicy {
    /// So short that guests end while the others go on.
    static let simulated = GuestPolicy(lifetime: .minutes(20))
}

extension AccountSimulation {
    /// The state of the guests.
    struct GuestCounts {
        var swept = 0
        var upgraded = 0
    }

    /// Ends a session that its holder still considers alive.
    private static let ends: Set<AuditEvent> = [
        .refreshTokenReused, .signedOutEverywhere, .accountDisabled, .signedOutByAdministrator,
    ]

    /// An account is a guest exactly as long as it has no way to sign in. One that ever had one is
    /// not swept, nor is one that was used within its lifetime; and what was swept is gone.
    func checkGuests() throws -> GuestCounts {
        var counts = GuestCounts()
        for (id, sessions) in Dictionary(grouping: held, by: \.user) {
            let user = try kit.user(id)
            if let user, user.deletedAt == nil {
                expectEqual(user.isGuest, user.identities.isEmpty, "seed \(seed)")
            }
            let events = try kit.auditItems(of: id).map { try AuditRecord($0).entry }
            let wasGuest = events.contains {
                $0.event == AuditEvent.accountCreated.rawValue && $0.detail == "guest"
            }
            guard wasGuest else { continue }
            if events.contains(where: { $0.event == AuditEvent.methodAdded.rawValue }) {
                counts.upgraded += 1
            }
            let sweep = events.first {
                $0.event == AuditEvent.accountDeleted.rawValue && $0.detail == "guest"
            }
            guard let sweep else { continue }
            counts.swept += 1
            try checkSweep(at: sweep.at, sessions, user, events.map(\.event))
        }
        return counts
    }

    private func checkSweep(
        at time: Instant, _ sessions: [Held], _ user: User?, _ events: [String]
    ) throws {
        #expect(
            !events.contains(AuditEvent.methodAdded.rawValue),
            "an account was swept as a guest, seed \(seed)")
        #expect(user?.deletedAt != nil || user == nil, "a swept guest is back, seed \(seed)")
        let hasEnded = events.contains { name in
            AuditEvent(rawValue: name).map(Self.ends.contains) ?? false
        }
        for session in sessions {
            let isUsed = session.receivedAt + GuestPolicy.simulated.lifetime > time
            #expect(
                !isUsed || session.isRevoked || hasEnded, "a guest in use was swept, seed \(seed)")
            #expect(throws: AuthError.self, "a swept guest is in, seed \(seed)") {
                try kit.authenticate(session.access)
            }
            let refresh = AccountAction.refresh(session.person, session.refresh).perform(kit)
            #expect(!refresh.isSuccess, "a swept guest is refreshed, seed \(seed)")
        }
    }
}
