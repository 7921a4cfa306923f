// The screen sizes for page tests and screenshots.
import { IS_LONG } from './long.ts'

const WIDE = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

export const SCREENS = {
  wide: WIDE,
  tablet: { width: 768, height: 1024 },
  phone: PHONE,
  /** A wide screen; each check also runs at a phone's width. */
  both: WIDE,
} as const
export type Size = keyof typeof SCREENS

/**
 * The screens of a walk that is the same on each: it runs once, and each page is checked at both widths. In a long run it runs on
 * a phone, too, and each page is checked at its own width only.
 */
export const WALK_SCREENS: readonly Size[] = IS_LONG ? ['wide', 'phone'] : ['both']
