extension HTML {
    /// The colours of all pages, light and dark, as CSS variables.
    package static let palette: HTML = """
        :root{color-scheme:light dark;--page:#f2f2f5;--card:#fff;--ink:#1b1b1f;--soft:#5c5c66;
        --line:#d9d9e0;--field:#8a8a95;--accent:#2f5bd7;--on-accent:#fff;--tint:#eef2fd;
        --bad:#b3261e;--bad-tint:#fdeeed}
        @media(prefers-color-scheme:dark){:root{--page:#131316;--card:#1e1e23;--ink:#efeff3;
        --soft:#a9a9b5;--line:#36363f;--field:#777784;--accent:#8fb0ff;--on-accent:#10182e;
        --tint:#232a40;--bad:#ffb4ab;--bad-tint:#3a1f1d}}

        """

    /// A complete document, without scripts or external resources.
    package static func document(
        title: String, language: String = "en", style: HTML, body: HTML
    ) -> HTML {
        """
        <!DOCTYPE html>
        <html lang="\(language)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>\(title)</title>
        <style>\(palette)\(style)</style>
        </head>
        <body>
        \(body)
        </body>
        </html>

        """
    }
}
