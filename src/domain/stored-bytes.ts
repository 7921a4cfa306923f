// The bytes of a stored file in a folder or a bucket: of a known size, and read on demand.

/** Bytes that can only be read as a whole. */
export interface WholeBytes {
  /** In bytes. */
  readonly size: number
  stream(): ReadableStream<Uint8Array>
  /** Reads all bytes into memory. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  /** The body for a `Response`. */
  body(): Blob | ReadableStream<Uint8Array>
}

export interface StoredBytes extends WholeBytes {
  /** Returns a part; `end` is excluded. */
  slice(start: number, end: number): StoredBytes
}

/** A file on the disk, or another local Blob, which the runtime sends without copying it through JavaScript. */
export class BlobBytes implements StoredBytes {
  readonly size: number
  readonly #blob: Blob

  /** @param size of the Blob in bytes, if already known */
  constructor(blob: Blob, size = blob.size) {
    this.#blob = blob
    this.size = size
  }

  stream(): ReadableStream<Uint8Array> {
    return this.#blob.stream()
  }

  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#blob.bytes()
  }

  slice(start: number, end: number): StoredBytes {
    const [from, to] = [Math.min(start, this.size), Math.min(end, this.size)]
    return new BlobBytes(this.#blob.slice(from, to), to - from)
  }

  body(): Blob {
    return this.#blob
  }
}

/** The body for a `Response`: bytes in memory, or stored ones. */
export const bodyOf = (
  content: Uint8Array | string | StoredBytes,
): Uint8Array | string | Blob | ReadableStream<Uint8Array> =>
  typeof content === 'string' || content instanceof Uint8Array ? content : content.body()
