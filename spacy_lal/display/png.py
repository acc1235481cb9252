"""SVG as PNG, by a converter that is installed: CairoSVG, or the program rsvg-convert."""

import shutil
import subprocess
from typing import Any, Callable, Optional

SCALE = 2.0  # for screens of high resolution
MISSING = (
    "writing PNG needs a converter: pip install 'spacy-lal[display]' (CairoSVG), or the program rsvg-convert "
    "(librsvg2-bin on Debian and Ubuntu, librsvg elsewhere); SVG and HTML need nothing"
)


class ConversionError(ValueError):
    """The converter failed."""


def svg_to_png(svg: str, *, scale: float = SCALE) -> bytes:
    """Convert an SVG file.

    svg (str): Its content, for instance of `svg.stand_alone`.
    scale (float): Pixels of the picture for each pixel of the drawing.
    RETURNS (bytes): The PNG file's content.
    RAISES (ImportError): No converter is installed; the message tells how to install one. (ConversionError): It failed.
    """
    convert = _cairosvg()
    if convert is not None:
        try:
            return bytes(convert(bytestring=svg.encode("utf8"), scale=scale))
        except Exception as err:  # of any of its parts, e.g. a drawing too large for Cairo
            raise ConversionError(f"CairoSVG can't convert the drawing: {type(err).__name__}: {err}") from err
    program = shutil.which("rsvg-convert")
    if program is None:
        raise ImportError(MISSING)
    command = [program, "--format", "png", "--zoom", str(scale)]
    done = subprocess.run(command, input=svg.encode("utf8"), capture_output=True, check=False)
    if done.returncode or not done.stdout:
        reason = done.stderr.decode("utf8", errors="replace").strip() or f"exit code {done.returncode}"
        raise ConversionError(f"rsvg-convert can't convert the drawing: {reason}")
    return done.stdout


def check_converter() -> None:
    """Check that a converter is installed.

    RAISES (ImportError): None is; the message tells how to install one.
    """
    if _cairosvg() is None and shutil.which("rsvg-convert") is None:
        raise ImportError(MISSING)


def _cairosvg() -> Optional[Callable[..., Any]]:
    """CairoSVG's function; None where it, or its library cairo, is missing."""
    try:
        from cairosvg import svg2png
    except (ImportError, OSError):
        return None
    return svg2png
