// Capital letters at the beginning of sentences and labels, for pages.

export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
