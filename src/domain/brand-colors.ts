// The colours of pages derived from a brand's colour: shades that are readable in both themes. Pure.

/** A shade for light and for dark pages, each as `#rrggbb`. */
interface Shades {
  readonly light: string
  readonly dark: string
}

interface BrandColors {
  /** Links and selected items on the page's background. */
  readonly accent: Shades
  /** The background of selected items in lists, on which text and the accent are readable. */
  readonly soft: Shades
  /** The main button, the button under the pointer, and the text on it. */
  readonly fill: Shades
  readonly fill_hover: Shades
  readonly on_fill: Shades
  /** Whether links on light pages have a darker shade than the brand's colour, which would be hard to read there. */
  readonly is_darkened: boolean
}

/** https://www.w3.org/TR/WCAG22/#contrast-minimum */
export const MIN_CONTRAST = 4.5
/** The contrast between a button and the page. With less, only its text would show where it is. */
const MIN_FILL_CONTRAST = 1.6
/** From this contrast with white a button is darkened for white text, as people expect; lighter ones have dark text. */
const MIN_WHITE_CONTRAST = 2.5

type Rgb = readonly [red: number, green: number, blue: number]

const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [0, 0, 0]
/** `--text` and `--ground-pressed` of light pages, `--ground` and `--ground-pressed` of dark ones: the backgrounds with the least contrast. */
const DARK_TEXT: Rgb = [0x16, 0x19, 0x1d]
const LIGHT_GROUND: Rgb = [0xe6, 0xe9, 0xed]
const DARK_PAGE: Rgb = [0x11, 0x13, 0x15]
const DARK_GROUND: Rgb = [0x27, 0x2c, 0x31]

/** @param color as `#rrggbb` */
export function brandColors(color: string): BrandColors {
  const own = rgbOf(color)
  const on_light = until(own, BLACK, (shade) => contrast(shade, LIGHT_GROUND) >= MIN_CONTRAST)
  const on_dark = until(own, WHITE, (shade) => contrast(shade, DARK_GROUND) >= MIN_CONTRAST)
  const takes_white = contrast(own, WHITE) >= MIN_WHITE_CONTRAST
  const on_fill = takes_white ? WHITE : DARK_TEXT
  const fill = takes_white ? until(own, BLACK, (shade) => contrast(shade, WHITE) >= MIN_CONTRAST) : own
  const fill_dark = until(fill, WHITE, (shade) => contrast(shade, DARK_PAGE) >= MIN_FILL_CONTRAST)
  const hover = (shade: Rgb) => mixed(shade, takes_white ? BLACK : WHITE, 0.14)
  return {
    accent: { light: hex(on_light), dark: hex(on_dark) },
    soft: { light: hex(mixed(WHITE, own, 0.08)), dark: hex(mixed(DARK_PAGE, on_dark, 0.13)) },
    fill: { light: hex(fill), dark: hex(fill_dark) },
    fill_hover: { light: hex(hover(fill)), dark: hex(hover(fill_dark)) },
    on_fill: { light: hex(on_fill), dark: hex(on_fill) },
    is_darkened: contrast(own, WHITE) < MIN_CONTRAST,
  }
}

/** The contrast of two colours as `#rrggbb`, from 1 to 21: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export const contrastOf = (one: string, other: string): number => contrast(rgbOf(one), rgbOf(other))

/** Mixes a colour with another in steps until it is readable; the other itself always is. */
function until(from: Rgb, to: Rgb, isEnough: (shade: Rgb) => boolean): Rgb {
  for (let share = 0; share < 1; share += 0.02) {
    const shade = mixed(from, to, share)
    if (isEnough(shade)) return shade
  }
  return to
}

const mixed = (from: Rgb, to: Rgb, share: number): Rgb => [
  Math.round(from[0] + (to[0] - from[0]) * share),
  Math.round(from[1] + (to[1] - from[1]) * share),
  Math.round(from[2] + (to[2] - from[2]) * share),
]

function contrast(one: Rgb, other: Rgb): number {
  const [first, second] = [luminance(one), luminance(other)]
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05)
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance([red, green, blue]: Rgb): number {
  const linear = (value: number) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

const rgbOf = (color: string): Rgb => [
  Number.parseInt(color.slice(1, 3), 16),
  Number.parseInt(color.slice(3, 5), 16),
  Number.parseInt(color.slice(5, 7), 16),
]

const hex = (rgb: Rgb): string => `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`
