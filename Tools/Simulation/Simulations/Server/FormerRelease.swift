import AuthTestSupport

/// Functions of release 0.1.0 that run beside the current ones during a deployment. Accounts and
/// sessions written by them must continue to work, although they lack newer attributes.
enum FormerRelease {
    /// The share of functions of the former release.
    enum Share { case all, some, none }

    /// Attributes of `UserRecord` and `SessionRecord` in 0.1.0.
    private static let attributes: [RowKind: Set<String>] = [
        .profile: [
            "isEmailVerified", "identities", "epoch", "isDisabled", "isAdmin", "revision",
            "publicID", "deletedAt", "email", "displayName", "createdAt", "updatedAt",
        ],
        .session: [
            "generation", "seed", "epoch", "writer", "refreshWindow", "refreshCount", "provider",
            "createdAt", "lastUsedAt", "idleExpiresAt", "absoluteExpiresAt", "deviceName",
            "deviceSystem", "address", "userAgent",
        ],
    ]

    /// Access tokens of 0.1.0 do not say how the user was authenticated.
    static func policy(_ policy: Policy) -> Policy {
        let added: [ClaimValue] = [.provenAt, .strength, .methods]
        return policy.with { policy in
            policy.accessTokens.claims.removeAll { added.contains($0.value) }
        }
    }

    /// The calls that 0.1.0 has.
    static let calls: Set<ClientCall> = [
        .signInWithProvider, .replayIdentityToken, .copyIdentityToken, .profile, .manyProfiles,
        .refresh, .cancelledRefresh, .listSessions, .endAnotherSession, .signOut, .signOutOthers,
        .credentials, .startApp, .killApp, .copyDevice, .replayRequest,
    ]

    static func written(_ write: Write) -> Write {
        guard case .put(var item, let conditions) = write,
            let known = attributes[RowKind(item.key)]
        else { return write }
        for name in item.attributes.keys where !known.contains(name) {
            item.attributes[name] = nil
        }
        return .put(item, when: conditions)
    }

    /// A planted bug: rows of the former release are not read.
    static func isForeign(_ item: Item) -> Bool {
        RowKind(item.key) == .session && item.attributes["keyID"] == nil
    }
}
