// A window on the text of a file, plain or gzip, read in order and in chunks. Bytes become Latin-1, so a position is a byte.
import { invalidRequest } from '../../../src/domain/errors.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { firstBytes } from './first-bytes.ts'

const CHUNK_BYTES = 1 << 20
const GZIP_MAGIC = Buffer.of(0x1f, 0x8b)
/** Of a row, or of a statement without rows; an INSERT may be longer. Servers refuse what exceeds max_allowed_packet, at most 1 GB. */
const MAX_UNIT_CHARS = 256 << 20

/** @returns the position after the skipped part, or a negative number if the text ends before */
type Scan = (text: string, at: number, is_last: boolean) => number

export class DumpWindow implements AsyncDisposable {
  readonly path: string
  text = ''
  at = 0
  #start: number
  #chunks: AsyncIterator<Uint8Array>
  #is_last = false

  private constructor(path: string, chunks: AsyncIterable<Uint8Array>, start: number) {
    this.path = path
    this.#chunks = chunks[Symbol.asyncIterator]()
    this.#start = start
  }

  /** @param from a byte of the plain text; a gzip file is decompressed up to it */
  static async open(path: string, from = 0): Promise<DumpWindow> {
    if (!firstBytes(path, 2).equals(GZIP_MAGIC))
      return new DumpWindow(path, Bun.file(path).slice(from).stream(), from)
    const window = new DumpWindow(
      path,
      Bun.file(path).stream().pipeThrough(new DecompressionStream('gzip')),
      0,
    )
    while (window.offset < from) {
      if (!(await window.#more())) break
      window.at = Math.min(window.text.length, from - window.#start)
    }
    return window
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks.return?.()
  }

  /** The window's position in bytes of the plain text. */
  get offset(): number {
    return this.#start + this.at
  }

  get isAtEnd(): boolean {
    return this.#is_last && this.at >= this.text.length
  }

  /** Reads until the window has this number of characters, or to the end. */
  async ensure(chars: number): Promise<void> {
    while (this.text.length - this.at < chars && (await this.#more()));
  }

  /**
   * Moves forward by a scan, repeated with more text until it finds its end.
   *
   * @returns the skipped text with `keeps`, else an empty one; undefined if the file ends before
   */
  async skip(scan: Scan, { keeps = false } = {}): Promise<string | undefined> {
    for (;;) {
      const end = scan(this.text, this.at, this.#is_last)
      if (end >= 0) {
        const skipped = keeps ? this.text.slice(this.at, end) : ''
        this.at = end
        return skipped
      }
      if (this.text.length - this.at > MAX_UNIT_CHARS)
        throw invalidRequest(`${this.path} has a statement of more than 256 MB at byte ${this.offset}.`)
      if (!(await this.#more())) return undefined
    }
  }

  /** @returns false after the end. The read that finds the end returns true, so that the scan runs once more, with `is_last` */
  async #more(): Promise<boolean> {
    if (this.#is_last) return false
    const parts: string[] = [this.text.slice(this.at)]
    let read = 0
    // The next read copies the rest of the chunk, so a longer rest needs longer chunks.
    const goal = Math.max(CHUNK_BYTES, parts[0]?.length ?? 0)
    while (read < goal) {
      const { value, done } = await this.#next()
      if (done) {
        this.#is_last = true
        break
      }
      parts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1'))
      read += value.byteLength
    }
    this.#start += this.at
    this.at = 0
    this.text = parts.join('')
    return true
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    try {
      return await this.#chunks.next()
    } catch (thrown) {
      throw invalidRequest(
        `${this.path} cannot be read to its end (${messageOf(thrown)}): it is cut off or damaged.`,
        {
          cause: thrown,
        },
      )
    }
  }
}
