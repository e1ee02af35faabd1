import AuthTestSupport

/// The settings that an administrator sees.
@Suite("Shown settings") struct ShownSettingsTests {
    @Test func `settings show their value and source, but secrets have no value`() throws {
        let deployment = try TestDeployment()
        let auth = deployment.assembly([
            "STORE": "postgres://app:s3cret@db.example/users", "MASTER_KEY": "s3cret",
            "ADMIN_PASSWORD_HASH": "s3cret", "GUESTS": "off",
        ]).shownSettings()
        let store = auth("STORE", false)
        #expect(store?.value == "postgres://app:***@db.example/users")
        expectEqual(store?.source, .environment)
        for name in ["MASTER_KEY", "ADMIN_PASSWORD_HASH"] {
            let secret = try #require(auth(name, false))
            expectEqual(secret.value, nil)
        }
        // Also one that only its documentation calls a secret.
        expectEqual(try #require(auth("GUESTS", true)).value, nil)
        expectEqual(auth("GUESTS", false)?.value, "off")
        #expect(auth("HOOKS", false) == nil)
    }
}
