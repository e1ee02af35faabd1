import AuthDomain
import AuthOperations
import Contracts
import FunctionRuntime
import IdentityProviders
import Testing

/// The error codes that existing clients depend on.
@Suite("Error codes of the contracts") struct SeedErrorTests {
    private func expect(
        _ contract: Contract, _ error: APIError, _ operation: AuthOperation, _ status: Int,
        _ code: String
    ) {
        let failed = FailedRequest(operation, Request(requestID: "1"))
        let response = contract.errors.response(to: error, failed)
        #expect(response.status == status && response.code.text == code, "\(error)")
    }

    static let latchkey: [(APIError, Int, String)] = [
        (.request(.bodyNotJSON), 400, "INVALID_REQUEST"),
        (.request(.bodyTooLarge(bytesMax: 1)), 413, "REQUEST_TOO_LARGE"),
        (.request(.tooManyFields), 431, "TOO_MANY_FIELDS"),
        (.request(.unsupportedMediaType), 415, "UNSUPPORTED_MEDIA_TYPE"),
        (.request(.missingField("provider")), 400, "INVALID_PROVIDER"),
        (.request(.invalidField("provider", .notText)), 400, "INVALID_PROVIDER"),
        (.auth(.signIn(.unknownProvider)), 400, "INVALID_PROVIDER"),
        (.request(.missingField("idToken")), 400, "MISSING_TOKEN"),
        (.request(.missingField("refreshToken")), 400, "MISSING_REFRESH_TOKEN"),
        (.request(.invalidField("scope", .notText)), 400, "INVALID_REQUEST"),
        (.request(.notFound), 404, "NOT_FOUND"),
        (.auth(.signIn(.identityTokenReused)), 401, "AUTH_FAILED"),
        (.auth(.signIn(.identityRejected(.invalidSignature))), 401, "AUTH_FAILED"),
        (.auth(.signIn(.identityRejected(.nonceMismatch))), 401, "NONCE_MISMATCH"),
        (.auth(.signIn(.challengeUnknown)), 401, "NONCE_MISMATCH"),
        (.auth(.account(.disabled)), 403, "ACCOUNT_DISABLED"),
        (.auth(.accessToken(.missing)), 401, "UNAUTHORIZED"),
        (.auth(.accessToken(.expired)), 401, "TOKEN_EXPIRED"),
        (.auth(.accessToken(.sessionEnded)), 401, "UNAUTHORIZED"),
        (.auth(.accessToken(.administratorsOnly)), 403, "FORBIDDEN"),
        (.auth(.session(.notFound)), 404, "SESSION_NOT_FOUND"),
        (.auth(.refreshToken(.unknown)), 401, "INVALID_REFRESH_TOKEN"),
        (.auth(.refreshToken(.reusedOlder)), 401, "INVALID_REFRESH_TOKEN"),
        (.auth(.storage(.prefixRefused)), 400, "INVALID_PREFIX"),
        (.auth(.storage(.durationRefused)), 400, "INVALID_DURATION"),
        (.auth(.storage(.policyTooLarge)), 400, "PREFIX_TOO_LONG"),
        (.auth(.storage(.refused)), 502, "STORAGE_SERVICE_ERROR"),
        (.auth(.unavailable(.store)), 503, "SERVICE_UNAVAILABLE"),
        (
            .auth(.signIn(.identityRejected(.keysUnavailable(.timedOut)))), 503,
            "SERVICE_UNAVAILABLE"
        ),
        (.auth(.fault(.signingFailed)), 500, "INTERNAL_ERROR"),
    ]

    @Test func `latchkey has the documented codes`() {
        for (error, status, code) in Self.latchkey {
            expect(.latchkey, error, .signIn, status, code)
        }
    }

    static let whateat: [(APIError, AuthOperation, Int, String)] = [
        (.auth(.signIn(.unknownProvider)), .signIn, 400, "INVALID_PROVIDER"),
        (.request(.missingField("provider")), .signIn, 400, "INVALID_PROVIDER"),
        (.request(.invalidField("provider", .notText)), .signIn, 400, "INVALID_PROVIDER"),
        (.request(.missingField("idToken")), .signIn, 400, "MISSING_TOKEN"),
        (.request(.invalidField("idToken", .notText)), .signIn, 400, "MISSING_TOKEN"),
        (.auth(.signIn(.identityRejected(.tokenExpired))), .signIn, 401, "AUTH_FAILED"),
        (.auth(.signIn(.identityTokenReused)), .signIn, 401, "AUTH_FAILED"),
        (.auth(.unavailable(.store)), .signIn, 500, "AUTH_SERVICE_ERROR"),
        (.auth(.fault(.signingFailed)), .signIn, 500, "AUTH_SERVICE_ERROR"),
        (.request(.missingField("refreshToken")), .refresh, 400, "MISSING_REFRESH_TOKEN"),
        (.request(.invalidField("refreshToken", .notText)), .refresh, 400, "MISSING_REFRESH_TOKEN"),
        (.auth(.refreshToken(.expired)), .refresh, 401, "INVALID_REFRESH_TOKEN"),
        (.auth(.refreshToken(.malformed)), .refresh, 401, "INVALID_REFRESH_TOKEN"),
        (.auth(.unavailable(.contention)), .refresh, 500, "REFRESH_SERVICE_ERROR"),
        (.auth(.accessToken(.missing)), .signOut, 401, "UNAUTHORIZED"),
        (.auth(.accessToken(.expired)), .signOut, 401, "TOKEN_EXPIRED"),
    ]

    @Test func `whateat has the documented statuses and codes`() {
        for (error, operation, status, code) in Self.whateat {
            expect(.whateat, error, operation, status, code)
        }
    }

    /// The cases of the app's `GoogleSignInError` that a server can cause.
    @Test func `photolala has every code of its app that a server can cause`() {
        let rows: [(IdentityFailure, String)] = [
            (.invalidIDToken, "invalidIDToken"), (.missingKeyID, "missingKeyID"),
            (.unknownKeyID, "unknownKeyID"), (.invalidSignature, "invalidSignature"),
            (.invalidIssuer, "invalidIssuer"), (.invalidAudience, "invalidAudience"),
            (.tokenExpired, "tokenExpired"), (.tokenTooOld, "tokenExpired"),
            (.invalidIssuedAt, "invalidIssuedAt"), (.nonceMismatch, "nonceMismatch"),
        ]
        for (failure, code) in rows {
            expect(.photolala, .auth(.signIn(.identityRejected(failure))), .signIn, 401, code)
        }
    }
}
