// Value of a class attribute from optional class names.
export const classNames = (...all: (string | false | null | undefined)[]): string =>
  all.filter(Boolean).join(' ')
