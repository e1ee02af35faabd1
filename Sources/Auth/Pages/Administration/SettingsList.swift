internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML

extension AdminPage {
    /// Every setting with its value, the source of the value, and its meaning. Those that do not
    /// concern this process are the last group.
    func settingsHTML() -> HTML {
        var (groups, others): ([SettingsDocument.Group], [SettingsDocument.Setting]) = ([], [])
        for var group in SettingsDocument.standard.groups {
            others += group.settings.filter { !isUsed($0) }
            group.settings = group.settings.filter(isUsed)
            if !group.settings.isEmpty { groups.append(group) }
        }
        let other = SettingsDocument.Group(title: texts(.groupOther), settings: others)
        return """
            <p class="soft">\(texts(.settingsAbout))</p>
            \(HTML(joining: groups.map { html($0) }))
            \(html(other, about: texts(.settingsOtherAbout)))
            """
    }

    /// Whether this process can use the setting: it is for no other contract and, in a server, not
    /// for a function behind API Gateway.
    private func isUsed(_ setting: SettingsDocument.Setting) -> Bool {
        if let found = auth.setting(setting.name, isSecret: setting.isSecret),
            found.source != .standard
        {
            return true
        }
        let contract = auth.setting("CONTRACT")?.value ?? Self.contracts[0]
        let named = setting.meaning.split { !($0.isLetter || $0.isNumber || $0 == "_") }
            .map(String.init).filter(Self.contracts.contains)
        let isServer = auth.activity != nil
        return (named.isEmpty || named.contains(contract))
            && !(isServer && Self.ofGateways.contains { setting.name.hasPrefix($0) })
    }

    private static let contracts = [
        "latchkey", "whateat", "photolala", "livlogios", "news_app", "shell",
    ]
    private static let ofGateways = ["AUTHORIZER_", "AWS_LAMBDA_"]

    /// The language of the documents, if it is not the language of the page.
    private var english: HTML { texts.language == .english ? HTML() : " lang=\"en\"" }

    private func html(_ group: SettingsDocument.Group, about: String? = nil) -> HTML {
        let rows = group.settings.map { setting in
            (setting, auth.setting(setting.name, isSecret: setting.isSecret))
        }
        let summary = texts(
            .settingsGroup, "count", "\(rows.count { $0.1 != nil })", "all", "\(rows.count)")
        return """
            <details><summary>\(texts.settingsGroup(group.title)) (\(summary))</summary>
            \(about.map { "<p class=\"soft\">\($0)</p>\n" } ?? HTML())\
            <dl>\(HTML(joining: rows.map(html)))</dl></details>

            """
    }

    private func html(
        _ setting: SettingsDocument.Setting, _ found: DeploymentSetting?
    ) -> HTML {
        let unset =
            setting.standard.isEmpty
            ? texts(.settingsUnset) : texts(.settingsStandard, "value", setting.standard)
        let secret: HTML = "<b>\(texts(.settingsSet))</b>"
        let value: HTML =
            found.map { found in
                let text = found.value.map { HTML("<code>\($0)</code>") } ?? secret
                return "\(text) \(tag(found.source.title))"
            } ?? "<span class=\"soft\">\(unset)</span>"
        return """
            <dt><code>\(setting.name)</code></dt><dd>\(value)\
            <small class="soft"\(english)>\(setting.meaning)</small></dd>

            """
    }
}

extension DeploymentSetting.Source {
    fileprivate var title: AdminText {
        switch self {
        case .environment: .settingsEnvironment
        case .file: .settingsFile
        case .credential: .settingsCredential
        case .standard: .settingsDefault
        }
    }
}
