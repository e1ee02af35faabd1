import AuthOperations
import Contracts
import IdentityProviders
import JSON
import Testing

@Suite("Problems as contracts show them") struct FaceTests {
    @Test func `the list of problems is complete`() {
        #expect(Set(Problem.samples.map(\.ordinal)) == Set(Problem.ordinals))
        #expect(Malformation.samples.map(\.ordinal) == Array(0...5))
        #expect(AccessTokenDefect.samples.map(\.ordinal) == Array(0...3))
        #expect(RefreshDefect.samples.map(\.ordinal) == Array(0...5))
        #expect(Dependency.samples.map(\.ordinal) == Array(0...3))
        #expect(Fault.samples.map(\.ordinal) == Array(0...2))
        #expect(IdentityFailure.samples.map(\.ordinal) == Array(0...12))
    }

    static let contracts = ["latchkey", "whateat", "photolala"]

    @Test(arguments: contracts)
    func `every problem of every operation has a status, a code and one envelope`(
        name: String
    ) throws {
        let contract = try #require(Contract.named(name))
        for operation in Operation.allCases {
            for problem in Problem.samples {
                let face = contract.face(problem, operation)
                #expect((400...599).contains(face.answer.status), "\(problem)")
                let body = try #require(face.answer.body?.objectValue)
                let code: String?
                let message: String?
                if name == "whateat" {
                    #expect(body.members.map(\.name) == ["error", "code"])
                    code = body["code"]?.stringValue
                    message = body["error"]?.stringValue
                } else {
                    #expect(body.members.map(\.name) == ["error"])
                    let error = try #require(body["error"]?.objectValue)
                    let known = Set(["code", "message", "field", "action"])
                    #expect(Set(error.members.map(\.name)).isSubset(of: known))
                    code = error["code"]?.stringValue
                    message = error["message"]?.stringValue
                }
                #expect(code == face.code.text && code?.isEmpty == false)
                #expect(message.map { $0.utf8.count > 5 } == true)
            }
        }
    }

    @Test(arguments: contracts) func `our own faults are 5xx, the caller's are 4xx`(
        name: String
    ) throws {
        let contract = try #require(Contract.named(name))
        for problem in Problem.samples {
            let status = contract.face(problem, .signIn).answer.status
            switch problem {
            case .unavailable, .fault, .storageRefused,
                .identityRejected(.keysUnavailable):
                #expect(status >= 500, "\(problem)")
            case .malformed, .missing, .invalid, .unknownProvider, .identityRejected,
                .identityTokenSpent, .challengeUnknown, .accountDisabled, .rateLimited:
                #expect(status < 500, "\(name) \(problem)")
            case .noSuchRoute, .methodNotAllowed, .accessTokenMissing, .accessTokenRejected,
                .notPermitted, .refreshTokenRejected, .sessionNotFound, .prefixRefused,
                .durationRefused, .policyTooLarge:
                break
            }
        }
    }

    @Test(arguments: contracts) func `a limit says when to come back, a method what is allowed`(
        name: String
    ) throws {
        let contract = try #require(Contract.named(name))
        for operation in Operation.allCases {
            let limited = contract.face(.rateLimited(retryAfterSeconds: 17), operation).answer
            #expect(limited.status == 429)
            #expect(limited.headers.contains { $0 == ("retry-after", "17") })
            guard name != "photolala" else { continue }
            let method = contract.face(.methodNotAllowed(allowed: ["GET", "DELETE"]), operation)
            #expect(method.answer.status == 405)
            #expect(method.answer.headers.contains { $0 == ("allow", "GET, DELETE") })
        }
    }

    /// RFC 6750 section 3.
    @Test func `a missing bearer is challenged without an error, a bad one with it`() {
        for contract in [Contract.latchkey, .whateat] {
            let rows: [(Problem, String)] = [
                (.accessTokenMissing, "Bearer"),
                (.accessTokenRejected(.expired), "Bearer error=\"invalid_token\""),
                (.accessTokenRejected(.sessionEnded), "Bearer error=\"invalid_token\""),
            ]
            for (problem, expected) in rows {
                let answer = contract.face(problem, .me).answer
                #expect(answer.status == 401)
                #expect(answer.headers.contains { $0 == ("www-authenticate", expected) })
            }
        }
    }

