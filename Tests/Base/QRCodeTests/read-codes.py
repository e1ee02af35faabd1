"""Reads QR codes with ZXing, one on each line of a file: rows of # and ., separated by slashes."""

import sys

import zxingcpp

SCALE, QUIET = 4, 4

for line in open(sys.argv[1]):
    rows = line.strip().split("/")
    side = len(rows) + 2 * QUIET
    image = bytearray(b"\xff" * (side * SCALE) ** 2)
    for y, row in enumerate(rows):
        for x, module in enumerate(row):
            if module != "#":
                continue
            for pixel in range(SCALE):
                start = ((y + QUIET) * SCALE + pixel) * side * SCALE + (x + QUIET) * SCALE
                image[start:start + SCALE] = bytes(SCALE)
    pixels = memoryview(bytes(image)).cast("B", shape=[side * SCALE, side * SCALE])
    found = zxingcpp.read_barcodes(pixels, formats=zxingcpp.BarcodeFormat.QRCode)
    if len(found) != 1 or found[0].ec_level != "M":
        sys.exit(f"version {(len(rows) - 17) // 4}: {len(found)} codes")
    print(found[0].text)
