import AuthDomain
import AuthOperations
import AuthTestSupport
import KeyValueStore
import Time

extension CostMeasurement {
    func measureDeletion() throws {
        let kit = try kit {
            $0.accounts.claimsEmail = true
            $0.accounts.isListed = true
            $0.limits = [
                RateLimit(.exportAccount, per: .account, 10, in: .minutes(15)),
                RateLimit(.appleNotification, per: .address, 600, in: .minutes(1)),
            ]
        }
        let old = try session(kit, of: "not recent")
        clock.advance(by: .minutes(9))
        try measureRefusal(.deleteAccount, "sign-in not recent", tripsMax: 1) {
            () throws(AuthError) in
            try kit.auth.deleteAccount(
                try kit.auth.authenticate(signed(old), for: .deleteAccount), Self.caller)
        }
        let exporting = try session(kit, of: "exporting")
        try measure(.exportUser, "by id") {
            _ = try kit.auth.exportUser(exporting.user.id.text, after: nil)
        }
        try measure(.exportAccount, "an account with one session") {
            _ = try kit.auth.exportAccount(after: nil, signed(exporting))
        }
        // The identity's row only has the account's ID.
        let services = kit.services(with: .plainText)
        func notified(_ event: String) throws {
            serial += 1
            let payload = "\(event)|exporting|\(serial)"
            try services.receiveAppleNotification(payload, Self.caller)
        }
        try measure(.appleNotification, "consent revoked", tripsMax: 3) {
            try notified("consentRevoked")
        }
        try measure(.appleNotification, "unknown type", tripsMax: 1) { try notified("other") }
        try measureRefusal(.appleNotification, "forged", tripsMax: 1) { () throws(AuthError) in
            try services.receiveAppleNotification("forged", Self.caller)
        }
        _ = try session(kit, of: "deleted")
        let mine = try session(kit, of: "deleted")
        try measure(.deleteAccount, "deleted") {
            try kit.auth.deleteAccount(
                try kit.auth.authenticate(signed(mine), for: .deleteAccount), Self.caller)
        }
        // Account and rows, the rows, registrations, the index of what is encrypted, the job; later
        // the end of the audit chain.
        try measure(.deleteAccount, "after the reply, of an account with two sessions", tripsMax: 6)
        {
            kit.finishReply()
        }
        try measure(.housekeeping, "no deletion due", tripsMax: 1) {
            _ = try kit.auth.housekeeping([.finishDeletions], until: nil)
        }
        clock.advance(by: .minutes(65))
        try measure(.housekeeping, "a deletion due for the second time", tripsMax: 7) {
            _ = try kit.auth.housekeeping([.finishDeletions], until: nil)
        }
        clock.advance(by: .days(30))
        try measure(.housekeeping, "the row of a deleted account removed", tripsMax: 6) {
            _ = try kit.auth.housekeeping([.finishDeletions], until: nil)
        }
    }
}
