import AuthTestSupport
import Synchronization

extension Simulation {
    struct SignInOutcome: Sendable {
        var user: UserID?
        var isNew = false
        var problem: AuthError?
    }

    /// Signs one user in, with all of these tokens concurrently.
    func raceSignIns(_ tokens: [String], nonces: [String?]) -> [SignInOutcome] {
        let fake = FakeIdentityProviders()
        for (token, nonce) in zip(tokens, nonces) {
            fake.add(token, FakeIdentity { $0.nonce = nonce })
        }
        let outcomes = Mutex([SignInOutcome](repeating: SignInOutcome(), count: tokens.count))
        let kit = kit
        let bodies = zip(tokens, nonces).enumerated().map { index, request in
            { @Sendable in
                var outcome = SignInOutcome()
                do throws(AuthError) {
                    let output = try kit.signIn(fake.gateway)(
                        SignIn.Input(provider: "apple", idToken: request.0, nonce: request.1),
                        Caller())
                    outcome.user = output.user.id
                    outcome.isNew = output.isNewUser
                } catch {
                    outcome.problem = error
                }
                outcomes.withLock { $0[index] = outcome }
            }
        }
        perform(bodies)
        return outcomes.withLock { $0 }
    }
}
