internal import Cryptography
internal import EmulatorAWS
internal import EmulatorGateway
internal import EmulatorLambda
internal import EmulatorThirdParties
internal import HTTP
internal import JOSE
internal import JSON
internal import Time

// Connects the services to each other and to the network.
extension EmulatorServices {
    private static let documentLimits = HTTPLimits(
        connectMillisecondsMax: 1000, totalMillisecondsMax: 1500, responseBytesMax: 256 << 10)

    func gatewayPorts(_ authority: CredentialAuthority) -> GatewayPorts {
        GatewayPorts(
            invoke: { [functions] name, payload, trace, completion in
                functions.invoke(name.text, InvocationRequest(payload: payload, traceID: trace)) {
                    completion(InvocationOutcome($0))
                }
            },
            clock: .system, random: identifiers,
            after: supervisor.after,
            fetch: { [transport, addresses] url, completion in
                // The request is sent on its own thread, because it may go to this same server.
                let isStarted = BackgroundThread.run {
                    completion(Self.document(addresses.reachable(url), transport))
                }
                if !isStarted { completion(nil) }
            },
            identify: { request, action, resource in
                CallerVerification.identify(request, action, resource, authority)
            })
    }

    static func document(_ url: String, _ transport: HTTPTransport) -> [UInt8]? {
        let request = HTTPRequest(.get, url, limits: documentLimits)
        guard let response = try? transport.send(request), response.status == 200 else {
            return nil
        }
        return response.body
    }

    /// The keys come directly from the emulated identity providers, and by OpenID discovery from
    /// other issuers.
    var issuerKeys: IssuerKeys {
        IssuerKeys { [transport, identity, addresses] issuer throws(IssuerKeys.Failure) in
            if let keys = identity.keySet(issuer: issuer) { return keys }
            let path = "/.well-known/openid-configuration"
            let discovered = addresses.reachable(issuer + path)
            guard let document = Self.document(discovered, transport) else {
                throw .unreachable
            }
            let discovery = try? JSON.parse(document, limits: .event)
            guard let url = discovery?["jwks_uri"]?.stringValue else { throw .none }
            guard let bytes = Self.document(addresses.reachable(url), transport) else {
                throw .unreachable
            }
            guard let keys = try? JSON.parse(bytes, limits: .event),
                let set = try? KeySet(jwks: keys)
            else { throw .none }
            return set
        }
    }

    /// The issuers that STS accepts: the emulated identity providers and the app itself.
    func openIDProviders(of loaded: LoadedTemplate) -> [OpenIDProvider] {
        identity.issuers.map { name, issuer in
            switch name {
            case "google": OpenIDProvider(builtIn: "accounts.google.com", issuer: issuer)
            case "apple":
                OpenIDProvider(issuer: issuer, audiences: [], name: "appleid.apple.com")
            default: OpenIDProvider(issuer: issuer, audiences: [])
            }
        } + [OpenIDProvider(issuer: addresses.issuerURL, audiences: ["sts.amazonaws.com"])]
    }
}

extension ProcessSupervisor {
    /// Runs an action later. It must not block.
    var after: @Sendable (Span, @escaping @Sendable () -> Void) -> Void {
        { [self] delay, action in
            timer(action).schedule(afterMilliseconds: Int(delay.milliseconds))
        }
    }
}

/// Sends webhooks in the background.
enum NotificationDelivery {
    static func posting(
        by transport: HTTPTransport
    ) -> @Sendable (String, [UInt8], @escaping @Sendable (Int?) -> Void) -> Void {
        { url, body, done in
            let isStarted = BackgroundThread.run {
                let request = HTTPRequest(
                    .post, url, headers: [HTTPHeader("Content-Type", "application/json")],
                    body: body)
                done(try? transport.send(request).status)
            }
            if !isStarted { done(nil) }
        }
    }
}

extension InvocationOutcome {
    init(_ result: InvocationResult) {
        switch result.outcome {
        case .answered(let bytes): self = .returned(bytes)
        case .failed(let error):
            self = Self.isTimeout(error) ? .timedOut : .failed(error)
        case .throttled: self = .throttled
        case .unknownFunction: self = .failed(Array(#"{"message":"Function not found"}"#.utf8))
        }
    }

    private static func isTimeout(_ error: [UInt8]) -> Bool {
        guard error.count < 4096, let json = try? JSON.parse(error, limits: .event) else {
            return false
        }
        return json["errorType"]?.stringValue == "Sandbox.Timedout"
    }
}
