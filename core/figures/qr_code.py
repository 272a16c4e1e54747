from __future__ import annotations

import segno

QUIET_ZONE = 4  # empty modules around the code; the standard asks for them (ISO/IEC 18004)


def qr_svg(text: str) -> str:
    """A QR code as SVG without a size, dark on white whatever is behind it: many phones read no other.

    Error correction is the lowest that comes for nothing: a projector leaves no part out, and the fewer modules there
    are, the larger they are from the back row.
    """
    code = segno.make_qr(text, error="l")
    svg: str = code.svg_inline(
        border=QUIET_ZONE, dark="#000000", light="#ffffff", omitsize=True, svgclass=None, lineclass=None
    )
    return svg
