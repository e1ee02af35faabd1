import JSON

// Resource servers that exchange the tokens that they receive (RFC 8693).
extension ThirdParties {
    /// A resource server calls another one for the user.
    func exchange(_ token: String, of holding: Holding, by server: Program) async {
        let answer = await send(
            server.request(
                "/oauth/token",
                [
                    ("grant_type", Program.exchange), ("subject_token", token),
                    ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
                    ("resource", server.targets[0]),
                ]), of: holding.person)
        guard let answer, answer.status == 200 else { return }
        let json = try? JSON.parse(answer.body, limits: .event)
        holding.exchanged = json?["access_token"]?.stringValue ?? holding.exchanged
    }

    func useExchanged(_ token: String, of holding: Holding, _ choices: Choices) async {
        let audience = ClientToken(token)?.audience
        guard let server = ProviderSettings.servers.first(where: { $0.resource == audience })
        else { return }
        if choices.happens(50) {
            askGateway(token, at: server.resource ?? "", holding.person, proof: nil)
        } else {
            _ = await introspect(token, by: server, holding.person)
        }
    }
}
