// The mails that were sent, by SES and by SMTP, and the request that sent each.

import {button, h, heading, link, pre, problem, put, row, table, time} from "./dom.js";
import {get, part} from "./api.js";
import {curl, shown} from "./command.js";
import {masked, veil} from "./secrets.js";

export function open(view, [id], query, page) {
    const message = h("div");
    const list = h("div");
    view.append(heading("Mail", link("The mailbox as pages", "/_emulator/mail")), message, list);
    const load = () => showList(list);
    load();
    const show = ([chosen]) => chosen ? showMail(message, chosen) : message.replaceChildren();
    show([id]);
    const follow = ({events}) => {
        if (events.some(({service}) => ["ses", "smtp", "route"].includes(service))) load();
    };
    page.stream.addEventListener("events", follow);
    return {
        move: show, back: () => { location.hash = "#/mail"; },
        close: () => page.stream.removeEventListener("events", follow),
    };
}

async function showList(place) {
    try {
        const {messages} = await get("mail?limit=100");
        put(place, table("Mails, the newest first", ["Time", "To", "Subject", "By"],
            messages.map((one) => row(time(one.receivedAt), one.recipients.join(", "),
                h("th", {scope: "row"}, link(one.subject || "(no subject)", `#/mail/${one.id}`)),
                one.failure ? `${one.source}: ${one.failure}` : one.source)),
            "No mail was sent."), shown(curl("GET", "mail")));
    } catch (error) {
        put(place, problem(error));
    }
}

async function showMail(place, id) {
    try {
        const mail = await get(`mail/${part(id)}`);
        const {traces} = await get(`traces?mail=${part(mail.messageId || mail.id)}`);
        put(place, h("section", {className: "message", ariaLabel: "Mail"},
            h("header", {className: "title"}, h("h3", {}, mail.subject || "(no subject)"),
                button("Close", () => { location.hash = "#/mail"; })),
            h("p", {className: "soft"}, `From ${mail.from} to ${mail.recipients.join(", ")}, `,
                time(mail.receivedAt, true)),
            traces.map((one) => h("p", {}, "Sent by ",
                link(one.title, `#/timeline/${one.id}`))),
            mail.codes.length ? h("p", {}, "Code: ", mail.codes.map((code) => [veil(code), " "]))
                : null,
            pre(masked(mail.text ?? "This mail has no text."), "Text"),
            h("div", {className: "row"},
                link("As HTML", `/_emulator/mail/${part(mail.id)}`, {className: "button",
                    target: "_blank", rel: "noopener"}),
                link("Raw", `/_emulator/mail/${part(mail.id)}/raw`, {className: "button",
                    target: "_blank", rel: "noopener"})),
            shown(curl("GET", `mail/${part(mail.id)}`))));
    } catch (error) {
        put(place, problem(error));
    }
}