    static let latchkey: [(Problem, Int, String)] = [
        (.malformed(.notJSON), 400, "INVALID_REQUEST"),
        (.malformed(.tooLarge), 413, "REQUEST_TOO_LARGE"),
        (.malformed(.tooManyFields), 431, "TOO_MANY_FIELDS"),
        (.malformed(.unsupportedMediaType), 415, "UNSUPPORTED_MEDIA_TYPE"),
        (.missing(field: "provider"), 400, "INVALID_PROVIDER"),
        (.invalid(field: "provider"), 400, "INVALID_PROVIDER"),
        (.unknownProvider, 400, "INVALID_PROVIDER"),
        (.missing(field: "idToken"), 400, "MISSING_TOKEN"),
        (.missing(field: "refreshToken"), 400, "MISSING_REFRESH_TOKEN"),
        (.invalid(field: "scope"), 400, "INVALID_REQUEST"),
        (.noSuchRoute, 404, "NOT_FOUND"), (.identityTokenSpent, 401, "AUTH_FAILED"),
        (.identityRejected(.invalidSignature), 401, "AUTH_FAILED"),
        (.identityRejected(.nonceMismatch), 401, "NONCE_MISMATCH"),
        (.challengeUnknown, 401, "NONCE_MISMATCH"), (.accountDisabled, 403, "ACCOUNT_DISABLED"),
        (.accessTokenMissing, 401, "UNAUTHORIZED"),
        (.accessTokenRejected(.expired), 401, "TOKEN_EXPIRED"),
        (.accessTokenRejected(.sessionEnded), 401, "UNAUTHORIZED"),
        (.notPermitted, 403, "FORBIDDEN"), (.sessionNotFound, 404, "SESSION_NOT_FOUND"),
        (.refreshTokenRejected(.unknown), 401, "INVALID_REFRESH_TOKEN"),
        (.refreshTokenRejected(.reusedOlder), 401, "INVALID_REFRESH_TOKEN"),
        (.prefixRefused, 400, "INVALID_PREFIX"), (.durationRefused, 400, "INVALID_DURATION"),
        (.policyTooLarge, 400, "PREFIX_TOO_LONG"), (.storageRefused, 502, "STORAGE_SERVICE_ERROR"),
        (.unavailable(.store), 503, "SERVICE_UNAVAILABLE"),
        (.identityRejected(.keysUnavailable(.timedOut)), 503, "SERVICE_UNAVAILABLE"),
        (.fault(.signingFailed), 500, "INTERNAL_ERROR"),
    ]

    @Test func `latchkey has the codes of its table`() {
        for (problem, status, code) in Self.latchkey {
            let face = Contract.latchkey.face(problem, .signIn)
            #expect(face.answer.status == status && face.code.text == code, "\(problem)")
        }
    }

    /// seeds/whateat.md, three tables.
    static let whateat: [(Problem, Operation, Int, String)] = [
        (.unknownProvider, .signIn, 400, "INVALID_PROVIDER"),
        (.missing(field: "provider"), .signIn, 400, "INVALID_PROVIDER"),
        (.invalid(field: "provider"), .signIn, 400, "INVALID_PROVIDER"),
        (.missing(field: "idToken"), .signIn, 400, "MISSING_TOKEN"),
        (.invalid(field: "idToken"), .signIn, 400, "MISSING_TOKEN"),
        (.identityRejected(.tokenExpired), .signIn, 401, "AUTH_FAILED"),
        (.identityTokenSpent, .signIn, 401, "AUTH_FAILED"),
        (.unavailable(.store), .signIn, 500, "AUTH_SERVICE_ERROR"),
        (.fault(.signingFailed), .signIn, 500, "AUTH_SERVICE_ERROR"),
        (.missing(field: "refreshToken"), .refresh, 400, "MISSING_REFRESH_TOKEN"),
        (.invalid(field: "refreshToken"), .refresh, 400, "MISSING_REFRESH_TOKEN"),
        (.refreshTokenRejected(.expired), .refresh, 401, "INVALID_REFRESH_TOKEN"),
        (.refreshTokenRejected(.malformed), .refresh, 401, "INVALID_REFRESH_TOKEN"),
        (.unavailable(.contention), .refresh, 500, "REFRESH_SERVICE_ERROR"),
        (.accessTokenMissing, .signOut, 401, "UNAUTHORIZED"),
        (.accessTokenRejected(.expired), .signOut, 401, "TOKEN_EXPIRED"),
    ]

    @Test func `whateat has the statuses and codes of its seed`() {
        for (problem, operation, status, code) in Self.whateat {
            let face = Contract.whateat.face(problem, operation)
            #expect(face.answer.status == status && face.code.text == code, "\(problem)")
        }
    }

    /// seeds/photolala.md, the cases of `GoogleSignInError` that a server can see.
    @Test func `photolala has every error of its seed that a server can see`() {
        let rows: [(IdentityFailure, String)] = [
            (.invalidIDToken, "invalidIDToken"), (.missingKeyID, "missingKeyID"),
            (.unknownKeyID, "unknownKeyID"), (.invalidSignature, "invalidSignature"),
            (.invalidIssuer, "invalidIssuer"), (.invalidAudience, "invalidAudience"),
            (.tokenExpired, "tokenExpired"), (.tokenTooOld, "tokenExpired"),
            (.invalidIssuedAt, "invalidIssuedAt"), (.nonceMismatch, "nonceMismatch"),
        ]
        for (failure, code) in rows {
            let face = Contract.photolala.face(.identityRejected(failure), .signIn)
            #expect(face.answer.status == 401 && face.code.text == code)
        }
    }

    @Test func `a failed refresh says whether to try again or to sign in`() {
        for problem in Problem.samples {
            let answer = Contract.latchkey.face(problem, .refresh).answer
            let action = answer.body?["error"]?["action"]?.stringValue
            switch problem {
            case .refreshTokenRejected, .accountDisabled, .missing, .invalid:
                #expect(action == "reauthenticate", "\(problem)")
            default: #expect(action == "retry", "\(problem)")
            }
            let elsewhere = Contract.latchkey.face(problem, .signIn).answer.body
            #expect(elsewhere?["error"]?["action"] == nil)
        }
    }
}
