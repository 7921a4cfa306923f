// The output in an event beside the part that nearly all output comes in, such as a field yet unknown.
import type { ByteString } from './wire/byte-string.ts'
import { addWritten, type Shape, type Sums } from './written.ts'

/** The events of one stream are alike: only those are looked at that have more beside that part than any in which nothing was found. */
export class WrittenBeside {
  readonly #shape: Shape
  #silent_bytes = 0

  /** @param shape of what holds the part, which is nothing in it */
  constructor(shape: Shape) {
    this.#shape = shape
  }

  /**
   * Adds what is found.
   * @param part_bytes how long the part is
   * @param start finds where what holds it begins; -1 if nothing does
   */
  add(data: ByteString, part_bytes: number, start: () => number, sums: Sums): void {
    const bytes = data.length - part_bytes
    if (bytes <= this.#silent_bytes) return
    const from = start()
    const before = total(sums)
    if (from >= 0) addWritten(data, from, this.#shape, sums)
    if (total(sums) === before) this.#silent_bytes = bytes
  }
}

const total = (sums: Readonly<Sums>): number => sums.reduce((sum, each) => sum + each, 0)
