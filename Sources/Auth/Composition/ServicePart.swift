internal import AuthOperations
internal import Cryptography
internal import HTTP
internal import IdentityProviders

/// The settings of a service that only some endpoints need, and how it is built from them.
protocol ServicePart: Sendable {
    func install(in services: inout OptionalServices, _ context: ServiceContext)
}

/// What services are built from, once every setting was read and the store is open.
struct ServiceContext {
    let assembly: Assembly
    let aws: AWSParts
    let reports: AssemblyReports
    let requests: OutgoingRequests
    let issuer: String
    let signingKeys: SigningKeys
    /// nil without the master key.
    let mailSealing: AESGCMKey?
    let providerTransport: HTTPTransport
    /// The keys of identity providers.
    let keySets: KeySetCache
}
