// Words at the beginning of a sentence or as a label, for pages.

/** The same words, the first letter a capital. */
export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
