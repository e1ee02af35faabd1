import TestSupport

/// The built functions with a master key in AWS, emulated by moto and put there by boto3.
@Suite("Secrets in AWS, with real processes", .serialized, .hangLimit)
struct SecretProcessTests {
    private static let plain = "0123456789abcdef0123456789abcdef"

    private let secrets: MotoSecrets
    private let deployment: Deployment

    init() throws {
        secrets = try MotoSecrets(Self.plain)
        deployment = try Deployment([
            ("AWS_ENDPOINT_URL", secrets.url), ("AWS_REGION", MotoSecrets.region),
            ("AWS_ACCESS_KEY_ID", "AKIATEST"), ("AWS_SECRET_ACCESS_KEY", "secret"),
        ])
    }

    private func deployment(masterKey reference: String) -> Deployment {
        deployment.with("MASTER_KEY", reference)
    }

    @Test func `each form gives the same key`() throws {
        // All must be able to decrypt what one of them encrypts.
        let client = try deployment(masterKey: Self.plain).signIn()
        var token = client.refreshToken
        let references = [
            "kms:\(secrets.ciphertext)", "secretsmanager:\(secrets.secret)#masterKey",
            "ssm:\(secrets.parameter)",
        ]
        for reference in references {
            let answer = try deployment(masterKey: reference).refresh(token)
            expectEqual(answer.status, 200, "\(reference.prefix(8))")
            token = try #require(answer.refreshToken)
            try expectEqual(deployment(masterKey: reference).run("keys").status, 200)
        }
    }

    @Test func `a key that cannot be decrypted stops the function and is not printed`() throws {
        let ciphertexts = [
            secrets.foreignCiphertext, "AA==", String(secrets.ciphertext.dropLast(8)),
            "no base64",
            "",
        ]
        for ciphertext in ciphertexts {
            let result = try ChildProcess.run(
                deployment(masterKey: "kms:\(ciphertext)").command("keys"))
            expectStartFailure(result, saying: "MASTER_KEY")
            #expect(ciphertext.count < 8 || !result.errorText.contains(ciphertext))
        }
    }
}
