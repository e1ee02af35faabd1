/// The rules of a session, without anything asynchronous.
@Suite("Session machine")
struct SessionMachineTests {
    /// What a store has that holds this session.
    private static func stored(_ id: String, generation: Int = 0) throws -> StoredRecord {
        let text = #"""
            {"version": 1, "origin": "o", "mails": {}, "session": {"id": "\#(id)",
             "generation": \#(generation), "accessToken": "a", "refreshToken": "r",
             "tokenType": "Bearer", "lifetime": 900, "expiresAt": 2000, "serverOffset": 0,
             "emailTaken": false}}
            """#
        return try StoredRecord(Data(text.utf8), origin: "o")
    }

    private static func signedIn(_ id: String) throws -> (SessionMachine, Revision) {
        var machine = SessionMachine(.latchkey)
        machine.loaded(try stored(id), since: machine.intent)
        let live = try #require(machine.live)
        return (machine, live.record.revision)
    }

    @Test func `a lost answer of a former session does not change the current one`() throws {
        var (machine, former) = try Self.signedIn("A")
        machine.loaded(try Self.stored("B"), since: machine.intent)
        let present = try #require(machine.live).record.revision
        machine.doubt(present)
        guard case .settle(let revision)? = machine.takeActions().last else {
            Issue.record("no request is sent again")
            return
        }
        expectEqual(revision.id, "B")
        machine.doubt(former)
        machine.doubt(present)
        #expect(machine.takeActions().isEmpty)
    }
}
