// Names of incoming providers and of the variables of their secrets: made of the source's names, each only once.

const MAX_NAME_CHARS = 40

export class Names {
  readonly #used = new Set<string>()

  /** @param text the source's name, in any script @param otherwise where nothing of it can be in a catalogue */
  provider(text: string, otherwise: string): string {
    const plain = text
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, MAX_NAME_CHARS)
      .replace(/^-+|-+$/g, '')
    return this.#once(plain === '' ? otherwise : plain, '-')
  }

  /** @param provider its name @param what such as API_KEY */
  variable(provider: string, what: string): string {
    const name = `${provider}_${what}`.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
    return this.#once(/^\d/.test(name) ? `_${name}` : name, '_')
  }

  #once(name: string, separator: string): string {
    let free = name
    for (let number = 2; this.#used.has(free); number++) free = `${name}${separator}${number}`
    this.#used.add(free)
    return free
  }
}
