import AuthTestSupport

/// Programs that sign people out, and servers that are notified when sessions end.
extension ThirdParties {
    /// A program, or another site with a stolen ID token, leads a browser to sign out.
    func leaveByProgram(_ device: Device, _ choices: Choices) async {
        if choices.happens(40) { stopReceiver(choices) }
        // Signs out without any program.
        if choices.happens(25) { return await leave(device) }
        let told = holdings.filter { $0.program.farewell != nil }
        let mine = told.filter { $0.person == device.person }
        let known = choices.happens(65) && !mine.isEmpty ? mine : told
        guard !known.isEmpty else { return }
        let holding = choices.one(of: Array(known.suffix(6)))
        let browser = browser(of: device)
        var pairs: [(String, String)] = []
        if choices.happens(75), let identity = holding.identity {
            pairs.append(("id_token_hint", identity))
        }
        if pairs.isEmpty || choices.happens(40) { pairs.append(("client_id", holding.program.id)) }
        if choices.happens(80), let address = holding.program.farewell {
            let other = choices.one(of: [ProviderFlaws.evil, address + "/other"])
            pairs.append(("post_logout_redirect_uri", choices.happens(15) ? other : address))
            if choices.happens(50) { pairs.append(("state", "state-\(context.nextNumber())")) }
        }
        let page = await browser.open("/oauth/logout", pairs)
        guard let page, page.status == 200, let form = page.hidden("form"), choices.happens(50)
        else { return }
        let names = ["client_id", "post_logout_redirect_uri", "state"]
        let kept = names.compactMap { name in page.hidden(name).map { (name, $0) } }
        _ = await browser.submit("/auth/ui/logout", [("form", form)] + kept)
    }

    func stopReceiver(_ choices: Choices) {
        for program in programs where program.noticeAddress != nil {
            simulation.deployment.logout?.turn(program.id, isDown: choices.happens(60))
        }
    }
}
