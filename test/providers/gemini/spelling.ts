// The second spelling of Google's names: `maxOutputTokens` is also `max_output_tokens`.

export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
