// The form that asks for a second factor, or for a new proof of who the user is.

const fields = {
    code: {label: "Code", autocomplete: "one-time-code", inputMode: "numeric", type: "text"},
    recoveryCode: {label: "Recovery code", autocomplete: "off", inputMode: "text", type: "text"},
    password: {
        label: "Password", autocomplete: "current-password", inputMode: "text", type: "password"},
    passkey: undefined,
};

export class Proof {
    #form;
    #authenticator;
    #asked;

    /** @param step shows an action as a step of the device */
    constructor(form, authenticator, step) {
        this.#form = form;
        this.#authenticator = authenticator;
        form.elements.way.onchange = () => this.#showField();
        form.onsubmit = (event) => {
            event.preventDefault();
            const asked = this.#asked;
            const way = form.elements.way.value;
            const answer = {[way]: fields[way] ? form.elements.answer.value.trim() : true};
            form.elements.answer.value = "";
            step(asked.title, async () => {
                const outcome = await asked.use(answer);
                if (this.#asked === asked) this.close();
                return outcome;
            }).then(({problem}) => problem || asked.then?.());
        };
        form.querySelector("[data-do=compute]").onclick = () => this.#compute();
        form.querySelector("[data-do=dismiss]").onclick = () => this.close();
    }

    /**
     * Shows the form. `use` gets `{code}`, `{recoveryCode}`, `{password}` or `{passkey}`; `then` is
     * called after `use` has succeeded.
     */
    ask({why, ways, ...asked}) {
        this.#asked = asked;
        const {way, answer} = this.#form.elements;
        this.#form.querySelector(".why").textContent = why;
        for (const option of way.options) {
            option.hidden = option.disabled = !ways.includes(option.value);
        }
        [way.value] = ways;
        way.closest("label").hidden = ways.length === 1;
        answer.value = "";
        this.#form.hidden = false;
        this.#showField();
    }

    get isOpen() { return !this.#form.hidden; }

    close() {
        this.#asked = undefined;
        this.#form.hidden = true;
    }

    #showField() {
        const {way, answer} = this.#form.elements;
        const field = fields[way.value];
        const label = answer.closest("label");
        label.hidden = !field;
        answer.required = Boolean(field);
        this.#form.querySelector("[data-do=compute]").hidden =
            way.value !== "code" || !this.#authenticator.isSetUp;
        if (!field) return;
        const {label: text, ...properties} = field;
        label.firstChild.textContent = `${text} `;
        Object.assign(answer, properties);
        answer.focus();
    }

    async #compute() {
        const button = this.#form.querySelector("[data-do=compute]");
        const text = button.textContent;
        button.disabled = true;
        try {
            this.#form.elements.answer.value = await this.#authenticator.code((seconds) => {
                button.textContent = `The next code comes in ${seconds} s`;
            });
        } finally {
            button.textContent = text;
            button.disabled = false;
            this.#form.elements.answer.focus();
        }
    }
}
