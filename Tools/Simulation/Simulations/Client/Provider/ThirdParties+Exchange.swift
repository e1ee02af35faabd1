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

// Programs that act for themselves (OAuth 2.1 section 4.2).
extension ThirdParties {
    /// A program gets a token for itself. The program, or a thief, uses it, sometimes where it must
    /// be refused.
    func actForItself(_ person: Int, _ choices: Choices) async {
        let program = current(choices.one(of: programs.filter(\.actsForItself)))
        let (photos, notes) = (ProviderSettings.photos, ProviderSettings.notes)
        var pairs = [
            ("grant_type", Program.ownGrant),
            ("resource", choices.happens(85) ? photos : notes),
        ]
        if choices.happens(60) {
            let scopes = ["photos:read", "photos:read photos:write", "photos:read openid"]
            pairs.append(("scope", choices.one(of: scopes)))
        }
        let secret = choices.happens(10) ? "a secret of somebody else" : nil
        let answer = await send(
            program.request("/oauth/token", pairs, secret: secret), of: person,
            isThief: secret != nil)
        if let answer, answer.status == 200,
            let token = (try? JSON.parse(answer.body, limits: .event))?["access_token"]?.stringValue
        {
            ownTokens.append(token)
        }
        guard !ownTokens.isEmpty else { return }
        let token = choices.one(of: Array(ownTokens.suffix(4)))
        let server = choices.one(of: ProviderSettings.servers)
        switch choices.draw(below: 6) {
        case 0: askGateway(token, at: server.resource ?? "", person, proof: nil)
        case 1: check(token, at: server.resource ?? "", person)
        case 2: _ = await send(.get("/auth/me", bearer: token), of: person, isThief: true)
        case 3: _ = await send(.get("/oauth/userinfo", bearer: token), of: person, isThief: true)
        case 4: _ = await introspect(token, by: program, person)
        default: _ = await introspect(token, by: server, person)
        }
    }

    /// Introspects a token.
    func probeOwn(_ token: String) async {
        _ = await introspect(token, by: ProviderSettings.servers[0], 0)
    }
}
