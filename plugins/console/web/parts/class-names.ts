// Value of a class attribute from optional class names.
/** Joins the class names that are set. */
export const classNames = (...all: (string | false | null | undefined)[]): string =>
  all.filter(Boolean).join(' ')
