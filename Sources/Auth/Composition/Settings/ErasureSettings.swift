internal import AuthOperations

/// The settings for erasing data of deleted accounts outside the store: objects if storage is
/// configured, and Apple's tokens if a key for revoking them is.
struct ErasureSettings: ServicePart {
    let storage: StorageSettings?
    let providers: ProviderSettings?

    func install(in services: inout OptionalServices, _ context: ServiceContext) {
        var eraseObjects: ErasureServices.EraseObjects?
        if let storage {
            let erasure = context.aws.erasure(
                storage, keys: context.signingKeys, issuer: context.issuer)
            eraseObjects = { user, end throws(ErasureFailure) in
                guard let erasure else { throw .refused }
                return try erasure.erase(user, until: end)
            }
        }
        services.erasure = ErasureServices(
            eraseObjects: eraseObjects,
            revoke: providers?.revocation(
                context.keySets, transport: context.providerTransport) ?? [:],
            report: context.reports.erasure)
    }
}
