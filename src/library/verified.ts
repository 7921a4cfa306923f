// Verification of a stored image against the hash in its row when it is read, to detect changes on the disk or in the bucket.
import { internal } from '../domain/errors.ts'
import type { StoredBytes, WholeBytes } from '../domain/stored-bytes.ts'

const damaged = (key: string) =>
  internal(
    'The file of this image is damaged: it is not what was stored. Ask the operator of this gateway to restore it from a backup.',
    { code: 'image_damaged', cause: `the file ${key} has another SHA-256 than its row` },
  )

/**
 * Returns the verified content of a file. A local file is compared as a whole before anything is sent, an object in a bucket while it
 * is read. There is no `slice`, since a part cannot be verified.
 * @throws GatewayError internal (`image_damaged`); for an object in a bucket only when it is read
 */
export async function verified(
  file: StoredBytes,
  { key, sha256, is_local }: { key: string; sha256: string; is_local: boolean },
): Promise<WholeBytes> {
  if (!is_local) return new VerifiedObject(file, key, sha256)
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of file.stream()) hash.update(chunk)
  if (hash.digest('hex') !== sha256) throw damaged(key)
  return file
}

/** An object in a bucket, compared while it is read. The last chunk is held back, so that a damaged object never appears complete. */
class VerifiedObject implements WholeBytes {
  readonly size: number
  readonly #file: StoredBytes
  readonly #key: string
  readonly #sha256: string

  constructor(file: StoredBytes, key: string, sha256: string) {
    this.size = file.size
    this.#file = file
    this.#key = key
    this.#sha256 = sha256
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await this.#file.bytes()
    if (new Bun.CryptoHasher('sha256').update(bytes).digest('hex') !== this.#sha256) throw damaged(this.#key)
    return bytes
  }

  stream(): ReadableStream<Uint8Array> {
    const hash = new Bun.CryptoHasher('sha256')
    const reader = this.#file.stream().getReader()
    let pending: Uint8Array | undefined
    const isWhole = () => hash.digest('hex') === this.#sha256
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          for (;;) {
            const { value } = await reader.read()
            if (value) hash.update(value)
            else if (!isWhole()) throw damaged(this.#key)
            if (pending) controller.enqueue(pending)
            const previous = pending
            pending = value
            if (!value) return controller.close()
            if (previous) return
          }
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    )
  }

  body(): ReadableStream<Uint8Array> {
    return this.stream()
  }
}
