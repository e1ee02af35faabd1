internal import AWSClients
internal import AuthOperations
internal import Bytes
internal import Cryptography
internal import DynamoDBStore
internal import FunctionRuntime
internal import JSON
internal import KeyValueStore

/// The AWS clients, created only if a setting needs them.
struct AWSParts: Sendable {
    private let assembly: Assembly
    private let requests: OutgoingRequests
    /// nil if no region is set; a setting that needs AWS is then an error.
    private let clients: Clients?

    private struct Clients: Sendable {
        let settings: AWSSettings
        let credentials: CredentialsProvider
    }

    init(_ assembly: Assembly, _ requests: OutgoingRequests) {
        self.assembly = assembly
        self.requests = requests
        let environment = assembly.environment
        let ports = Self.ports(for: .credentials, assembly, requests)
        let variable = { @Sendable (name: String) in environment[name] }
        clients = (try? AWSSettings(variable: variable)).map { settings in
            let chain = CredentialChain(
                settings, ports, variable: variable, readFile: { try? SecretFile.read($0) })
            return Clients(settings: settings, credentials: chain.provider)
        }
    }

    private static func ports(
        for purpose: RequestPurpose, _ assembly: Assembly, _ requests: OutgoingRequests
    ) -> AWSPorts {
        AWSPorts(
            transport: requests.transport(for: purpose), clock: assembly.clock,
            random: assembly.random, sleep: assembly.sleep)
    }

    private func ports(for purpose: RequestPurpose) -> AWSPorts {
        Self.ports(for: purpose, assembly, requests)
    }

    /// Reports missing settings before any call to AWS.
    func check(_ reader: inout SettingsReader) {
        guard clients == nil else { return }
        do {
            _ = try AWSSettings(variable: { assembly.environment[$0] })
        } catch {
            switch error {
            case .missingRegion: reader.refuse("AWS_REGION is required")
            case .invalidRegion: reader.refuse("AWS_REGION is not the name of a region")
            case .invalidEndpoint(let variable):
                reader.refuse("\(variable) must be an http or https URL")
            }
        }
    }

    /// nil if `check` has reported a problem.
    func dynamoDBStore(table: String) -> DynamoDBStore? {
        clients.map { clients in
            DynamoDBStore(
                table: table, clock: assembly.clock, random: assembly.random,
                pause: assembly.sleep,
                call: DynamoDBCall(
                    DynamoDBClient(
                        clients.settings, ports(for: .store), credentials: clients.credentials)))
        }
    }

    /// nil if `check` has reported a problem.
    var ses: SESClient? {
        clients.map { SESClient($0.settings, ports(for: .mail), credentials: $0.credentials) }
    }

    /// nil if `check` has reported a problem.
    var lambda: LambdaClient? {
        clients.map {
            LambdaClient($0.settings, ports(for: .hookFunction), credentials: $0.credentials)
        }
    }

    func broker(
        _ settings: StorageSettings, keys: SigningKeys, issuer: String
    ) -> StorageBroker? {
        clients.map { clients in
            let proof: AssumedRole.Proof =
                switch settings.mode {
                case .assumeRole: .ownCredentials(externalID: settings.externalID)
                case .webIdentity:
                    .webIdentity(
                        WebIdentityTokens(keys: keys, issuer: issuer, random: assembly.random))
                }
            let sts = STSClient(
                clients.settings, ports(for: .storage), credentials: clients.credentials)
            return AssumedRole(sts: sts, roleARN: settings.roleARN, proof: proof).broker
        }
    }

    /// nil if `check` has reported a problem.
    func storageSessions(
        _ settings: StorageSettings, keys: SigningKeys, issuer: String
    ) -> StorageSessions? {
        let place = settings.place
        // This is the functions' own S3 endpoint, if it is set, otherwise the endpoint for clients.
        let endpoint =
            clients.flatMap {
                $0.settings.hasOwnEndpoint(.s3) ? $0.settings.endpoint(of: .s3) : nil
            }
            ?? place.endpoint
        let regional = try? AWSSettings { name in
            switch name {
            case "AWS_REGION": place.region
            case "AWS_ENDPOINT_URL_S3": endpoint
            default: nil
            }
        }
        guard let regional, let broker = broker(settings, keys: keys, issuer: issuer) else {
            return nil
        }
        return StorageSessions(
            place: place, broker: broker, settings: regional, ports: ports(for: .storage))
    }

    var secretSource: SecretSource {
        SecretSource { reference throws(SecretFailure) in
            guard let clients = self.clients,
                let value = try? self.fetch(reference, clients)
            else { throw .notFetched }
            guard case .secretsManager(_, let member?) = reference else { return value }
            guard
                let text = try? JSON.parse(value.reveal(), limits: .request)[member]?.stringValue
            else { throw .noSuchMember }
            return SecretBytes(utf8: text)
        }
    }

    private func fetch(
        _ reference: SecretSource.Reference, _ clients: Clients
    ) throws(AWSFailure) -> SecretBytes {
        let ports = ports(for: .secrets)
        switch reference {
        case .secretsManager(let id, _):
            let client = SecretsManagerClient(
                clients.settings, ports, credentials: clients.credentials)
            return try client.getSecretValue(id: id)
        case .parameter(let name):
            let client = SSMClient(clients.settings, ports, credentials: clients.credentials)
            return try client.getParameter(name: name, decrypted: true)
        case .encrypted(let ciphertext):
            let client = KMSClient(clients.settings, ports, credentials: clients.credentials)
            return try client.decrypt(ciphertext)
        }
    }
}
