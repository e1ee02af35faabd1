import AuthDomain
import AuthStorage
import Bytes
import Contracts
import Foundation
import JOSE
import JSON
import KeyValueStore
import TestSupport
import Time

/// What every function is deployed with, unless a fixture says otherwise.
enum BaseEnvironment {
    static let issuer = "https://auth.example.com"

    static func variables(contract: String) -> [String: String] {
        [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "CONTRACT": contract,
            "STORE": "sqlite:<directory>/latchkey.db",
            "ISSUER": issuer,
            "APPLE_CLIENT_IDS": IdentityProviderStub.appleClientID,
            "APPLE_ISSUER": "<idp>/apple",
            "GOOGLE_CLIENT_IDS": IdentityProviderStub.googleClientID,
            "GOOGLE_ISSUER": "<idp>/google",
            "STORAGE_BUCKET": "photos",
            "STORAGE_ROLE_ARN": "arn:aws:iam::123456789012:role/uploads",
            "AWS_REGION": "eu-central-1",
            "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "c2VjcmV0LW9mLXRoZS1kZXBsb3ltZW50LTEyMw",
            "AWS_ENDPOINT_URL_STS": "<sts>",
        ]
    }

    static let secrets = ["AWS_SECRET_ACCESS_KEY", "MASTER_KEY", "JWT_SECRET", "SIGNING_KEY"]
}

/// How the tokens of each contract look, strictly.
enum ContractShapes {
    static func tokens(of name: String) throws -> TokenShapes {
        guard let policy = Contract.named(name)?.policy else {
            // A fixture may name a contract that is none.
            return TokenShapes(refreshTokenPrefix: "", isAccessToken: { _ in false })
        }
        guard case .opaque(let prefix) = policy.refreshTokenForm else {
            throw Given.Malformed(description: "\(name) has refresh tokens of another form")
        }
        return TokenShapes(refreshTokenPrefix: prefix) { token in
            let parts = token.split(separator: ".", omittingEmptySubsequences: false)
                .map { Base64URL.decode($0) }
            guard parts.count == 3, let header = parts[0], let payload = parts[1],
                parts[2]?.isEmpty == false
            else { return false }
            let tokens = TokenShapes(refreshTokenPrefix: prefix, isAccessToken: { _ in false })
            guard let header = try? JSON.parse(header, limits: .request),
                let claims = try? JSON.parse(payload, limits: .request)
            else { return false }
            return Expectation(self.header(policy), tokens: tokens).differences(from: header)
                .isEmpty
                && Expectation(self.claims(policy), tokens: tokens).differences(from: claims)
                    .isEmpty
                && lifetime(claims) == policy.accessTokenLifetime.seconds
        }
    }

    private static func header(_ policy: Policy) -> JSON {
        var header: JSONObject = [
            "alg": .string(policy.accessToken.algorithm.rawValue.uppercased()),
            "typ": .string(policy.accessToken.type),
        ]
        if policy.accessToken.algorithm != .hs256 { header["kid"] = "<kid>" }
        return .object(header)
    }

    private static func claims(_ policy: Policy) -> JSON {
        [
            "iss": .string(BaseEnvironment.issuer), "aud": .string(policy.accessToken.audience),
            "client_id": .string(policy.accessToken.audience), "sub": "<uuid>", "sid": "<uuid>",
            "iat": "<epochSeconds>", "exp": "<epochSeconds>", "jti": "<base64url>",
            "epoch": "<integer>",
        ]
    }

    private static func lifetime(_ claims: JSON) -> Int64? {
        guard let iat = claims["iat"]?.int64Value, let exp = claims["exp"]?.int64Value else {
            return nil
        }
        return exp - iat
    }
}

/// Changes to accounts that no function makes.
enum Accounts {
    static func change(
        _ id: String, to change: AccountChange, in store: any KeyValueStore
    ) throws {
        guard let id = UserID(parsing: id), let item = try store.get(StoreLayout.profile(id)) else {
            throw Scenario.Failure(description: "there is no account \(id)")
        }
        let user = try UserRecord.user(item, id: id)
        try store.write([
            UserRecord.replacing(user) {
                switch change {
                case .disabled: $0.isDisabled = true
                case .administrator: $0.isAdmin = true
                }
            }
        ])
    }
}

/// The event of an HTTP API, for steps.
enum GatewayEvent {
    static func make(method: String, path: String, body: JSON?, bearer: String?) -> JSON {
        var headers: JSONObject = ["content-type": "application/json"]
        headers["authorization"] = bearer.map { .string("Bearer \($0)") }
        var event: JSONObject = [
            "version": "2.0", "routeKey": "$default", "rawPath": .string(path),
            "rawQueryString": "", "headers": .object(headers),
            "requestContext": [
                "http": [
                    "method": .string(method), "path": .string(path), "protocol": "HTTP/1.1",
                    "sourceIp": "203.0.113.9", "userAgent": "App/1.0",
                ],
                "requestId": "JKJaXmPLvHcESHA=", "routeKey": "$default", "stage": "$default",
            ],
            "isBase64Encoded": false,
        ]
        event["body"] = body.map { .string($0.text) }
        return .object(event)
    }
}

/// Whether what STS was asked for reaches outside the prefix of the user it is for.
enum PolicyCheck {
    /// The form with its policy as a tree.
    static func readable(_ form: JSONObject) -> JSON {
        var form = form
        if let text = form["Policy"]?.stringValue,
            let policy = try? JSON.parse(text, limits: .request)
        {
            form["Policy"] = policy
        }
        return .object(form)
    }

    static func problems(in form: JSONObject) -> [String] {
        guard let user = form["RoleSessionName"]?.stringValue, UserID(parsing: user) != nil else {
            return ["sts: RoleSessionName is no user"]
        }
        guard let statements = readable(form)["Policy"]?["Statement"]?.arrayValue,
            !statements.isEmpty
        else { return ["sts: there is no policy"] }
        return statements.flatMap { problems(in: $0, user) }
    }

    private static func problems(in statement: JSON, _ user: String) -> [String] {
        let own = "users/\(user)/"
        let resource = statement["Resource"]?.stringValue ?? ""
        let condition = statement["Condition"]?["StringLike"]?["s3:prefix"]?.stringValue
        let reach: String
        if resource == "arn:aws:s3:::photos", statement["Action"] == "s3:ListBucket" {
            reach = condition ?? ""
        } else if resource.hasPrefix("arn:aws:s3:::photos/") {
            reach = String(resource.dropFirst("arn:aws:s3:::photos/".count))
        } else {
            return ["sts: a statement is about \(resource)"]
        }
        let plain = reach.dropLast()
        let isOwn = reach.hasPrefix(own) && reach.last == "*" && plain.last == "/"
        let isLiteral = !plain.contains { "*?$".contains($0) } && !plain.contains("/../")
        return isOwn && isLiteral ? [] : ["sts: a statement reaches \(reach)"]
    }
}
