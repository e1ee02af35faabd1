// A QR code of up to 106 bytes (ISO/IEC 18004: version 5, level L, one mask), as a picture.

const size = 37, dataCount = 108, errorCount = 26, textMax = 106;

/** Reed-Solomon codes over the field of 256 elements with the polynomial 0x11D. */
const exponents = [1];
while (exponents.length < 255) {
    const next = exponents.at(-1) << 1;
    exponents.push(next < 256 ? next : next ^ 0x11D);
}
const product = (a, b) => a && b
    && exponents[(exponents.indexOf(a) + exponents.indexOf(b)) % 255];

function corrected(data) {
    let generator = [1];
    for (let index = 0; index < errorCount; index += 1) {
        const next = [...generator, 0];
        generator.forEach((value, at) => { next[at + 1] ^= product(value, exponents[index]); });
        generator = next;
    }
    const rest = [...data, ...Array(errorCount).fill(0)];
    data.forEach((_, at) => {
        const factor = rest[at];
        generator.forEach((value, offset) => { rest[at + offset] ^= product(value, factor); });
    });
    return [...data, ...rest.slice(data.length)];
}

function codewords(text) {
    const bytes = [...new TextEncoder().encode(text)];
    if (bytes.length > textMax) throw new Error("The text is too long for this picture.");
    // Byte mode, the number of bytes, the bytes, and a terminator. Padding bytes follow.
    const bits = [4, bytes.length, ...bytes, 0].map((value, index, all) => value.toString(2)
        .padStart(index === 0 || index === all.length - 1 ? 4 : 8, "0")).join("");
    const data = bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2));
    for (let index = 0; data.length < dataCount; index += 1) data.push(index % 2 ? 0x11 : 0xEC);
    return corrected(data);
}

function modules(text) {
    const grid = Array.from({length: size}, () => Array(size));
    const set = (x, y, isDark) => { if (grid[y]?.length > x && x >= 0) grid[y][x] = isDark; };
    const square = (centre, around, width, isLight) => {
        for (let dy = -width; dy <= width; dy += 1) {
            for (let dx = -width; dx <= width; dx += 1) {
                set(centre + dx, around + dy, !isLight(Math.max(Math.abs(dx), Math.abs(dy))));
            }
        }
    };
    for (let at = 0; at < size; at += 1) {
        set(at, 6, at % 2 === 0);
        set(6, at, at % 2 === 0);
    }
    for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
        square(x, y, 4, (distance) => distance === 2 || distance === 4);
    }
    square(30, 30, 2, (distance) => distance === 1);
    // The format information: level L and mask 0, with their check bits.
    const format = 0b111011111000100;
    for (let index = 0; index < 15; index += 1) {
        const isDark = (format >> index & 1) === 1;
        if (index < 8) set(size - 1 - index, 8, isDark);
        else set(8, size - 15 + index, isDark);
        if (index < 6) set(8, index, isDark);
        else if (index < 8) set(8, index + 1, isDark);
        else set(index === 8 ? 7 : 14 - index, 8, isDark);
    }
    set(8, size - 8, true);
    // The data fills columns of two from the right, upwards and downwards in turn.
    const bits = codewords(text).flatMap(
        (word) => [...word.toString(2).padStart(8, "0")].map(Number));
    let isUpward = true;
    for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
        for (let step = 0; step < size; step += 1) {
            const y = isUpward ? size - 1 - step : step;
            for (const x of [right, right - 1]) {
                if (grid[y][x] === undefined) {
                    grid[y][x] = ((bits.shift() ?? 0) === 1) !== ((x + y) % 2 === 0);
                }
            }
        }
        isUpward = !isUpward;
    }
    return grid;
}

/** The picture has a light border of four modules. */
export function qrCode(text) {
    const path = modules(text).flatMap((row, y) => row.map(
        (isDark, x) => isDark ? `M${x + 4} ${y + 4}h1v1h-1z` : "")).join("");
    const side = size + 8;
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}">`
        + `<path fill="#fff" d="M0 0h${side}v${side}H0z"/><path d="${path}"/></svg>`;
}
