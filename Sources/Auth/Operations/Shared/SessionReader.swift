internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore

/// Finds sessions: by the refresh token that belongs to one, and by their id.
struct SessionReader: Sendable {
    let ground: Ground

    /// Which family and generation a presented token belongs to; nil when it is none of ours.
    /// By hash, never by value, and junk dies before the store.
    func record(of presented: String) throws(Problem) -> RefreshTokenRecord? {
        let form = ground.policy.refreshTokenForm
        guard let token = RefreshToken(presented: presented, form: form) else { return nil }
        return try stored { () throws(StoreFailure) in
            guard let item = try ground.store.get(StoreLayout.refreshToken(hash: token.hash))
            else { return nil }
            return try RefreshTokenRecord(item)
        }
    }

    /// A session and its user in one read; nil when the session is over, by itself or with all of
    /// the user's. Says nothing about disabled users.
    func living(
        _ id: SessionID, of userID: UserID
    ) throws(Problem) -> (family: SessionFamily, user: User)? {
        let items = try stored { () throws(StoreFailure) in
            try ground.store.get([
                StoreLayout.session(id, of: userID), StoreLayout.profile(userID),
            ])
        }
        guard let session = items[0], let profile = items[1] else { return nil }
        let (family, user) = try stored { () throws(StoreFailure) in
            (
                try SessionRecord.family(session, id: id, user: userID),
                try UserRecord.user(profile, id: userID)
            )
        }
        return family.epoch == user.epoch ? (family, user) : nil
    }
}
