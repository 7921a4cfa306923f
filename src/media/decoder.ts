// The availability of image decoding: sharp's native library is loaded before a call that needs it is held or sent.
import { type GatewayError, overloaded } from '../domain/errors.ts'
import { messageOf } from '../utilities/thrown.ts'

export interface Decoder {
  /** Returns the reason why images cannot be decoded, if so. Loaded once, since a failed load cannot succeed later in the process. */
  trouble(): Promise<string | undefined>
  /** @throws GatewayError overloaded (code images_unavailable) */
  assertUsable(): Promise<void>
}

export function createDecoder(load: () => Promise<unknown> = loadLibrary): Decoder {
  let tried: Promise<string | undefined> | undefined
  const trouble = () => {
    tried ??= load().then(
      () => undefined,
      (reason: unknown) => messageOf(reason),
    )
    return tried
  }
  return {
    trouble,
    async assertUsable() {
      const found = await trouble()
      if (found !== undefined) throw imagesUnavailable(found)
    },
  }
}

/** @throws Error that names the places that were searched */
export const loadLibrary = (): Promise<unknown> => import('sharp')

export const imagesUnavailable = (cause: unknown): GatewayError =>
  overloaded(
    'Images are unavailable on this gateway at the moment. Nothing was charged. Its operator can see why with `tollgate doctor`.',
    { code: 'images_unavailable', cause },
  )
