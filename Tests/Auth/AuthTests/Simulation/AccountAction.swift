import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import Bytes
import Cryptography

/// The result of one request. `nothing`: the process died, or its response was lost.
enum AccountOutcome: Sendable {
    case session(SessionTokens)
    case done
    case refused(AuthError)
    case nothing

    var isSuccess: Bool {
        switch self {
        case .session, .done: true
        case .refused, .nothing: false
        }
    }
}

/// A request of a person, who is named first.
enum AccountAction: Sendable {
    case register(Int, address: String, password: String)
    case verify(Int, link: String, password: String)
    case logIn(Int, address: String, password: String)
    case signIn(Int, subject: String, email: String)
    case refresh(Int, String)
    case forgotPassword(Int, address: String)
    case resetPassword(Int, link: String, password: String)
    case changePassword(Int, access: String, user: UserID, current: String, new: String)
    case signOutEverywhere(Int, access: String, user: UserID)
    case administer(UserID, AdministerUser.Change)

    var person: Int {
        switch self {
        case .register(let person, _, _), .verify(let person, _, _), .logIn(let person, _, _),
            .signIn(let person, _, _), .refresh(let person, _), .forgotPassword(let person, _),
            .resetPassword(let person, _, _), .changePassword(let person, _, _, _, _),
            .signOutEverywhere(let person, _, _):
            person
        case .administer: -1
        }
    }

    /// The account whose sessions from before have ended if this succeeded.
    func endsSessions(_ outcome: AccountOutcome) -> UserID? {
        switch self {
        case .changePassword(_, _, let user, _, _), .signOutEverywhere(_, _, let user),
            .administer(let user, .disable), .administer(let user, .signOut):
            user
        case .resetPassword(_, let link, _):
            AccountLink(parsing: link)?.user
        default: nil
        }
    }

    func perform(_ kit: AuthKit) -> AccountOutcome {
        do throws(AuthError) {
            return try run(kit)
        } catch {
            switch error {
            case .unavailable, .fault: return .nothing
            default: return .refused(error)
            }
        }
    }

    private func run(_ kit: AuthKit) throws(AuthError) -> AccountOutcome {
        let auth = kit.auth
        let caller = Caller(address: "192.0.2.\(person + 1)")
        switch self {
        case .register(_, let address, let password):
            _ = try auth.register(
                Register.Input(email: email(address), password: password), caller)
        case .verify(_, let link, let password):
            return .session(try auth.verifyEmail(token: link, password: password, caller))
        case .logIn(_, let address, let password):
            return .session(
                try auth.logIn(LogIn.Input(email: email(address), password: password), caller))
        case .signIn(_, let subject, let email):
            let serial = Hex.encode(auth.random.bytes(8))
            let input = SignIn.Input(
                provider: "apple", idToken: "apple|\(subject)|\(email)|\(serial)")
            guard let tokens = try kit.signIn(.plainText)(input, caller).tokens else {
                return .done
            }
            return .session(tokens)
        case .refresh(_, let token): return .session(try auth.refresh(token, caller))
        case .forgotPassword(_, let address): try auth.forgotPassword(email(address), caller)
        case .resetPassword(_, let link, let password):
            try auth.resetPassword(token: link, newPassword: password, caller)
        case .changePassword(_, let access, _, let current, let new):
            return .session(
                try auth.changePassword(
                    current: current, new: new,
                    Caller(address: caller.address, bearerText: access)))
        case .signOutEverywhere(_, let access, _):
            try auth.signOut(
                refreshToken: nil, scope: .all,
                Caller(address: caller.address, bearerText: access))
        case .administer(let user, let change):
            _ = try auth.administerUser(user.text, change, by: .password, caller)
        }
        return .done
    }

    private func email(_ text: String) -> EmailAddress {
        guard let email = EmailAddress(parsing: text) else {
            preconditionFailure("not an address: \(text)")
        }
        return email
    }
}
