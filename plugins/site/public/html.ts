// HTML from templates: every value is escaped but for HTML that such a template made.

/** A piece of HTML. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Piece = string | number | Html | null | undefined | false | readonly Piece[]

/** Texts and numbers are escaped, lists follow each other, and what is absent leaves nothing. */
export const html = (parts: TemplateStringsArray, ...values: readonly Piece[]): Html =>
  new Html(parts.reduce((made, part, index) => made + written(values[index - 1]) + part))

function written(value: Piece): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'string') return Bun.escapeHTML(value)
  if (typeof value === 'number') return String(value)
  return value ? value.map(written).join('') : ''
}

/** A name that somebody chose: its direction of writing does not reach what stands beside it. */
export const name = (text: string): Html => html`<bdi>${text}</bdi>`
