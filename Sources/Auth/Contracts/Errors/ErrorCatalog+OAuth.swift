internal import AuthOperations

// The errors of the provider. The codes are the names that OAuth has for them, in upper case.
extension ErrorResponse {
    static func standard(_ error: OAuthError) -> ErrorResponse {
        switch error {
        case .invalidRequest(let rule): ErrorResponse(400, "INVALID_REQUEST", rule.text)
        case .invalidClient(_, let expected):
            invalidClient(expected)
        case .unauthorizedClient(let type):
            ErrorResponse(
                400, "UNAUTHORIZED_CLIENT", "The client's grant_types lack \(type.rawValue).")
        case .unsupportedGrantType:
            ErrorResponse(400, "UNSUPPORTED_GRANT_TYPE", "The grant type is not supported.")
        case .unsupportedResponseType:
            ErrorResponse(400, "UNSUPPORTED_RESPONSE_TYPE", "response_type must be code.")
        case .invalidGrant(let dead): ErrorResponse(400, "INVALID_GRANT", text(dead))
        case .invalidScope(let word, _):
            ErrorResponse(
                400, "INVALID_SCOPE",
                "\(word.map { "The scope \($0.text)" } ?? "A word of scope") is unknown, or not "
                    + "granted.")
        case .invalidTarget(let resource):
            ErrorResponse(
                400, "INVALID_TARGET",
                "The resource \(resource.map { "\($0.text) " } ?? "")is unknown, or not granted.")
        case .targetMissing:
            ErrorResponse(400, "INVALID_TARGET", "Name one server by resource.")
        case .accessDenied: ErrorResponse(400, "ACCESS_DENIED", "The user denied the request.")
        case .loginRequired: ErrorResponse(400, "LOGIN_REQUIRED", "Nobody is signed in.")
        case .consentRequired: ErrorResponse(400, "CONSENT_REQUIRED", "The user must consent.")
        case .interactionRequired:
            ErrorResponse(400, "INTERACTION_REQUIRED", "The user must authenticate and consent.")
        case .unmetRequirements:
            ErrorResponse(400, "UNMET_AUTHENTICATION_REQUIREMENTS", "The acr was not reached.")
        case .unknownRequest:
            ErrorResponse(400, "INVALID_REQUEST", "The request is unknown or has expired.")
        case .authorizationPending:
            ErrorResponse(400, "AUTHORIZATION_PENDING", "The user has not decided yet.")
        case .slowDown: ErrorResponse(400, "SLOW_DOWN", "Wait 5 seconds longer between requests.")
        case .expiredToken: ErrorResponse(400, "EXPIRED_TOKEN", "The user has not decided in time.")
        case .wrongUserCode:
            ErrorResponse(
                400, "INVALID_REQUEST", "No device shows this code.", field: "user_code")
        case .unsupported(let parameter): unsupported(parameter)
        case .unacceptable(let problem): unacceptable(problem)
        case .clientNotFound: ErrorResponse(404, "CLIENT_NOT_FOUND", "There is no such client.")
        case .configuredClient:
            ErrorResponse(409, "CLIENT_IS_CONFIGURED", "Change the client in OAUTH_CLIENTS.")
        case .notGranted: ErrorResponse(404, "APPLICATION_NOT_FOUND", "No such app has access.")
        case .insufficientScope(let scope):
            ErrorResponse(403, "INSUFFICIENT_SCOPE", "The token lacks a scope.")
                .adding(
                    "www-authenticate",
                    "Bearer error=\"insufficient_scope\", scope=\"\(scope.text)\"")
        case .tokenOfOtherServer: tokenOfOtherServer
        case .useNonce(let nonce, let isWithToken):
            useNonce(isWithToken ? 401 : 400).adding("dpop-nonce", nonce)
        }
    }

    /// Another client's code or token is not distinguished from an unknown one.
    private static func text(_ dead: OAuthError.DeadGrant) -> String {
        switch dead {
        case .unknown, .otherClient, .reused: "The code or token is invalid or another client's."
        case .expired: "The code has expired."
        case .used: "The code was used before."
        case .wrongVerifier: "code_verifier does not match code_challenge."
        case .otherRedirectURI: "redirect_uri differs from that of the first request."
        case .ended: "The grant has ended: ask the user again."
        }
    }

    private static var tokenOfOtherServer: ErrorResponse {
        ErrorResponse(
            401, "INVALID_TOKEN",
            "The token is for another server: request one with this issuer as resource."
        ).adding("www-authenticate", "Bearer error=\"invalid_token\"")
    }

    /// RFC 7591 section 3.2.2.
    private static func unacceptable(_ problem: ClientMetadata.Problem) -> ErrorResponse {
        let isAddress = problem.member == "redirect_uris"
        return ErrorResponse(
            400, isAddress ? "INVALID_REDIRECT_URI" : "INVALID_CLIENT_METADATA",
            "\(problem.member) \(problem.rule).")
    }

    private static func invalidClient(_ expected: Client.Authentication?) -> ErrorResponse {
        ErrorResponse(
            401, "INVALID_CLIENT",
            expected.map { "The client must authenticate by \($0.rawValue)." }
                ?? "The client is unknown, or authentication failed.")
    }

    /// RFC 9449 sections 8 and 9.
    private static func useNonce(_ status: Int) -> ErrorResponse {
        let response = ErrorResponse(
            status, "USE_DPOP_NONCE",
            "The DPoP proof is too old or too new: repeat it with the nonce.")
        return status == 401 ? response.challengingForProof("use_dpop_nonce") : response
    }

    private static func unsupported(_ parameter: OAuthError.UnsupportedParameter) -> ErrorResponse {
        switch parameter {
        case .request: ErrorResponse(400, "REQUEST_NOT_SUPPORTED", "request is not supported.")
        case .requestURI:
            ErrorResponse(400, "REQUEST_URI_NOT_SUPPORTED", "request_uri is not supported.")
        case .registration:
            ErrorResponse(400, "REGISTRATION_NOT_SUPPORTED", "registration is not supported.")
        }
    }
}
