package import AuthDomain
package import HTML

/// The shared style of all pages after the palette: light and dark, from 320 pixels on, visible
/// focus, forced colours.
package enum PageStyle {
    package static func css(_ color: BrandColor?) -> HTML {
        HTML(joining: [brand(color), base, forms, lists])
    }

    /// The app's colour instead of the palette's. Surfaces have the colour unchanged; text on cards
    /// and tints has a variant with enough contrast.
    private static func brand(_ color: BrandColor?) -> HTML {
        guard let color else { return HTML() }
        return """
            :root{--fill:\(color.text);--on-fill:\(color.textColor.text);\
            \(variables(color, on: .white))}
            @media(prefers-color-scheme:dark){:root{\(variables(color, on: .darkCard))}}

            """
    }

    private static func variables(_ color: BrandColor, on card: BrandColor) -> HTML {
        let tint = color.tint(on: card)
        let edge: HTML = color.isNear(card) ? "var(--field)" : "var(--fill)"
        return """
            --edge:\(edge);--tint:\(tint.text);--accent:\(color.readable(on: tint).text)
            """
    }

    /// The colours of a surface that has the app's colour. Without such a colour, they come from
    /// the palette.
    package static let fill: HTML = """
        border-color:var(--edge,var(--accent));background:var(--fill,var(--accent));
        color:var(--on-fill,var(--on-accent))
        """

    private static let base: HTML = """
        *{box-sizing:border-box}
        body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;
        align-items:center;justify-content:center;gap:20px;padding:24px 16px;
        background:var(--page);color:var(--ink);overflow-wrap:anywhere;
        font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
        header{display:flex;align-items:center;gap:10px;max-width:100%;font-weight:600}
        header img{display:block;max-height:40px;max-width:200px}
        main{width:100%;max-width:400px;padding:28px;background:var(--card);
        border:1px solid var(--line);border-radius:16px;box-shadow:0 8px 28px rgb(0 0 0/.06)}
        main.wide{max-width:640px}
        h1{margin:0;font-size:clamp(20px,5.6vw,24px);line-height:1.25;letter-spacing:-.01em;text-wrap:balance}
        h1,header>span{max-width:100%;overflow-wrap:break-word;hyphens:auto;
        hyphenate-limit-chars:14 5 5}
        .top h1,header small{hyphens:manual}
        h2{margin:28px 0 4px;font-size:14px;line-height:1.5;color:var(--soft)}
        p{margin:8px 0 0;text-wrap:pretty}
        small,.soft{font-size:14px;color:var(--soft)}
        a{color:var(--accent);text-underline-offset:3px}
        .says{margin-top:16px;padding:10px 14px;border-radius:10px;background:var(--tint)}
        .says.bad{background:var(--bad-tint);color:var(--bad)}
        .links{display:flex;flex-wrap:wrap;align-items:center;gap:4px 16px;margin-top:20px;
        font-size:15px}
        :is(.links,.more,.bar) a{display:inline-block;padding:3px 0}
        @media(max-width:480px){.links{gap:0 16px}:is(.links,.more) a{padding:11px 0}}

        """

    private static let forms: HTML = """
        form{margin:20px 0 0;display:grid;gap:14px}
        label{display:block;font-size:14px;font-weight:600}
        input{display:block;width:100%;min-height:44px;margin-top:4px;padding:8px 12px;
        border:1px solid var(--field);border-radius:10px;background:var(--card);
        color:var(--ink);font:inherit;font-size:16px}
        .code{font:600 20px/1.3 ui-monospace,"SF Mono",Menlo,Consolas,monospace;
        letter-spacing:.12em}
        input[aria-invalid=true]{border-color:var(--bad)}
        .hint,.fault{display:block;margin-top:4px;font-size:14px;color:var(--soft)}
        .fault{color:var(--bad)}
        button{min-height:44px;padding:8px 16px;border:1px solid var(--field);border-radius:10px;
        background:none;color:var(--ink);font:inherit;font-weight:600;cursor:pointer}
        button.main{\(fill)}
        button:hover{filter:brightness(1.08)}
        :is(input,button,a,summary):focus-visible{outline:2px solid var(--accent);
        outline-offset:2px}
        summary{cursor:pointer;font-size:15px;color:var(--accent)}
        details>*+*{margin-top:12px}
        details{margin-top:20px}
        .secret{display:block;position:relative}
        .secret input{padding-right:104px}
        .secret ::-ms-reveal{display:none}
        .secret button{position:absolute;right:4px;bottom:4px;min-height:36px;padding:4px 12px;
        border:0;border-radius:7px;font-size:14px;color:var(--accent)}
        .secret [aria-pressed=true]{\(fill)}
        .check{display:flex;align-items:center;gap:10px}
        .check input{flex:none;width:24px;min-height:24px;margin:0}
        .check label{font-size:16px;font-weight:400}
        .qr{width:200px;max-width:100%;margin:16px auto 0;border-radius:10px;overflow:hidden}
        .qr svg{display:block}

        """

    private static let lists: HTML = """
        dl{display:grid;grid-template-columns:minmax(7rem,auto) 1fr;margin:0}
        dt,dd{margin:0;padding:10px 0;border-top:1px solid var(--line)}
        dt{padding-right:16px;color:var(--soft)}
        ul{margin:0;padding:0;list-style:none}
        p+ul{margin-top:16px}
        li{display:flex;align-items:center;gap:12px;padding:10px 0;
        border-top:1px solid var(--line)}
        li>span:first-child{flex:1;line-height:1.35}
        li>span,.top>*{min-width:0}
        li small{display:block}
        li form,.actions form{margin:0}
        li details{margin:4px 0 0}
        li details>form{margin-top:8px}
        code{font:15px ui-monospace,"SF Mono",Menlo,Consolas,monospace}
        [hidden]{display:none}
        li button,.actions button{min-height:36px;padding:4px 14px;font-size:15px}
        .tag{padding:1px 8px;border-radius:6px;background:var(--tint);color:var(--accent);
        font-size:13px;font-weight:600;white-space:nowrap}
        .actions{display:flex;flex-wrap:wrap;gap:12px;margin-top:24px}
        .top{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 12px}
        @media(max-width:400px){main{padding:20px 16px}dl{grid-template-columns:1fr}
        dt{padding-bottom:0}dd{padding-top:0;border:0}}
        @media(forced-colors:active){main,input,button,.says,.tag{border:1px solid}}
        """
}
