internal import Cryptography
internal import EmulatorAWS
internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorDynamoDB
internal import EmulatorThirdParties
internal import Time

// Opens each store in the data directory; errors name the file.
extension DataDirectory {
    func openTables(_ clock: WallClock, _ random: RandomSource) throws -> DynamoDBService {
        do throws(DynamoDBError) {
            return try DynamoDBService(
                tables, clock: clock, random: random, region: AWSAccount.region,
                account: AWSAccount.id)
        } catch {
            guard case .storage(let reason) = error else { throw error }
            throw CommandFailure("\(file(Self.tablesName) ?? "memory"): cannot open: \(reason)")
        }
    }

    func openObjects() throws -> ObjectStore {
        do throws(ObjectStoreFailure) {
            return try ObjectStore(directory: path)
        } catch {
            // The error names the file that caused it.
            throw CommandFailure("\(file("s3.sqlite") ?? "memory"): cannot open: \(error)")
        }
    }

    func openMailbox(_ faults: FaultList) throws -> Mailbox {
        do throws(MailboxFailure) {
            return try Mailbox(directory: path, clock: .system, faults: faults)
        } catch {
            throw CommandFailure("\(file("mail.sqlite") ?? "memory"): cannot open: \(error)")
        }
    }

    func openIdentity(
        _ configuration: IdentityConfiguration, baseURL: String, ports: IdentityPorts,
        faults: FaultList
    ) throws -> IdentityService {
        do throws(IdentityServiceFailure) {
            return try IdentityService(
                configuration, baseURL: baseURL, directory: path, ports: ports, faults: faults)
        } catch {
            switch error {
            case .issuerNames:
                throw CommandFailure(
                    "Metadata.Emulator.Identity: issuer names must be unique and consist of "
                        + "lower-case letters, digits and hyphens")
            case .storage(let reason):
                throw CommandFailure(
                    "\(file("identity.sqlite") ?? "memory"): cannot open: \(reason)")
            }
        }
    }

    func openSecrets(_ random: RandomSource) throws -> SecretsService {
        let kept = try document("secrets.json")
        do throws(SecretsFailure) {
            return try SecretsService(
                saved: kept.saved, region: AWSAccount.region, account: AWSAccount.id,
                clock: .system,
                random: random
            ) { bytes throws(SecretsFailure) in
                do throws(FileFailure) {
                    try kept.save(bytes)
                } catch {
                    throw .notSaved(reason: error.description)
                }
            }
        } catch {
            throw CommandFailure(
                "\(kept.path) is damaged; data encrypted with its secrets would be unreadable")
        }
    }
}
