// A browser's language that Intl does not know, as Chromium without a locale has it (en-US@posix): English in its place.
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  // Its RangeError says no more than that.
  Object.defineProperty(navigator, 'language', { value: 'en-US' })
}
