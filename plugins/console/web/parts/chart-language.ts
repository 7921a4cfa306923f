// Replacement of a browser language that Intl rejects, such as en-US@posix of Chromium without a locale: English instead.
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  // A RangeError: the language is not a valid tag.
  Object.defineProperty(navigator, 'language', { value: 'en-US' })
}
