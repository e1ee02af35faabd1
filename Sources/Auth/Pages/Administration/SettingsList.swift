internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML

extension AdminPage {
    /// Every setting with its value, the source of the value, and its meaning.
    func settingsHTML() -> HTML {
        let groups = SettingsDocument.standard.groups.map(html)
        return """
            <h2>\(texts(.settingsTitle))</h2>
            <p class="soft">\(texts(.settingsAbout))</p>
            \(HTML(joining: groups))
            """
    }

    /// The language of the documents, if it is not the language of the page.
    private var english: HTML { texts.language == .english ? HTML() : " lang=\"en\"" }

    private func html(_ group: SettingsDocument.Group) -> HTML {
        let rows = group.settings.map { setting in
            (setting, auth.setting(setting.name, isSecret: setting.isSecret))
        }
        let summary = texts(
            .settingsGroup, "count", "\(rows.count { $0.1 != nil })", "all", "\(rows.count)")
        return """
            <details><summary>\(texts.settingsGroup(group.title)) (\(summary))</summary>
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
