internal import Contracts
internal import HTML

/// The style of the administration: lists that need more room than forms.
enum ConsoleStyle {
    static let css = HTML(joining: [PageStyle.css(nil), AdminLook.base, rows])

    private static let rows: HTML = """
        main.wide{max-width:960px}
        .wide h2{font-size:17px;color:var(--ink)}
        .bar{width:100%;max-width:960px;flex-wrap:wrap;gap:10px 24px}
        nav{display:flex;flex-wrap:wrap;gap:4px 16px;font-weight:400}
        nav a[aria-current]{color:var(--ink);text-decoration:none}
        @media(max-width:560px){.bar nav{order:1;width:100%}}
        .bar>span{flex:0 1 auto;min-width:0;line-height:1.35}
        .bar small{display:block;font-weight:400;overflow-wrap:anywhere}
        @media(max-width:560px){.bar>span{flex:1 1 120px}}
        .bar>a{margin-left:auto}
        select{display:block;width:100%;min-height:44px;margin-top:4px;padding:8px 12px;
        border:1px solid var(--field);border-radius:10px;background:var(--card);
        color:var(--ink);font:inherit}
        .bar form{margin:0 0 0 auto}.bar>a+form{margin-left:0}
        .bar button{min-height:36px;padding:4px 14px;font-size:15px}
        .find{display:flex;flex-wrap:wrap;align-items:end;gap:12px}
        .find div{flex:1 1 220px}
        .top{margin-bottom:12px}
        .rows>li,.line{flex-wrap:wrap}
        .rows>li>span:first-child{flex:1 1 240px}
        .tag.bad{background:var(--bad-tint);color:var(--bad)}
        .tags{display:flex;flex-wrap:wrap;gap:6px}
        .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(260px,1fr));gap:16px 28px}
        .chart{margin:8px 0 0;min-width:0}
        .chart svg{display:block;width:100%;height:120px;margin-top:4px;
        border-bottom:1px solid var(--field)}
        .chart rect.ok{fill:var(--accent)}.chart rect.not{fill:var(--bad)}
        .scale{display:flex;justify-content:space-between;margin:2px 0 0}
        @media(forced-colors:active){
        .chart rect.ok{fill:CanvasText}.chart rect.not{fill:Mark}
        .chart span::before{forced-color-adjust:none}}
        .warnings>li{padding:10px 14px;margin-top:8px;border:0;border-radius:10px;
        background:var(--bad-tint)}
        dd>small{display:block;margin-top:2px}
        .chart span::before{content:"";display:inline-block;width:.7em;height:.7em;
        margin-right:5px;border-radius:2px}
        .chart .ok::before{background:var(--accent)}.chart .not::before{background:var(--bad)}
        small.not{color:var(--bad)}
        .line>time{flex:0 0 12.5em;font-size:14px;color:var(--soft);
        font-variant-numeric:tabular-nums}
        .line>span:nth-child(2){flex:1 1 260px;line-height:1.35}
        .line>small{flex:none}
        .curl{margin-top:8px}
        .curl summary{font-size:13px}
        .curl code{display:block;margin-top:4px;padding:8px 12px;border-radius:8px;
        background:var(--tint);user-select:all;white-space:pre-wrap}
        .acts{display:flex;flex-wrap:wrap;gap:8px;margin-top:8px}
        .acts>button{min-height:36px;padding:5px 14px;font-size:15px}
        .acts.bad>button{border-color:var(--bad);color:var(--bad)}
        .sheet{position:fixed;inset:9vh 0 auto;margin:0 auto;
        width:min(480px,calc(100% - 24px));max-height:calc(91% - 12px);overflow:auto;
        padding:24px;border:1px solid var(--line);border-radius:16px;background:var(--card);
        color:var(--ink);outline:none}
        .sheet::backdrop{background:rgb(0 0 0/.6)}
        .sheet form{margin-top:12px}
        .sheet form>button:not(.bad){\(PageStyle.fill)}
        .sheet h2{margin:0;padding-right:36px}
        .close{position:absolute;top:8px;right:8px;width:44px;padding:0;border:0;
        font-size:28px;font-weight:400;line-height:1}
        :has(:popover-open) :is(a,button,input,select,summary):not(:popover-open *){
        interactivity:inert}
        @supports not (interactivity:inert){
        :has(:popover-open) :is(a,button,input,select,summary):not(:popover-open *){
        visibility:hidden}}
        @supports not selector(:popover-open){
        .sheet{position:relative;inset:auto;margin:0;flex:1 1 100%}.acts button[popovertarget]{
        display:none}}
        .line.bad{margin:0 -12px;padding-left:12px;padding-right:12px;border-radius:8px;
        background:var(--bad-tint)}
        button.bad{border-color:var(--bad);background:var(--bad);color:var(--card)}
        pre,iframe{width:100%;margin:8px 0 0;border:1px solid var(--line);border-radius:10px}
        pre{padding:12px;white-space:pre-wrap;font-size:14px}
        iframe{height:780px;background:Canvas}
        @media(max-width:640px){iframe{height:1060px}}
        .links+dl{margin-top:16px}
        .cost{margin-top:28px;font-size:13px;color:var(--soft)}
        """
}
