// Maps times to positions on a row of bars, from 0 to 100. A period in which nothing begins or
// ends, and which is longer than all others together, is shortened, so that the others can be told
// apart (as the command `emulator trace` draws them).

const shortShare = 8;
const shortenedMicrosecondsMin = 20_000;

export class Axis {
    #stretches = [];
    #shortened;

    /** @param moments in microseconds */
    constructor(moments) {
        const sorted = [...new Set(moments)].sort((left, right) => left - right);
        const pairs = sorted.slice(1).map((end, index) => [sorted[index], end]);
        const total = sorted.length ? sorted.at(-1) - sorted[0] : 0;
        const isShort = ([start, end]) => pairs.length > 1
            && end - start >= shortenedMicrosecondsMin && (end - start) * 2 > total;
        const short = pairs.filter(isShort);
        const rest = total - short.reduce((sum, [start, end]) => sum + end - start, 0);
        const scale = rest > 0 ? (100 - short.length * shortShare) / rest : 0;
        let at = 0;
        for (const pair of pairs) {
            const [start, end] = pair;
            const width = isShort(pair) ? shortShare : (end - start) * scale;
            this.#stretches.push({start, end, at, width, isShort: isShort(pair)});
            at += width;
        }
        this.#shortened = this.#stretches.filter((stretch) => stretch.isShort);
    }

    /** The periods that are shortened. */
    get shortened() { return this.#shortened; }

    place(moment) {
        let low = 0;
        let high = this.#stretches.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.#stretches[middle].start <= moment) low = middle;
            else high = middle - 1;
        }
        const stretch = this.#stretches[low];
        if (!stretch) return 0;
        const share = (moment - stretch.start) / (stretch.end - stretch.start);
        return stretch.at + Math.min(1, Math.max(0, share)) * stretch.width;
    }
}
