// Values for pairs of things, for as long as the first of each pair is in use: a value that depends on a catalogue goes with it.

export class PairMap<A extends object, B, Known> {
  readonly #known = new WeakMap<A, Map<B, Known>>()

  get(one: A, other: B): Known | undefined {
    return this.#known.get(one)?.get(other)
  }

  /** @returns what is known from now on */
  set(one: A, other: B, known: Known): Known {
    const of_one = this.#known.get(one)
    if (of_one) of_one.set(other, known)
    else this.#known.set(one, new Map([[other, known]]))
    return known
  }
}
