import AuthDomain
import AuthOperations
import AuthTestSupport
import Time

extension CostMeasurement {
    func measureMerges() throws {
        let kit = try kit {
            $0.guests = GuestPolicy()
            $0.devices = DevicePolicy()
            $0.merging = MergePolicy()
            $0.limits += [
                RateLimit(.linkIdentity, per: .address, 60, in: .minutes(1)),
                RateLimit(.linkIdentity, per: .account, 10, in: .minutes(15)),
                RateLimit(.mergeAccounts, per: .address, 60, in: .minutes(15)),
                RateLimit(.mergeAccounts, per: .account, 10, in: .minutes(15)),
            ]
        }
        _ = try kit.signIn("google", "merged", "merged@example.com")
        let guest = try kit.auth.createGuest(DeviceClaim(), Self.caller)
        var ticket = ""
        // The identity's row only has the account's ID.
        try measure(.linkIdentity, "of another account, by a guest", tripsMax: 3) {
            let input = LinkIdentity.Input(kit.proof("google", "merged"))
            guard
                case .inUse(let offered) = try kit.services(with: .plainText)
                    .linkIdentity(input, signed(guest))
            else { throw AuthKit.KitFailure.noSession }
            ticket = offered.reveal()
        }
        let input = MergeAccounts.Input(
            .ticket(ticket), refreshToken: guest.refresh.reveal())
        try measure(.mergeAccounts, "a guest in an account") {
            _ = try kit.auth.mergeAccounts(input, signed(guest))
        }
        let other = try kit.auth.createGuest(DeviceClaim(), Self.caller)
        try measureRefusal(.mergeAccounts, "unknown ticket", tripsMax: 1) {
            () throws(AuthError) in
            let input = MergeAccounts.Input(
                .ticket("x"), refreshToken: other.refresh.reveal())
            _ = try kit.auth.mergeAccounts(input, signed(other))
        }
        // The accounts, the job.
        try measure(.mergeAccounts, "after the reply, without objects") { kit.finishReply() }
        try measure(.housekeeping, "no merge due", tripsMax: 1) {
            _ = try kit.auth.housekeeping([.finishMerges], until: nil)
        }
        clock.advance(by: .minutes(65))
        // The due ones, the claim, the accounts, the end of the job.
        try measure(.housekeeping, "a merge due for the second time", tripsMax: 4) {
            _ = try kit.auth.housekeeping([.finishMerges], until: nil)
        }
        guard let owner = try kit.signIn("google", "merged", "merged@example.com").tokens else {
            throw AuthKit.KitFailure.noSession
        }
        let last = try kit.auth.createGuest(DeviceClaim(), Self.caller)
        let proof = MergeAccounts.Proof.session(
            accessToken: owner.access.reveal(), refreshToken: owner.refresh.reveal())
        try measure(.mergeAccounts, "a guest in the account of another session") {
            _ = try kit.auth.mergeAccounts(
                MergeAccounts.Input(proof, refreshToken: last.refresh.reveal()), signed(last))
        }
    }
}
