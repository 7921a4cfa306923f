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
 * The screens of a walk that is the same on each: it is walked once, and what it shows is looked at in both widths. In a long run
 * it is walked on a phone, too, and only looked at in its own width.
 */
export const WALKED: readonly Size[] = IS_LONG ? ['wide', 'phone'] : ['both']
