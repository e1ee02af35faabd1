// Guests, for tests.
extension Policy {
    static func guests(_ change: (inout Policy) -> Void = { _ in }) -> Policy {
        .passkeys {
            $0.accounts.isListed = true
            $0.guests = GuestPolicy()
            $0.devices = DevicePolicy()
            change(&$0)
        }
    }
}

extension AuthKit {
    func guest(_ caller: Caller = Caller()) throws(AuthError) -> SessionTokens {
        try auth.createGuest(DeviceClaim(), caller)
    }

    /// Housekeeping's report on guests.
    @discardableResult
    func sweep() throws -> [String: Int] {
        let reports = try auth.housekeeping([.sweepGuests, .finishDeletions], until: nil)
        return Dictionary(uniqueKeysWithValues: reports[0].counts.map { ($0.name, $0.count) })
    }

    func looks() throws -> [GuestRecord] {
        try store.query(GuestRecord.query(limit: 1000)).items.map { try GuestRecord($0) }
    }
}
