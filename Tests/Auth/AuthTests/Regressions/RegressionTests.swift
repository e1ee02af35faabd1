/// Bugs of other systems, each with a test that would detect it here.
@Suite("Known bugs of other systems") struct RegressionTests {
    let kit: AuthKit

    init() throws { kit = try AuthKit() }

    private func refresh(_ token: String) throws(AuthError) -> SessionTokens {
        try kit.refresh(token, Caller())
    }

    /// Vault-Web/vault-web#260: only active tokens were searched, so the reuse of replaced ones was
    /// not detected. Here it is, even long after the idle timeout of their own generation.
    @Test func `reuse is detected as long as the session can exist`() throws {
        let first = try kit.session()
        // A thief keeps the session active while the owner is away.
        var held = try refresh(first.refresh.reveal()).refresh.reveal()
        for _ in 0..<12 {
            kit.clock.advance(by: .days(29))
            held = try refresh(held).refresh.reveal()
        }
        expectError(.refreshToken(.reusedOlder)) { try refresh(first.refresh.reveal()) }
        expectError(.refreshToken(.sessionEnded)) { try refresh(held) }
        #expect(try kit.audit(of: first.user.id).contains("refreshTokenReused"))
    }
}

extension FaultyStore.Call {
    /// Whether this call is the final write of a refresh.
    var advancesSession: Bool {
        guard case .write(let writes) = self, writes.count == 1 else { return false }
        return writes[0].key.sort.hasPrefix(StoreLayout.sessionPrefix)
    }
}
