internal import AuthOperations
internal import Cryptography
internal import HTTP
internal import IdentityProviders
internal import JOSE

/// The settings of a service that only some endpoints need, from which it is built.
protocol ServicePart: Sendable {
    func install(in services: inout OptionalServices, _ context: ServiceContext)
}

/// The values from which services are built, after all settings are read and the store is open.
struct ServiceContext {
    let assembly: Assembly
    let aws: AWSParts
    let reports: AssemblyReports
    let requests: OutgoingRequests
    let issuer: String
    let signingKeys: SigningKeys
    /// Further signing keys, of another algorithm.
    let makeSigningKeys: @Sendable (Algorithm) -> SigningKeys
    /// nil without the master key.
    let mailSealing: AESGCMKey?
    let providerTransport: HTTPTransport
    /// The key sets of identity providers.
    let keySets: KeySetCache
}
