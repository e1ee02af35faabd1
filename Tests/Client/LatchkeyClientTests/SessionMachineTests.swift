import Foundation
import LatchkeyClient
import TestSupport

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

    private static func names(_ machine: inout SessionMachine) -> [String] {
        machine.takeActions().map { action in
            switch action {
            case .emit(let event): event.name
            case .refresh(let spent): "refresh \(spent.id)"
            case .cancel(let spent): "cancel \(spent.id)"
            case .resume(let waiter, .success(let live)):
                "\(waiter): generation \(live.record.revision.generation)"
            case .resume(let waiter, .failure(let error)): "\(waiter): \(error)"
            case .settle(let revision): "settle \(revision.id)"
            case .stopSettling: "stop settling"
            case .storeAgain: "store again"
            }
        }
    }

    @Test func `calls with the same tokens share a refresh, and end in order`() throws {
        var (machine, spent) = try Self.signedIn("A")
        let live = try #require(machine.live)
        expectEqual(Self.names(&machine), ["stop settling", "signed in: ?"])
        for waiter in 1...3 { machine.join(spent, waiter: waiter) }
        machine.leave(waiter: 2)
        machine.leave(waiter: 2)
        expectEqual(Self.names(&machine), ["refresh A", "2: cancelled"])
        machine.landed(spent, .success(live))
        expectEqual(Self.names(&machine), ["1: generation 0", "3: generation 0"])
        machine.join(spent, waiter: 4)
        expectEqual(Self.names(&machine), ["refresh A"])
    }

    @Test func `a sign-out is final for waiting calls and for stored sessions`() throws {
        var (machine, spent) = try Self.signedIn("A")
        let before = machine.intent
        machine.join(spent, waiter: 1)
        _ = machine.takeActions()
        machine.signOut()
        expectEqual(
            Self.names(&machine),
            ["stop settling", "cancel A", "1: superseded", "signed out: user"])
        // A read that began before, and one that began later but before the removal.
        machine.loaded(try Self.stored("B"), since: before)
        machine.loaded(try Self.stored("A", generation: 7), since: machine.intent)
        expectEqual(Self.names(&machine), [])
        machine.loaded(try Self.stored("B"), since: machine.intent)
        expectEqual(Self.names(&machine).last, "signed in: ?")
    }

    @Test func `a lost answer of a former session does not change the current one`() throws {
        var (machine, former) = try Self.signedIn("A")
        machine.loaded(try Self.stored("B"), since: machine.intent)
        let present = try #require(machine.live).record.revision
        machine.doubt(present)
        expectEqual(Self.names(&machine).last, "settle B")
        machine.doubt(former)
        machine.doubt(present)
        expectEqual(Self.names(&machine), [])
    }
}
