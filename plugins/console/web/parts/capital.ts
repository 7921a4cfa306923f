// Capital letters at the beginning of sentences and labels, for pages.

/** Returns `words` with a capital first letter. */
export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
