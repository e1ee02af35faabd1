extension Mutation {
    /// Bugs in the tokens for devices without a keyboard.
    static let ofDevices: [Mutation] =
        [
            provider(
                "device-code-of-another", "a device's code works for every client",
                .takesDeviceOfAnyClient
            ).breaking(.deviceIsAllowed),
            unconditional([.deviceRequest]).breaking(.deviceGivesOnce),
            undeleted(.deviceRequest).breaking(.deviceGivesOnce),
            unmade(.deviceRequest),
            provider(
                "device-slowed-for-ever", "each poll makes the wait longer", .slowsForEver
            ).breaking(.deviceIsHeard),
            provider(
                "device-refused-is-allowed", "a refusal counts as an approval",
                .takesRefusalAsApproval
            ).breaking(.deviceIsAllowed),
            provider(
                "device-unread", "an account allows a device whose code it was not shown",
                .takesUnread
            ).breaking(.deviceIsAllowed),
            provider("device-without-end", "a device's code does not end", .keepsDevices)
                .breaking(.deviceIsAllowed),
            provider(
                "device-after-sign-out", "an approval survives the sign-out", .keepsBrowsers
            ).breaking(.deviceIsAllowed),
            provider("device-guesses", "wrong codes are not counted", .countsNoCodes)
                .breaking(.codesAreCounted),
        ].map { $0.about(.devices) }

    /// Bugs in sign-outs by programs, and in the notices to programs about ended sessions.
    static let ofLogout: [Mutation] =
        [
            unmade(.logoutNotice).breaking(.programsAreTold),
            notice(
                "logout-passwords", "no program is notified when a password is changed or reset",
                .forgetsPasswords
            ).breaking(.programsAreTold),
            notice("logout-one-attempt", "a notice that fails is not sent again", .forgetsFailed)
                .breaking(.programsAreTold),
            notice(
                "logout-living", "programs are notified of the end of a session that is alive",
                .namesLiving
            ).breaking(.programsAreTold),
            notice("logout-grant", "a notice names the grant, not the session", .namesGrant)
                .breaking(.noticeFits),
            notice("logout-same-id", "all notices have the same id", .repeatsID)
                .breaking(.noticeFits),
            notice("logout-nonce", "a notice has a nonce, like an ID token", .hasNonce)
                .breaking(.noticeFits),
            notice("logout-of-another", "a program gets another's notice", .tellsAnother)
                .breaking(.noticeFits),
            provider(
                "logout-any-hint", "an ID token of another session signs out without a question",
                .takesAnyHint
            ).breaking(.signOutIsMeant),
            provider(
                "logout-any-address", "after a sign-out, the browser is redirected to any address",
                .takesAnyFarewell
            ).breaking(.signOutIsMeant),
        ].map { $0.about(.logout) }

    private static func provider(
        _ name: String, _ what: String, _ flaw: ProviderFlaws.Flaw
    ) -> Mutation { other(name, what) { $0.provider = flaw } }

    private static func notice(
        _ name: String, _ what: String, _ flaw: LogoutReceiver.Flaw
    ) -> Mutation { other(name, what) { $0.logout = flaw } }
}
