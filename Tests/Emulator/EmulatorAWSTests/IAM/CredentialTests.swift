import AWSSignature
import BaseTestSupport
import EmulatorAWS

private let now = Instant(seconds: 1_700_000_000)

private func authority(
    root: UInt8 = 7, revocations: Revocations = Revocations()
) throws -> CredentialAuthority {
    try CredentialAuthority(
        directory: IAMDirectory(
            account: "123456789012",
            accessKeys: [
                AccessKey(
                    id: "AKIADEVELOPER", secret: SecretBytes(utf8: "secret"),
                    owner: .root(account: "123456789012"))
            ], inventsRoles: true), root: SecretBytes([UInt8](repeating: root, count: 32)),
        revocations: revocations, random: .seeded(UInt64(root)))
}

private func issue(_ authority: CredentialAuthority) throws -> (id: String, token: String) {
    let issued = try authority.issue(
        IAMSession(
            issuedAt: now, expiresAt: now + .hours(1),
            role: RoleSession(roleARN: roleARN, name: "s")))
    return (
        issued.accessKeyID,
        String(decoding: try #require(issued.sessionToken).reveal(), as: UTF8.self)
    )
}

@Suite struct CredentialTests {
    @Test func `issued credentials are valid only with the same root key`()
        throws
    {
        let (id, token) = try issue(try authority())
        #expect(id.utf8.count == 20 && id.hasPrefix("ASIA"))
        let restarted = try authority().identify(id, token: token, at: now)
        expectEqual(restarted.secret.count, 40)
        expectEqual(restarted.identity.arn, "arn:aws:sts::123456789012:assumed-role/app/s")
        #expect(restarted.identity.userID.hasSuffix(":s"))
        #expect(throws: CredentialFailure.invalidToken) {
            try authority(root: 8).identify(id, token: token, at: now)
        }
    }

    @Test func `credentials expire exactly at their expiry`() throws {
        let authority = try authority()
        let (id, token) = try issue(authority)
        let end = now + .hours(1)
        _ = try authority.identify(id, token: token, at: end - .milliseconds(1))
        #expect(throws: CredentialFailure.expired) {
            try authority.identify(id, token: token, at: end)
        }
    }

    @Test func `a foreign, truncated, missing or unexpected session token is refused`()
        throws
    {
        let authority = try authority()
        let (id, token) = try issue(authority)
        let (other, otherToken) = try issue(authority)
        for (id, token, failure) in [
            (id, otherToken, .invalidToken), (other, token, .invalidToken),
            (id, String(token.dropLast(4)), .invalidToken), (id, "", .invalidToken),
            (id, "AAAA", .invalidToken), (id, nil, .unknownAccessKey),
            ("AKIANOBODY", nil, .unknownAccessKey), ("AKIADEVELOPER", token, .unknownAccessKey),
            ("\u{212A}", token, .unknownAccessKey),
        ] as [(String, String?, CredentialFailure)] {
            #expect(throws: failure) { try authority.identify(id, token: token, at: now) }
        }
    }

    @Test func `revocations survive a restart`() throws {
        let saved = Saved()
        let revocations = try #require(
            Revocations(saved: []) { bytes in
                saved.bytes = bytes
                return true
            })
        let (id, token) = try issue(try authority())
        let (other, otherToken) = try issue(try authority(root: 7))
        _ = (other, otherToken)
        #expect(revocations.revoke(roleARN, issuedUpTo: now - .milliseconds(1)))
        #expect(
            try !authority(revocations: revocations).identify(id, token: token, at: now)
                .identity.isRevoked)
        #expect(revocations.revoke(id, issuedUpTo: now))
        let restarted = try authority(revocations: try #require(Revocations(saved: saved.bytes)))
        #expect(try restarted.identify(id, token: token, at: now).identity.isRevoked)
    }

    @Test(arguments: ["{", "{}", "null", "[1]", #"[{"name":"a"}]"#, #"[{"until":1}]"#])
    func `unreadable saved revocations are an error`(saved: String) {
        #expect(Revocations(saved: Array(saved.utf8)) == nil)
    }

    @Test func `a revocation that cannot be saved fails`() throws {
        let revocations = try #require(Revocations(saved: []) { _ in false })
        let (id, token) = try issue(try authority())
        #expect(!revocations.revoke(id, issuedUpTo: now))
        #expect(
            try !authority(revocations: revocations).identify(id, token: token, at: now)
                .identity.isRevoked)
    }
}

