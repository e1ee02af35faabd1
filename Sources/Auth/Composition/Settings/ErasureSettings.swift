internal import AuthOperations

/// The settings for erasing or moving the data of ended accounts that is outside the store: the
/// objects if storage is configured, Apple's tokens if a key for revoking them is configured, and
/// the application's data if it has hooks for that. The hooks are read before these settings.
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
