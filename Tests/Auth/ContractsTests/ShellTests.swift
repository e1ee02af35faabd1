import AuthDomain
import AuthOperations
import Contracts
import TestSupport
import Testing
import Time

@Suite("Contract shell") struct ShellTests {
    @Test func `shell has the lifetimes, the costs and the limits of its seed`() throws {
        let policy = Contract.shell.policy
        expectEqual(policy.accessTokens.lifetime, .minutes(15))
        #expect(policy.accessTokens.algorithm == .hs256 && policy.accessTokens.type == "JWT")
        #expect(!policy.accessTokens.includesKeyID)
        expectEqual(
            policy.accessTokens.claims.map(\.name),
            ["sub", "email", "iat", "exp", "jti", "sid", "epoch"])
        expectEqual(policy.sessions.idleLifetime, .days(7))
        expectEqual(policy.sessions.rotation, .everyUse(grace: .zero))
        #expect(policy.sessions.reuseScope == .user && policy.sessions.refreshTokens == .uuid)
        let passwords = try #require(policy.passwords)
        expectEqual(passwords.cost, PasswordCost(memoryKiB: 65_536, passes: 3, lanes: 4))
        expectEqual(passwords.registration, .immediate)
        expectEqual(passwords.rules.charactersMin, 8)
        expectEqual(passwords.rules.required, [.uppercase, .number, .special])
        let limits = policy.limits
        #expect(limits.contains(RateLimit(.login, per: .email, 5, in: .minutes(15))))
        #expect(limits.contains(RateLimit(.refresh, per: .address, 10, in: .minutes(15))))
        expectEqual(limits.filter { $0.name == "login.email" }.count, 1)
        #expect(limits.contains { $0.name == "login.address" })
        #expect(Set(limits.map(\.operation)).isSuperset(of: [.register, .resetPassword]))
    }

    @Test func `livlogios hashes passwords at the cost of its seed`() throws {
        let passwords = try #require(Contract.livlogios.policy.passwords)
        expectEqual(passwords.cost, PasswordCost(memoryKiB: 65_536, passes: 2, lanes: 4))
        expectEqual(passwords.registration, .afterVerification(repeatsPassword: false))
    }
}
