import AuthDomain
import AuthOperations
import AuthTestSupport
import Time

extension CostMeasurement {
    func measureGuests() throws {
        let kit = try kit {
            $0.guests = GuestPolicy()
            $0.devices = DevicePolicy()
            $0.limits += [
                RateLimit(.createGuest, per: .address, 120, in: .hours(1)),
                RateLimit(.linkIdentity, per: .address, 60, in: .minutes(1)),
                RateLimit(.linkIdentity, per: .account, 10, in: .minutes(15)),
            ]
        }
        var tokens: SessionTokens?
        try measure(.createGuest, "made") {
            tokens = try kit.auth.createGuest(DeviceClaim(), Self.caller)
        }
        guard let tokens else { throw AuthKit.KitFailure.noSession }
        try measure(.refresh, "of a guest") {
            _ = try kit.refresh(tokens.refresh.reveal(), Self.caller)
        }
        try measure(.linkIdentity, "the first of a guest") {
            let proof = kit.proof("google", "guest", "guest@example.com")
            _ = try kit.services(with: .plainText)
                .linkIdentity(LinkIdentity.Input(proof), signed(tokens))
        }
        try measure(.housekeeping, "no guest due", tripsMax: 1) {
            _ = try kit.auth.housekeeping([.sweepGuests], until: nil)
        }
        clock.advance(by: GuestPolicy().lifetime + GuestPolicy.sweepDelay)
        // The due ones, the account, the row.
        try measure(.housekeeping, "a guest that has become an account", tripsMax: 3) {
            _ = try kit.auth.housekeeping([.sweepGuests], until: nil)
        }
        _ = try kit.auth.createGuest(DeviceClaim(), Self.caller)
        clock.advance(by: GuestPolicy().lifetime + GuestPolicy.sweepDelay)
        try measure(.housekeeping, "a guest that is not used deleted", tripsMax: 3) {
            _ = try kit.auth.housekeeping([.sweepGuests], until: nil)
        }
    }
}
