// Whether images can be decoded here: sharp's native library, tried before anything is asked or held that would need it.
import { type GatewayError, overloaded } from '../domain/errors.ts'
import { messageOf } from '../utilities/thrown.ts'

export interface Decoder {
  /** Why no image can be decoded; undefined if they can. Tried once: what a process could not load, it cannot load later. */
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

/** @throws Error that names where the library was looked for */
export const loadLibrary = (): Promise<unknown> => import('sharp')

export const imagesUnavailable = (cause: unknown): GatewayError =>
  overloaded(
    'Images are unavailable on this gateway at the moment. Nothing was charged. Its operator can see why with `tollgate doctor`.',
    { code: 'images_unavailable', cause },
  )
