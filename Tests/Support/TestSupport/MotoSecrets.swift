/// A secret in each AWS service that a setting can refer to, created by boto3.
package struct MotoSecrets: Sendable {
    package static let region = "eu-central-1"

    /// Encrypted with a key of KMS, in base64.
    package let ciphertext: String
    /// The ARN of a JSON secret with the members `masterKey` and `other`.
    package let secret: String
    /// A parameter that KMS encrypts.
    package let parameter: String
    /// The same with a key that another region has.
    package let foreignCiphertext: String

    package let url: String

    package init(_ plain: String) throws {
        url = try MotoServer.shared().url
        let python = try VirtualEnvironment.program("python")
        let result = try ChildProcess.run(Command(python, ["-c", Self.program, url, plain]))
        let lines = result.text.split(separator: "\n").map(String.init)
        guard result.end == .exit(0), lines.count == 4 else {
            throw MotoFailure.notInstalled("\(python): \(result.errorText)")
        }
        (ciphertext, secret, parameter) = (lines[0], lines[1], lines[2])
        foreignCiphertext = lines[3]
    }

    private static let program = #"""
        import base64, json, sys, uuid, boto3

        url, plain = sys.argv[1:]

        def client(name, region="eu-central-1"):
            return boto3.client(
                name, endpoint_url=url, region_name=region,
                aws_access_key_id="AKIATEST", aws_secret_access_key="secret")

        def encrypted(region):
            kms = client("kms", region)
            key = kms.create_key()["KeyMetadata"]["KeyId"]
            sealed = kms.encrypt(KeyId=key, Plaintext=plain.encode())["CiphertextBlob"]
            return base64.b64encode(sealed).decode()

        name = "latchkey-" + uuid.uuid4().hex
        secret = client("secretsmanager").create_secret(
            Name=name, SecretString=json.dumps({"masterKey": plain, "other": "x"}))["ARN"]
        parameter = "/latchkey/" + name
        client("ssm").put_parameter(Name=parameter, Value=plain, Type="SecureString")
        print(
            encrypted("eu-central-1"), secret, parameter, encrypted("us-west-2"), sep="\n")
        """#
}
