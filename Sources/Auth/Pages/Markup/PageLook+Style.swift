internal import HTML

// The styles that only the users' pages have: the width and position of the card, the sign-in
// buttons, and the marks for actions that cannot be undone.
extension PageLook {
    static let layout: HTML = """
        body{justify-content:flex-start;padding:clamp(16px,9vh,88px) 16px 40px}
        main{max-width:480px}
        header{width:100%;max-width:480px;justify-content:center}
        header.bar{flex-wrap:wrap;justify-content:space-between;gap:4px 16px;padding:0 4px}
        .bar>span{flex:1 1 180px;line-height:1.35}
        .bar small{display:block;margin-top:4px;font-weight:400;overflow-wrap:anywhere}
        .bar nav{display:flex;flex-wrap:wrap;align-items:center;justify-content:flex-end;
        gap:4px 16px;margin-left:auto;font-weight:400}
        .bar form{margin:0}
        .bar button{min-height:36px;padding:4px 14px;font-size:15px}
        @media(max-width:480px){body:has(.bar){padding-top:24px}}
        h2{margin-top:32px}
        .more{margin:0;font-size:15px}
        li>a{padding:8px 0}
        .apart{margin-top:32px;padding-top:20px;border-top:1px solid var(--line)}
        .apart h2{margin-top:0}

        """

    static let ways: HTML = """
        .or{display:flex;align-items:center;gap:12px;margin:20px 0;font-size:14px;
        color:var(--soft)}
        .or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
        .ways{display:grid;gap:12px}
        .ways form{margin:0;gap:12px}
        .way{display:flex;align-items:center;justify-content:center;gap:10px;width:100%;
        font-weight:500}
        .mark{flex:none;width:20px;height:20px;vertical-align:-4px}
        li .mark{margin-right:10px}
        .apple{border-color:#000;background:#000;color:#fff}
        .google{border-color:#747775;background:#fff;color:#1f1f1f;
        font-family:Roboto,Arial,sans-serif}
        @media(prefers-color-scheme:dark){.apple{border-color:#fff;background:#fff;color:#000}
        .google{border-color:#8e918f;background:#131314;color:#e3e3e3}}
        li button.link{padding:4px 0;border:0;color:var(--accent);font-weight:400;
        font-size:16px;text-decoration:underline;text-underline-offset:3px}
        .danger{border-color:var(--bad);color:var(--bad)}
        button.main.danger{border-color:var(--bad);background:var(--bad);color:var(--card)}
        """
}
