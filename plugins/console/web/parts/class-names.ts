// Class names put together.
/** The names that are there, in one attribute. */
export const names = (...all: (string | false | null | undefined)[]): string => all.filter(Boolean).join(' ')
