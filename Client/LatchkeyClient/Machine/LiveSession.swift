import Foundation

/// A session in memory. Its records about the tokens are discarded with the tokens.
package struct LiveSession: Sendable {
    enum Storage {
        case stored
        /// A sign-in that could not be stored. The store still has the previous session.
        case unsavedSignIn
        /// A refresh that could not be stored.
        case unsavedRefresh
    }

    /// Whether the response to a refresh was lost, and who repeats the refresh.
    enum Doubt {
        case none
        /// The client repeats the refresh by itself.
        case settling
        /// Each call repeats the refresh.
        case unsettled
    }

    package var record: SessionRecord
    /// The uptime just before the request was sent; nil for a session from an earlier launch of the
    /// app.
    var receivedAt: Duration?
    var storage = Storage.stored
    /// The server has answered 401 to the access token.
    var isRejected = false
    var doubt = Doubt.none
    /// The server has asked for no further refresh before `until`.
    var refreshPause: (until: Duration, error: AuthError)?
    /// Before this uptime a token that is still valid is not refreshed ahead of its expiry, because
    /// such a refresh has just failed.
    var precautionPause = Duration.zero

    func renewed(with answer: SessionAnswer) -> LiveSession {
        var new = LiveSession(record: record, receivedAt: answer.sentAt)
        new.record.renew(with: answer)
        return new
    }

    /// How long the access token is still valid.
    ///
    /// The uptime decides until the app or the device restarts. After that, the device's clock
    /// decides, corrected by its offset from the server's. A remaining life longer than the whole
    /// lifetime shows that the clock was set back.
    func life(at moment: Moment) -> Duration {
        if isRejected { return .zero }
        let full = record.lifetime
        if let receivedAt { return .seconds(full) - (moment.uptime - receivedAt) }
        let left = record.expiresAt - (moment.timeOfDay + record.serverOffset)
        return left.isFinite && left <= full + 5 ? .seconds(max(left, -1)) : .zero
    }

    /// Whether the access token remains valid for this time, without a refresh.
    func isUsable(for minimumLife: Duration, at moment: Moment) -> Bool {
        life(at: moment) > max(minimumLife, .seconds(1))
    }
}

/// The readings of a device's clocks.
struct Moment {
    let uptime: Duration
    /// Seconds since 1970, which may be wrong.
    let timeOfDay: Double
}

extension SessionClock {
    var moment: Moment { Moment(uptime: uptime(), timeOfDay: now().timeIntervalSince1970) }
}
