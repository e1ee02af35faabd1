import HTTPClient

/// The clients of secrets with independent implementations of the services (moto), and values that
/// boto3 stored.
@Suite struct SecretServiceTests {
    private static let plain = "a master key in the clear, with ümlaut"
    private static let stored = Result { try MotoSecrets(plain) }

    private let secrets: MotoSecrets
    private let settings: AWSSettings
    private let ports = AWSPorts(
        transport: CurlTransport(trust: CertificateTrust { _ in nil }).transport, clock: .system,
        random: .system, sleep: { _ in }, retry: .once)

    init() throws {
        let secrets = try Self.stored.get()
        self.secrets = secrets
        settings = try AWSSettings {
            ["AWS_REGION": MotoSecrets.region, "AWS_ENDPOINT_URL": secrets.url][$0]
        }
    }

    private var kms: KMSClient { KMSClient(settings, ports, credentials: .fixed(testKeys)) }

    private func refusal(_ body: () throws -> Void) -> AWSRefusal? {
        do { try body() } catch AWSFailure.refused(let refusal) { return refusal } catch {}
        return nil
    }

    @Test func `KMS decrypts what boto3 encrypted`() throws {
        let ciphertext = try #require(Base64.decode(secrets.ciphertext))
        try expectEqual(kms.decrypt(ciphertext), SecretBytes(utf8: Self.plain))
    }

    @Test func `a changed ciphertext is refused`() throws {
        var ciphertext = try #require(Base64.decode(secrets.ciphertext))
        ciphertext[ciphertext.count - 1] ^= 1
        let refusal = try #require(refusal { _ = try kms.decrypt(ciphertext) })
        #expect(refusal.status == 400 && refusal.code == "InvalidCiphertextException")
    }

    @Test(arguments: ["AA==", "bm90IGEgY2lwaGVydGV4dA=="])
    func `a malformed ciphertext is refused`(text: String) throws {
        let bytes = try #require(Base64.decode(text))
        let refusal = try #require(refusal { _ = try kms.decrypt(bytes) })
        expectEqual(refusal.code, "InvalidCiphertextException")
    }

    /// The ciphertext names its key, which this region does not have.
    @Test func `a ciphertext of another key is refused`() throws {
        let ciphertext = try #require(Base64.decode(secrets.foreignCiphertext))
        let refusal = try #require(refusal { _ = try kms.decrypt(ciphertext) })
        expectEqual(refusal.status, 400)
    }

    @Test func `Secrets Manager returns the secret that boto3 created`() throws {
        let client = SecretsManagerClient(settings, ports, credentials: .fixed(testKeys))
        let value = try client.getSecretValue(id: secrets.secret)
        #expect(String(decoding: value.reveal(), as: UTF8.self).contains(Self.plain.prefix(20)))
        let refusal = try #require(refusal { _ = try client.getSecretValue(id: "no-such") })
        expectEqual(refusal.code, "ResourceNotFoundException")
    }

    @Test func `the Parameter Store returns the parameter, decrypted`() throws {
        let client = SSMClient(settings, ports, credentials: .fixed(testKeys))
        let value = try client.getParameter(name: secrets.parameter, decrypted: true)
        expectEqual(value, SecretBytes(utf8: Self.plain))
        let sealed = try client.getParameter(name: secrets.parameter, decrypted: false)
        #expect(sealed != value)
        let refusal = try #require(
            refusal { _ = try client.getParameter(name: "/no/such", decrypted: true) })
        expectEqual(refusal.code, "ParameterNotFound")
    }
}
