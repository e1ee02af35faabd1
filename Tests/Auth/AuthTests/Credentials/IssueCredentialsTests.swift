import AuthTestSupport
import TestSupport

@Suite("IssueCredentials") struct IssueCredentialsTests {
    let broker = FakeStorageBroker()
    let clock = TestClock()
    let store: FaultyStore
    let kit: AuthKit

    init() throws {
        store = FaultyStore(MemoryStore(clock: clock.wall))
        kit = try AuthKit(clock: clock, store: store, storage: broker.services())
    }

    private func issue(_ tokens: SessionTokens) throws -> StorageCredentials {
        try kit.credentials(IssueCredentials.Input(), Caller(bearerText: tokens.access.reveal()))
    }

    @Test func `printing credentials does not reveal them`() throws {
        let issued = try issue(try kit.session())
        var dumped = ""
        dump(issued, to: &dumped)
        for text in ["\(issued)", String(reflecting: issued), dumped] {
            #expect(!text.contains("secret key") && !text.contains("session token"))
        }
    }
}
