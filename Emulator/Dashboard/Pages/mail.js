// The mails that were sent, by SES and by SMTP, and the request that sent each.

import {button, bytes, h, heading, link, pre, problem, put, row, table, time} from "./dom.js";
import {get, part, remove} from "./api.js";
import {curl, shown} from "./command.js";
import {masked, veil} from "./secrets.js";

export function open(view, [id], query, page) {
    const message = h("div");
    const list = h("div");
    const search = h("input", {type: "search", placeholder: "Filter: recipient, subject",
        ariaLabel: "Filter the mails", value: query.get("to") ?? query.get("subject") ?? ""});
    const says = h("p", {className: "says", role: "status"});
    const box = new Mailbox(list, message, search, says);
    view.append(heading("Mail", button("Delete all", () => box.delete(), {className: "danger"})),
        h("div", {className: "sides"},
            h("section", {ariaLabel: "Mails"}, h("div", {className: "tools"}, search), says, list),
            message));
    search.oninput = () => box.draw();
    box.load();
    const show = ([chosen]) => box.show(chosen);
    show([id]);
    const follow = ({events}) => {
        if (events.some(({service}) => ["ses", "smtp", "route"].includes(service))) box.load();
    };
    page.stream.addEventListener("events", follow);
    return {
        move: show, back: () => { location.hash = "#/mail"; },
        close: () => page.stream.removeEventListener("events", follow),
    };
}

class Mailbox {
    #list;
    #message;
    #search;
    #says;
    #mails = [];
    #total = 0;
    #chosen;

    constructor(list, message, search, says) {
        [this.#list, this.#message, this.#search, this.#says] = [list, message, search, says];
    }

    async load() {
        try {
            const {messages, total} = await get("mail?limit=1000");
            [this.#mails, this.#total] = [messages, total];
            this.draw();
        } catch (error) {
            put(this.#list, problem(error));
        }
    }

    draw() {
        const wanted = this.#search.value.trim().toLowerCase();
        const found = this.#mails.filter(({recipients, subject}) =>
            `${recipients.join(" ")} ${subject}`.toLowerCase().includes(wanted));
        put(this.#list, table("Mails, the newest first", ["Time", "To", "Subject", "By"],
            found.map((one) => row(time(one.receivedAt), one.recipients.join(", "),
                h("th", {scope: "row"}, link(one.subject || "(no subject)", `#/mail/${one.id}`)),
                one.failure ? `${one.source}: ${one.failure}` : one.source)),
            this.#mails.length ? "No mail has this recipient or subject." : "No mail was sent."),
        this.#total > this.#mails.length
            ? h("p", {className: "soft"}, `The newest ${this.#mails.length} of ${this.#total}.`)
            : [],
        shown(curl("GET", "mail")));
    }

    async delete(id) {
        try {
            await remove(id === undefined ? "mail" : `mail/${part(id)}`);
            this.#says.textContent = id === undefined ? "All mails are deleted."
                : "The mail is deleted.";
            location.hash = "#/mail";
            await this.load();
        } catch (error) {
            this.#says.textContent = error.message;
        }
    }

    async show(id) {
        this.#chosen = id;
        if (!id) return this.#message.replaceChildren();
        try {
            const mail = await get(`mail/${part(id)}`);
            const {traces} = await get(`traces?mail=${part(mail.messageId || mail.id)}`);
            if (this.#chosen !== id) return;
            put(this.#message, this.#section(mail, traces));
        } catch (error) {
            put(this.#message, problem(error));
        }
    }

    #section(mail, traces) {
        const at = `/_emulator/mail/${part(mail.id)}`;
        const elsewhere = {className: "button", target: "_blank", rel: "noopener"};
        return h("section", {className: "message", ariaLabel: "Mail"},
            h("header", {className: "title"}, h("h3", {}, mail.subject || "(no subject)"),
                button("Close", () => { location.hash = "#/mail"; })),
            mail.failure ? h("p", {className: "problem"}, `Not sent: ${mail.failure}`) : null,
            facts(mail),
            traces.map((one) => h("p", {}, "Sent by ",
                link(one.title, `#/timeline/${one.id}`))),
            mail.codes.length ? h("p", {}, "Code: ", mail.codes.map((code) => [veil(code), " "]))
                : null,
            mail.notes.map((note) => h("p", {className: "problem"}, note)),
            pre(mail.text === null ? "This mail has no text." : linked(mail.text, mail), "Text"),
            mail.attachments.map(({name, type, size, url}) => h("p", {},
                link(name ?? "(no name)", url, {download: ""}), ` ${type}, ${bytes(size)}`)),
            h("details", {}, h("summary", {}, "Headers"), pre(mail.headers
                .map(({name, value}) => `${name}: ${value}`).join("\n"), "Headers")),
            h("div", {className: "row"},
                mail.html === null ? null : link("As HTML", `${at}/html`, elsewhere),
                link("Source", `${at}/raw`, elsewhere),
                button("Delete", () => this.delete(mail.id), {className: "danger"})),
            shown(curl("GET", `mail/${part(mail.id)}`)));
    }
}

function facts(mail) {
    const listed = [["From", mail.from || mail.sender], ["To", mail.to.join(", ")],
        ["Cc", mail.cc.join(", ")], ["Bcc", mail.bcc.join(", ")],
        ["Reply to", mail.replyTo.join(", ")],
        ["Tags", mail.tags.map(({name, value}) => `${name}=${value}`).join(", ")]];
    return h("dl", {}, listed.filter(([, value]) => value).map(([name, value]) =>
        [h("dt", {}, name), h("dd", {}, value)]),
    h("dt", {}, "Received"), h("dd", {}, time(mail.receivedAt, true), ` by ${mail.source}`));
}

/**
 * The text of a mail. Codes, and tokens in links, are masked; links lead to their visible address.
 */
function linked(text, {codes, links}) {
    // The longest texts come first: a link may be the beginning of another, and a code may be a
    // part of a link.
    const known = [...links, ...codes].sort((left, right) => right.length - left.length);
    const parts = [];
    let rest = text;
    while (rest) {
        const [next, start] = known.map((one) => [one, rest.indexOf(one)])
            .filter(([, place]) => place >= 0)
            .sort(([, left], [, right]) => left - right)[0] ?? [undefined, rest.length];
        parts.push(...masked(rest.slice(0, start)));
        if (next === undefined) break;
        parts.push(links.includes(next) ? anchor(next) : veil(next));
        rest = rest.slice(start + next.length);
    }
    return parts;
}

/**
 * Only http links can be clicked: a link with another scheme could run a script, or belongs to an
 * app.
 */
function anchor(address) {
    const text = address.replace(/([?&](?:token|code)=)[^&#]+/g, "$1••••");
    if (!/^https?:\/\//i.test(address)) return text === address ? text : veil(address);
    return link(text, address, {target: "_blank", rel: "noopener noreferrer"});
}
