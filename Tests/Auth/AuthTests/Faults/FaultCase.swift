import AuthDomain
import AuthOperations
import AuthTestSupport
import KeyValueStore
import Time

/// An operation and the setup that it needs.
struct FaultCase: Sendable, CustomStringConvertible {
    let name: String
    /// Prepares an account and returns the request, which can be sent again. It returns the access
    /// token of its answer, if there is one.
    let prepare: @Sendable (FaultKit) throws -> () throws -> String?

    init(
        _ name: String, _ prepare: @escaping @Sendable (FaultKit) throws -> () throws -> String?
    ) {
        self.name = name
        self.prepare = prepare
    }

    var description: String { name }
}

/// The dependencies of operations, each of which can fail.
struct FaultKit {
    let clock = TestClock()
    let store: FaultyStore
    let broker = FakeStorageBroker()
    let kit: AuthKit

    static let caller = Caller(address: "192.0.2.1", userAgent: "app/1")

    init() throws {
        store = FaultyStore(MemoryStore(clock: clock.wall))
        let policy = Policy.passwords(.immediate).with {
            $0.guests = GuestPolicy()
            $0.merging = MergePolicy()
            $0.devices = DevicePolicy()
            $0.accounts.isListed = true
            // Operations count requests but never reach the limit.
            $0.limits = [
                RateLimit(.signIn, per: .address, 1000, in: .minutes(1)),
                RateLimit(.login, per: .email, 1000, in: .minutes(1)),
                RateLimit(.refresh, per: .session, 1000, in: .minutes(1)),
                RateLimit(.credentials, per: .account, 1000, in: .minutes(1)),
                RateLimit(.resetPassword, per: .address, 1000, in: .minutes(1)),
                RateLimit(.secondFactor, per: .account, 1000, in: .minutes(5)),
            ]
        }
        kit = try AuthKit(
            policy: policy, clock: clock, store: store, storage: broker.services())
    }

    var auth: AuthServices { kit.auth }

    func signed(_ tokens: SessionTokens) -> Caller {
        Caller(
            address: "192.0.2.1", userAgent: "app/1", bearerText: tokens.access.reveal())
    }

    /// A verified account with the password `AuthKit.password`, and a session of it.
    func account() throws -> SessionTokens {
        try kit.provenAccount()
        return try kit.logIn()
    }

    /// The token that the operation mails.
    func mailed(_ operation: () throws -> Void) throws -> String {
        kit.finishReply()
        try operation()
        kit.finishReply()
        return try kit.mailedToken()
    }
}

/// Refusals of a request that was already carried out, although its answer was lost.
extension AuthError {
    var saysAlreadyDone: Bool {
        switch self {
        case .signIn(.identityTokenReused), .signIn(.challengeUnknown), .emailLink,
            .secondFactor(.ticketInvalid), .secondFactor(.wrongCode),
            .secondFactor(.alreadyEnabled), .secondFactor(.notEnabled),
            .secondFactor(.notEnrolled), .method(.alreadyAdded), .method(.notFound),
            .accessToken(.sessionEnded), .session(.notFound), .device(.notFound),
            .password(.wrongCurrentPassword), .refreshToken(.sessionEnded),
            .administration(.sessionMissing), .account(.emailTaken):
            true
        default: false
        }
    }
}
