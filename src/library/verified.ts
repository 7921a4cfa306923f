// A stored image that is compared with the hash in its row when it is read: a byte that changed since on the disk or in the bucket is noticed.
import { internal } from '../domain/errors.ts'
import type { StoredBytes, WholeBytes } from '../domain/stored-bytes.ts'

const damaged = (key: string) =>
  internal(
    'The file of this image is damaged: it is not what was stored. Ask the operator of this gateway to restore it from a backup.',
    { code: 'image_damaged', cause: `the file ${key} has another SHA-256 than its row` },
  )

/**
 * The content of a file that has this hash: of one on this machine all is compared before anything is sent, of an object in a bucket
 * while it is read. It has no `slice`, because a part alone says nothing of the whole.
 * @throws GatewayError internal (`image_damaged`); for an object in a bucket only what is read of it does
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

/** The content of an object in a bucket, which is compared while it is read: of a damaged one the end never comes, and no part is given for the whole. */
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
