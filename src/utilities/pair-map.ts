// A map with pairs as keys, weak in the first element: values that depend on a catalogue are released with it.

export class PairMap<A extends object, B, Known> {
  readonly #known = new WeakMap<A, Map<B, Known>>()

  get(one: A, other: B): Known | undefined {
    return this.#known.get(one)?.get(other)
  }

  /** @returns the new value */
  set(one: A, other: B, known: Known): Known {
    const of_one = this.#known.get(one)
    if (of_one) of_one.set(other, known)
    else this.#known.set(one, new Map([[other, known]]))
    return known
  }
}
