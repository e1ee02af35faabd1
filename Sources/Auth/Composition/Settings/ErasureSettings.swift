internal import AuthOperations

/// The settings for erasing or moving data of ended accounts outside the store: objects if storage
/// is configured, Apple's tokens if a key for revoking them is, and the application's data if it
/// has hooks for that, which are installed before.
struct ErasureSettings: ServicePart {
    let storage: StorageSettings?
    let providers: ProviderSettings?

    func install(in services: inout OptionalServices, _ context: ServiceContext) {
        var eraseObjects: ErasureServices.EraseObjects?
        var copyObjects: ErasureServices.CopyObjects?
        if let storage {
            let sessions = context.aws.storageSessions(
                storage, keys: context.signingKeys, issuer: context.issuer)
            eraseObjects = { user, end throws(ErasureFailure) in
                guard let sessions else { throw .refused }
                return try StorageErasure(sessions: sessions).erase(user, until: end)
            }
            copyObjects = { copy, end throws(ErasureFailure) in
                guard let sessions else { throw .refused }
                return try StorageCopy(sessions: sessions).copy(copy, until: end)
            }
        }
        services.erasure = ErasureServices(
            eraseObjects: eraseObjects, copyObjects: copyObjects,
            participant: services.hooks?.mergeParticipant(context.assembly.clock),
            eraseApplicationPart: services.hooks?.erasure(context.assembly.clock),
            revoke: providers?.revocation(
                context.keySets, transport: context.providerTransport) ?? [:],
            report: context.reports.erasure)
    }
}
