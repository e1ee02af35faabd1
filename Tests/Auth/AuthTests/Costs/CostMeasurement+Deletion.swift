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
        }
        let old = try session(kit, of: "not recent")
        clock.advance(by: .minutes(9))
        try measureRefusal(.deleteAccount, "sign-in not recent", tripsMax: 1) {
            () throws(AuthError) in
            try kit.auth.deleteAccount(
                try kit.auth.authenticate(signed(old), for: .deleteAccount), Self.caller)
        }
        _ = try session(kit, of: "deleted")
        let mine = try session(kit, of: "deleted")
        try measure(.deleteAccount, "deleted") {
            try kit.auth.deleteAccount(
                try kit.auth.authenticate(signed(mine), for: .deleteAccount), Self.caller)
        }
        // Account and rows, the rows, registrations, the job.
        try measure(.deleteAccount, "after the reply, of an account with two sessions", tripsMax: 6)
        {
            kit.finishReply()
        }
        try measure(.housekeeping, "no deletion due", tripsMax: 1) {
            _ = try kit.auth.housekeeping([.finishDeletions], until: nil)
        }
        clock.advance(by: .minutes(65))
        try measure(.housekeeping, "a deletion due for the second time", tripsMax: 5) {
            _ = try kit.auth.housekeeping([.finishDeletions], until: nil)
        }
        clock.advance(by: .days(30))
        try measure(.housekeeping, "the row of a deleted account removed", tripsMax: 5) {
            _ = try kit.auth.housekeeping([.finishDeletions], until: nil)
        }
    }
}
