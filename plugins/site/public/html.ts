// HTML from template literals: every value is escaped, except HTML that such a template produced.

/** A piece of HTML. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Piece = string | number | Html | null | undefined | false | readonly Piece[]

/** Escapes texts and numbers, concatenates lists, and omits absent values. */
export const html = (parts: TemplateStringsArray, ...values: readonly Piece[]): Html =>
  new Html(parts.reduce((joined, part, index) => joined + render(values[index - 1]) + part))

function render(value: Piece): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'string') return Bun.escapeHTML(value)
  if (typeof value === 'number') return String(value)
  return value ? value.map(render).join('') : ''
}

/** A name of user content; `bdi` isolates its writing direction from the text around it. */
export const name = (text: string): Html => html`<bdi>${text}</bdi>`