/// Only used by one test, on one thread.
private final class Saved: @unchecked Sendable {
    var bytes: [UInt8] = []
}

@Suite struct AuthenticationTests {
    private let credentials = AWSCredentials(
        accessKeyID: "AKIADEVELOPER", secretAccessKey: SecretBytes(utf8: "secret"))

    private func verify(
        _ change: (inout HTTPRequest) -> Void = { _ in }, at moment: Instant = now,
        with credentials: AWSCredentials? = nil, service: String = "sts"
    ) throws -> AuthenticatedCall {
        var request = try Signer(
            credentials ?? self.credentials, region: "eu-west-1", service: service
        ).sign(HTTPRequest(.post, "http://127.0.0.1:8001/?a=b", body: [1]), at: now)
        change(&request)
        return try RequestAuthenticator(try authority(), service: "sts", skewMax: .minutes(5))
            .authenticate(
                try SignableRequest(request), payloadHash: Hex.encode(SHA256.hash([1])), at: moment)
    }

    @Test func `a signed request is authenticated as its signer`() throws {
        #expect(try verify().identity.isRoot)
        #expect(try verify(at: now + .minutes(5)).identity.isRoot)
    }

    @Test func `each authentication failure has its own error`() throws {
        #expect(throws: AuthenticationFailure.missing) { try verify({ $0.headers = [] }) }
        #expect(throws: AuthenticationFailure.skewed(signedAt: now)) {
            try verify(at: now + .milliseconds(300_001))
        }
        #expect(throws: AuthenticationFailure.skewed(signedAt: now)) {
            try verify(at: now - .milliseconds(300_001))
        }
        #expect(throws: AuthenticationFailure.wrongService("s3")) { try verify(service: "s3") }
        let unknown = AWSCredentials(
            accessKeyID: "AKIANOBODY", secretAccessKey: SecretBytes(utf8: "secret"))
        #expect(throws: AuthenticationFailure.unknownAccessKey("AKIANOBODY")) {
            try verify(with: unknown)
        }
        #expect(throws: AuthenticationFailure.malformed) {
            try verify({ request in
                request.headers.removeAll { $0.name == "X-Amz-Date" }
            })
        }
        #expect(throws: AuthenticationFailure.unknownAlgorithm) {
            try verify({ $0.headers = [HTTPHeader("Authorization", "Basic eDp5")] })
        }
    }

    @Test func `a wrong secret or a changed request is an invalid signature`() throws {
        let forger = AWSCredentials(
            accessKeyID: "AKIADEVELOPER", secretAccessKey: SecretBytes(utf8: "guess"))
        #expect { try verify(with: forger) } throws: { isWrongSignature($0) }
        #expect { try verify({ $0.url = "http://127.0.0.1:8001/?a=c" }) } throws: {
            isWrongSignature($0)
        }
        #expect {
            try verify({ $0.headers.append(HTTPHeader("x-amz-target", "unsigned")) })
        } throws: { isWrongSignature($0) }
    }

    @Test(arguments: [
        (ServiceProtocol.query, 403, "MissingAuthenticationToken", 400, "IncompleteSignature"),
        (.json, 400, "MissingAuthenticationTokenException", 400, "IncompleteSignatureException"),
        (.rest, 403, "MissingAuthenticationTokenException", 403, "IncompleteSignatureException"),
    ])
    func `each protocol has its own error names`(
        form: ServiceProtocol, missingStatus: Int, missing: String, status: Int, code: String
    ) throws {
        let authenticator = RequestAuthenticator(
            try authority(), service: "sts", skewMax: .minutes(5))
        func refusal(_ headers: [HTTPHeader]) -> CallRefusal? {
            let call = ServiceCall(
                method: "POST", target: "/", headers: headers, body: [],
                sourceAddress: "127.0.0.1")
            do throws(CallRefusal) {
                _ = try authenticator.authenticate(call, in: form, at: now)
                return nil
            } catch {
                return error
            }
        }
        let unsigned = refusal([])
        #expect(unsigned?.status == missingStatus && unsigned?.code == missing)
        let malformed = refusal([HTTPHeader("Authorization", "Basic eDp5")])
        #expect(malformed?.status == status && malformed?.code == code)
    }

    private func isWrongSignature(_ error: any Error) -> Bool {
        if case .wrongSignature = error as? AuthenticationFailure { true } else { false }
    }
}
