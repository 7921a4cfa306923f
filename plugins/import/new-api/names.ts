// Names of imported providers and of the variables for their secrets: derived from the source's names, without duplicates.
import { hyphenated, TakenNames } from '../taken-names.ts'

const MAX_NAME_CHARS = 40

export class Names {
  readonly #providers = new TakenNames()
  readonly #variables = new TakenNames([], '_')

  /** @param text the source's name, in any script @param otherwise the name to use if none of the text is valid in a catalogue */
  provider(text: string, otherwise: string): string {
    return this.#providers.take(hyphenated(text, MAX_NAME_CHARS) || otherwise)
  }

  /** @param provider its name @param what such as API_KEY */
  variable(provider: string, what: string): string {
    const name = `${provider}_${what}`.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
    return this.#variables.take(/^\d/.test(name) ? `_${name}` : name)
  }
}
