internal import AuthOperations

/// How what belongs to deleted accounts is erased outside of the store: objects, where there is
/// storage, and tokens of Apple, where there is a key for it.
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
